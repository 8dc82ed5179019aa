#include "builder/fetch/answer.hpp"

#include <algorithm>
#include <optional>

#include "base/net/http_date.hpp"
#include "base/net/served.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

struct Span {
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

/// One range of bytes; nothing when it isn't understood (several ranges are answered with the whole, as is allowed).
std::optional<Span> parse_range(std::string_view text, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  if (text.substr(0, unit.size()) != unit || text.find(',') != std::string_view::npos) return std::nullopt;
  text.remove_prefix(unit.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, dash));
  const auto last = parse_number(text.substr(dash + 1));
  if (dash == 0) {
    if (!last) return std::nullopt;
    const std::uint64_t length = std::min(*last, size);
    return Span{size - length, length};
  }
  if (!first || (!last && dash + 1 < text.size()) || (last && *last < *first)) return std::nullopt;
  if (*first >= size) return Span{};
  return Span{*first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

/// If-None-Match and If-Modified-Since against what the object's own answer said.
bool is_unchanged(const Fetched& fetched, const HttpHeaders& asked) {
  if (const auto tags = find_header(asked, "If-None-Match")) {
    const auto tag = find_header(fetched.headers, "etag");
    return tag && (tags->find(*tag) != std::string::npos || trim(*tags) == "*");
  }
  const auto since = find_header(asked, "If-Modified-Since");
  const auto modified = find_header(fetched.headers, "last-modified");
  if (!since || !modified) return false;
  const auto than = parse_http_date(*since);
  const auto when = parse_http_date(*modified);
  return than && when && *when <= *than;
}

bool range_holds(const Fetched& fetched, const HttpHeaders& asked) {
  const auto condition = find_header(asked, "If-Range");
  return !condition || find_header(fetched.headers, "etag") == condition ||
         find_header(fetched.headers, "last-modified") == condition;
}

std::string head_of(int status, const HttpHeaders& fields) {
  std::string head = cat("HTTP/1.1 ", status, " ", usual_reason(status), "\r\n");
  for (const auto& [name, value] : fields) head += cat(name, ": ", value, "\r\n");
  return cat(head, "\r\n");
}

}  // namespace

bool wants_part(const HttpHeaders& asked) {
  return find_header(asked, "Range") || find_header(asked, "If-None-Match") || find_header(asked, "If-Modified-Since");
}

Answer answer_with(const Fetched& fetched, std::string_view method, const HttpHeaders& asked) {
  HttpHeaders fields = fetched.headers;
  const auto whole = [&] {
    fields.emplace_back("content-length", std::to_string(fetched.size));
    return Answer{head_of(fetched.status, fields), 0, method == "HEAD" ? 0 : fetched.size};
  };
  if (fetched.status != 200 || method.substr(0, 4) == "POST") return whole();
  if (is_unchanged(fetched, asked)) return {head_of(304, fields), 0, 0};
  fields.emplace_back("accept-ranges", "bytes");
  const auto wanted = find_header(asked, "Range");
  if (!wanted || !range_holds(fetched, asked)) return whole();
  const std::optional<Span> span = parse_range(*wanted, fetched.size);
  if (!span) return whole();
  if (span->size == 0) {
    fields.emplace_back("content-range", cat("bytes */", fetched.size));
    fields.emplace_back("content-length", "0");
    return {head_of(416, fields), 0, 0};
  }
  fields.emplace_back("content-range",
                      cat("bytes ", span->first, "-", span->first + span->size - 1, "/", fetched.size));
  fields.emplace_back("content-length", std::to_string(span->size));
  return {head_of(206, fields), span->first, method == "HEAD" ? 0 : span->size};
}

std::string passing_head(int status, const HttpHeaders& headers, std::uint64_t size) {
  HttpHeaders fields = headers;
  fields.emplace_back("content-length", std::to_string(size));
  return head_of(status, fields);
}

std::string own_answer(int status, std::string_view text) {
  return cat(head_of(status, {{"content-type", "text/plain; charset=UTF-8"},
                              {"content-length", std::to_string(text.size() + 1)},
                              {"via", "1.1 hearth"}}),
             text, "\n");
}

}  // namespace hearth::builder::fetch
