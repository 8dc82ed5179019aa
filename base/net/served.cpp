#include "base/net/served.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::array<std::pair<int, std::string_view>, 39> k_reasons = {{
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

constexpr std::array<std::string_view, 6> k_secret_parameters = {"signature", "temp_url_sig",    "token",
                                                                 "password",  "x-amz-signature", "secret"};

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

/// A header's value can't end its line, whatever it was made from.
void append_line(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  const std::size_t begin = head.size();
  head += value;
  std::replace_if(
      head.begin() + static_cast<std::ptrdiff_t>(begin), head.end(),
      [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  head += "\r\n";
}

}  // namespace

ServedResponse plain_response(int status) {
  ServedResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "text/plain; charset=UTF-8"}};
  response.body = cat(status, " ", usual_reason(status), "\n");
  return response;
}

std::optional<ServedResponse> pause_answer(const std::function<std::string()>& why) {
  const std::string told = why ? why() : "";
  if (told.empty()) return std::nullopt;
  ServedResponse response = plain_response(503);
  response.headers.emplace_back("Retry-After", "2");
  response.body = cat("503 Service Unavailable: ", told, "\n");
  return response;
}

bool can_be_host(std::string_view text) {
  const bool fits = std::all_of(text.begin(), text.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || std::string_view("-._~%:[]").find(c) != std::string_view::npos;
  });
  return fits && static_cast<bool>(parse_url(cat("http://", text)));
}

std::string_view usual_reason(int status) {
  for (const auto& [number, reason] : k_reasons) {
    if (number == status) return reason;
  }
  return "Unknown";
}

Result<RequestTarget, std::string> parse_request_target(std::string_view target) {
  if (target.empty() || target.front() != '/') {
    const Result<Url> absolute = parse_url(target);
    if (!absolute) return std::string("the request target is neither a path nor a URL");
    return parse_request_target(absolute->target());
  }
  const std::size_t mark = target.find('?');
  const std::string_view raw = target.substr(0, mark);
  RequestTarget parts{std::string(raw), percent_decode(raw), ""};
  if (mark != std::string_view::npos) parts.query = std::string(target.substr(mark + 1));
  if (parts.path.find('\0') != std::string::npos) return std::string("the path holds a NUL");
  return parts;
}

std::string response_head(const ServedResponse& response, std::string_view date, bool keep_alive) {
  std::string head;
  head.reserve(256);
  append_line(head, cat("HTTP/1.1 ", response.status, " "),
              response.reason.empty() ? usual_reason(response.status) : std::string_view(response.reason));
  append_line(head, "Date: ", date);
  for (const auto& [name, value] : response.headers) append_line(head, cat(name, ": "), value);
  if (has_body(response.status) && !response.stream) head += cat("Content-Length: ", response.content().size(), "\r\n");
  if (!keep_alive) head += "Connection: close\r\n";
  head += "\r\n";
  return head;
}

std::string without_secrets(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::string(target);
  std::vector<std::string> shown;
  for (const std::string& parameter : split(target.substr(mark + 1), '&')) {
    const std::string name = parameter.substr(0, parameter.find('='));
    const std::string plain = to_lower(percent_decode(name));
    const bool secret =
        std::find(k_secret_parameters.begin(), k_secret_parameters.end(), plain) != k_secret_parameters.end();
    shown.push_back(secret ? cat(name, "=***") : parameter);
  }
  return cat(target.substr(0, mark), "?", join(shown, "&"));
}

}  // namespace hearth
