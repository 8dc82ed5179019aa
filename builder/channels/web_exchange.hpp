// What both kinds of servers have in common: requests that end in time, files as streams, answers with names.
#pragma once

#include <string>

#include "base/net/web_client.hpp"
#include "builder/channels/place.hpp"

namespace hearth::builder::channels {

class WebExchange {
 public:
  WebExchange(const Environment& environment, const Clock& clock);

  [[nodiscard]] HttpRequest request(const char* method, Url url, std::uint64_t bytes = 0) const;
  [[nodiscard]] HttpResponse send(const HttpRequest& request) { return client_.send(request); }
  [[nodiscard]] HttpResponse upload(const HttpRequest& request, std::uint64_t size, const Pieces& next) {
    return client_.upload(request, size, next);
  }
  /// A body to `take`, when the answer is a good one.
  [[nodiscard]] HttpResponse download(HttpRequest request, const Take& take);

 private:
  const Clock& clock_;
  WebClient client_;
};

/// "GET https://… is answered by 403 Forbidden", with what to do.
[[nodiscard]] Error unexpected(const HttpRequest& request, const HttpResponse& answer);

/// Whether a HEAD's answer says that the file is there, whole.
[[nodiscard]] bool says_whole(const HttpResponse& answer, const NamedFile& file);

[[nodiscard]] Url joined(Url base, const std::string& more);

}  // namespace hearth::builder::channels
