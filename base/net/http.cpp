#include "base/net/http.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth {

namespace {

bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && to_lower(a) == to_lower(b); }

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool same_origin(const Url& a, const Url& b) { return a.scheme == b.scheme && a.host == b.host && a.port == b.port; }

void drop_headers(HttpHeaders& headers, std::initializer_list<std::string_view> names) {
  std::erase_if(headers, [&names](const auto& field) {
    return std::any_of(names.begin(), names.end(),
                       [&field](std::string_view name) { return same_name(field.first, name); });
  });
}

bool becomes_get(const std::string& method, int status) {
  if (status == 303) return method != "HEAD";
  return (status == 301 || status == 302) && method == "POST";
}

}  // namespace

std::optional<std::string> find_header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [field, value] : headers) {
    if (same_name(field, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> joined_header(const HttpHeaders& headers, std::string_view name) {
  std::optional<std::string> joined;
  for (const auto& [field, value] : headers) {
    if (same_name(field, name)) joined = joined ? cat(*joined, ", ", value) : value;
  }
  return joined;
}

std::optional<HttpRequest> redirected(const HttpRequest& request, const HttpResponse& response) {
  if (request.max_redirects <= 0 || !is_redirect(response.status)) return std::nullopt;
  const std::optional<std::string> location = find_header(response.headers, "Location");
  if (!location) return std::nullopt;
  HttpRequest next = request;
  next.url = resolve_url(request.url, *location).value_or_throw();
  --next.max_redirects;
  if (becomes_get(request.method, response.status)) {
    next.method = "GET";
    next.body.clear();
    drop_headers(next.headers, {"Content-Type"});
  }
  if (!same_origin(request.url, next.url)) {
    drop_headers(next.headers, {"Authorization", "X-Auth-Token", "Cookie"});
  } else if (next.url.user_info.empty()) {
    next.url.user_info = request.url.user_info;
  }
  return next;
}

}  // namespace hearth
