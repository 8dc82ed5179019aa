// What goes out and what comes back of one HTTP/1.1 request over a connection, for all that make some: WebClient,
// images as streams, WebSockets and tunnels through a proxy. http.hpp says where a redirect leads.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/net/connection.hpp"
#include "base/net/http_reader.hpp"

namespace hearth {

/// The head of a request, with the credentials of its URL and of `proxy`, the one that it is sent to (an unencrypted
/// request names its whole URL there); fields of `request` replace ours of the same name. Line ends in values become
/// blanks. The target of a CONNECT is "host:port".
[[nodiscard]] std::string request_head(const HttpRequest& request, const std::optional<Url>& proxy,
                                       const std::string& agent);

/// Feeds `reader` until its answer is complete; `until` says, before each read, how long that one may last. Throws
/// Error(io).
void read_answer(Connection& connection, HttpReader& reader, const std::function<Deadline()>& until);

}  // namespace hearth
