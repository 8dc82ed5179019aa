#include "metadata/serve/conditional.hpp"

#include "base/net/http_date.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

std::string_view bare(std::string_view tag) {
  tag = trim(tag);
  if (tag.substr(0, 2) == "W/") tag.remove_prefix(2);
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
  return tag;
}

}  // namespace

bool holds_current(const ServedRequest& request, const std::string& tag, std::int64_t modified) {
  if (request.method != "GET" && request.method != "HEAD") return false;
  if (const auto tags = request.header("If-None-Match")) {
    for (const std::string& held : split(*tags, ',')) {
      if (trim(held) == "*" || bare(held) == tag) return true;
    }
    return false;
  }
  const auto since = request.header("If-Modified-Since");
  const auto time = since ? parse_http_date(*since) : std::nullopt;
  return time && modified <= *time;
}

ServedResponse not_modified(const std::string& etag_header, std::int64_t modified) {
  ServedResponse response;
  response.status = 304;
  response.headers = {{"Etag", etag_header}, {"Last-Modified", format_http_date(modified)}};
  return response;
}

}  // namespace hearth::metadata
