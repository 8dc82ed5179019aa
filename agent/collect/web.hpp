// What the sources that ask web servers share: one way to send a request and to tell why it failed.
#pragma once

#include <optional>
#include <string>

#include "agent/collect/source.hpp"
#include "base/net/http.hpp"

namespace hearth::agent {

/// "404 Client Error: Not Found for url: URL", with the query's values masked; nothing for a good answer.
[[nodiscard]] std::optional<std::string> failure_of(const HttpResponse& response);

/// Sends, and warns when there is no good (2xx) answer; then nothing is returned.
[[nodiscard]] std::optional<HttpResponse> send_or_warn(const SourceContext& context, const HttpRequest& request);

/// A GET that follows redirects and ends after `seconds`. Throws Error(input) when `url` is none.
[[nodiscard]] HttpRequest get_request(const SourceContext& context, const std::string& url, double seconds);

}  // namespace hearth::agent
