#include "pxe/http/exchange.hpp"

#include <algorithm>

#include "base/net/http_date.hpp"
#include "base/net/served.hpp"
#include "base/text.hpp"

namespace hearth::pxe::http {

namespace {

std::string entity_tag(std::uint64_t size, std::int64_t modified_s) { return cat("\"", modified_s, "-", size, "\""); }

std::string start_of_head(const Ask& ask, int status, std::int64_t now_s) {
  return cat("HTTP/1.1 ", status, ' ', usual_reason(status), "\r\nServer: hearth\r\nDate: ", format_http_date(now_s),
             "\r\nConnection: ", ask.keep_alive ? "keep-alive" : "close", "\r\n");
}

bool lists_tag(const std::string& field, const std::string& tag) {
  for (const std::string& item : split(field, ',')) {
    std::string_view word = trim(item);
    if (word.starts_with("W/")) word.remove_prefix(2);
    if (word == "*" || word == tag) return true;
  }
  return false;
}

/// Whether the client's copy is still good (RFC 9110 section 13.2.2).
bool is_unchanged(const Ask& ask, const std::string& tag, std::int64_t modified_s) {
  if (const auto field = find_header(ask.headers, "If-None-Match")) return lists_tag(*field, tag);
  const auto field = find_header(ask.headers, "If-Modified-Since");
  const std::optional<std::int64_t> since = field ? parse_http_date(*field) : std::nullopt;
  return since && modified_s <= *since;
}

/// Whether a range may be served: If-Range is missing, or names what we have.
bool range_applies(const Ask& ask, const std::string& tag, std::int64_t modified_s) {
  const auto field = find_header(ask.headers, "If-Range");
  return !field || *field == tag || parse_http_date(*field) == modified_s;
}

std::string_view media_type(std::string_view path) {
  if (path.ends_with(".efi")) return "application/efi";
  if (path.starts_with("/ipxe/") || path.ends_with(".cfg") || path == "/metrics") return "text/plain; charset=utf-8";
  return "application/octet-stream";
}

}  // namespace

std::optional<std::size_t> head_end(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  return end + 4;
}

Ask parse_head(std::string_view head) {
  Ask ask;
  const std::vector<std::string> lines = split_lines(replace_all(std::string(head), "\r\n", "\n"));
  const std::vector<std::string> words = split(lines.empty() ? "" : lines.front(), ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) {
    ask.refused = 400;
    ask.keep_alive = false;
    return ask;
  }
  ask.method = words[0];
  ask.keep_alive = words[2] != "HTTP/1.0";
  for (std::size_t at = 1; at < lines.size() && !lines[at].empty(); ++at) {
    const std::size_t colon = lines[at].find(':');
    if (colon == std::string::npos) ask.refused = 400;
    if (colon != std::string::npos)
      ask.headers.emplace_back(lines[at].substr(0, colon), trim(lines[at].substr(colon + 1)));
  }
  const std::string connection = to_lower(find_header(ask.headers, "Connection").value_or(""));
  if (connection == "close") ask.keep_alive = false;
  if (connection == "keep-alive") ask.keep_alive = true;
  const bool has_body =
      find_header(ask.headers, "Transfer-Encoding") || find_header(ask.headers, "Content-Length").value_or("0") != "0";
  const Result<RequestTarget, std::string> target = parse_request_target(words[1]);
  if (ask.method != "GET" && ask.method != "HEAD") ask.refused = 405;
  if (!target || has_body) ask.refused = 400;
  if (target) ask.path = target->path;
  if (ask.refused != 0) ask.keep_alive = false;  // what follows may be a body
  return ask;
}

std::optional<Part> parse_range(std::string_view field, std::uint64_t size) {
  if (!field.starts_with("bytes=") || field.find(',') != std::string_view::npos) return std::nullopt;
  field.remove_prefix(6);
  const std::size_t dash = field.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> first = parse_number(trim(field.substr(0, dash)));
  const std::optional<std::uint64_t> last = parse_number(trim(field.substr(dash + 1)));
  if (dash == 0) {  // the last so many bytes
    if (!last) return std::nullopt;
    const std::uint64_t count = std::min(*last, size);
    return Part{size - count, count};
  }
  const bool open = dash + 1 == field.size();
  if (!first || (!open && !last) || (last && *last < *first)) return std::nullopt;
  if (*first >= size) return Part{0, 0};
  return Part{*first, (open ? size - 1 : std::min(*last, size - 1)) - *first + 1};
}

Plan plan_content(const Ask& ask, std::uint64_t size, std::int64_t modified_s, std::int64_t now_s) {
  const std::string tag = entity_tag(size, modified_s);
  const bool computed = modified_s == 0;
  Plan plan{.body = {0, size}};
  const auto range = find_header(ask.headers, "Range");
  if (!computed && is_unchanged(ask, tag, modified_s)) {
    plan.status = 304;
  } else if (range && !computed && range_applies(ask, tag, modified_s)) {
    const std::optional<Part> part = parse_range(*range, size);
    if (part) plan.status = part->size > 0 ? 206 : 416;
    if (part) plan.body = *part;
  }
  plan.head = start_of_head(ask, plan.status, now_s);
  if (plan.status == 206)
    plan.head +=
        cat("Content-Range: bytes ", plan.body.first, '-', plan.body.first + plan.body.size - 1, '/', size, "\r\n");
  if (plan.status == 416) plan.head += cat("Content-Range: bytes */", size, "\r\n");
  if (plan.status != 304) {
    plan.head += cat("Content-Length: ", plan.body.size, "\r\nContent-Type: ", media_type(ask.path), "\r\n");
  }
  if (computed) {
    plan.head += "Cache-Control: no-store\r\n";
  } else {
    plan.head +=
        cat("Accept-Ranges: bytes\r\nETag: ", tag, "\r\nLast-Modified: ", format_http_date(modified_s), "\r\n");
  }
  plan.head += "\r\n";
  if (plan.status == 304 || ask.method == "HEAD") plan.body.size = 0;
  return plan;
}

std::string plain_answer(const Ask& ask, int status, std::string_view text, std::int64_t now_s) {
  std::string answer = start_of_head(ask, status, now_s);
  if (status == 405) answer += "Allow: GET, HEAD\r\n";
  if (status == 503) answer += "Retry-After: 5\r\n";
  answer += cat("Content-Length: ", text.size() + 1, "\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
  if (ask.method != "HEAD") answer += cat(text, '\n');
  return answer;
}

}  // namespace hearth::pxe::http
