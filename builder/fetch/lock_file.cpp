#include "builder/fetch/lock_file.hpp"

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "base/net/url.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::string_view k_first_line = "# hearth.lock 1: what a build fetched. Written by --record.";
constexpr std::array<const char*, 9> k_kept = {"content-disposition",
                                               "content-encoding",
                                               "content-type",
                                               "docker-content-digest",
                                               "etag",
                                               "last-modified",
                                               "link",
                                               "location",
                                               "www-authenticate"};
/// Besides unreserved characters these stay readable in a field's value.
constexpr const char* k_readable = "/:;,+=\"'()*&?@$!";
constexpr std::size_t k_words = 5;

bool is_sha256(std::string_view text) { return is_hex(text, 64); }

bool is_method(std::string_view text) {
  constexpr std::string_view post = "POST:";
  const std::vector<std::string> words = split(text, ';');
  const bool known = std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
    return word == "authorized" || word.starts_with("accept=") || word.starts_with("git-protocol=") ||
           word.starts_with("vary=");
  });
  if (words[0].starts_with(post)) return known && is_sha256(std::string_view(words[0]).substr(post.size()));
  return known && words[0] == "GET";
}

std::string line_of(const FetchKey& key, const Fetched& fetched) {
  std::string line = cat(key.method, " ", key.url, " ", fetched.status, " sha256:", fetched.sha256, " ", fetched.size);
  for (const auto& [name, value] : fetched.headers) line += cat(" ", name, "=", percent_encode(value, k_readable));
  return line;
}

/// Reads one line; the error is a reason.
Result<std::pair<FetchKey, Fetched>, std::string> read_line(const std::string& line) {
  const std::vector<std::string> words = split_words(line);
  if (words.size() < k_words) return std::string("a line is: METHOD URL STATUS sha256:DIGEST SIZE [FIELD=VALUE]…");
  if (!is_method(words[0])) return cat("'", words[0], "' is no method; GET and POST:DIGEST are");
  const Result<Url> url = parse_url(words[1]);
  if (!url) return cat("'", words[1], "' is no URL: ", url.error().what);
  const auto status = parse_number(words[2]);
  if (!status || *status < 200 || *status > 599) return cat("'", words[2], "' is no status");
  constexpr std::string_view prefix = "sha256:";
  if (words[3].compare(0, prefix.size(), prefix) != 0 || !is_sha256(words[3].substr(prefix.size()))) {
    return cat("'", words[3], "' is no digest; it is sha256: and 64 hexadecimal digits");
  }
  const auto size = parse_number(words[4]);
  if (!size) return cat("'", words[4], "' is no size in bytes");
  Fetched fetched{static_cast<int>(*status), words[3].substr(prefix.size()), *size, {}};
  for (std::size_t i = k_words; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) return cat("'", words[i], "' is not FIELD=VALUE");
    fetched.headers.emplace_back(words[i].substr(0, equals), percent_decode(words[i].substr(equals + 1)));
  }
  return std::make_pair(FetchKey{words[0], words[1]}, std::move(fetched));
}

}  // namespace

bool Lock::has_https() const {
  return std::any_of(fetches.begin(), fetches.end(),
                     [](const auto& entry) { return entry.first.url.compare(0, 8, "https://") == 0; });
}

HttpHeaders kept_headers(const HttpHeaders& headers) {
  HttpHeaders kept;
  for (const std::string_view name : k_kept) {
    const bool is_list = name == "link" || name == "www-authenticate";
    const auto value = is_list ? joined_header(headers, name) : find_header(headers, name);
    if (value) kept.emplace_back(name, name == "link" ? without_credentials(*value) : *value);
  }
  return kept;
}

std::string lock_text(const Lock& lock) {
  std::string text = cat(k_first_line, "\n");
  for (const std::string& note : lock.notes) text += cat("# ", note, "\n");
  for (const auto& [name, value] : lock.settings)
    text += cat("SET ", name, " ", percent_encode(value, k_readable), "\n");
  for (const auto& [key, fetched] : lock.fetches) text += cat(line_of(key, fetched), "\n");
  return text;
}

Result<Lock, ParseError> parse_lock(std::string_view text, std::string_view source) {
  Lock lock;
  if (!text.empty() && text.back() != '\n') {
    return ParseError{std::string(source), {}, "its last line has no end: the file was cut short"};
  }
  int number = 0;
  const std::vector<std::string> lines = split_lines(text);
  for (const std::string& line : lines) {
    ++number;
    if (trim(line).empty() || line.front() == '#') continue;
    if (line.compare(0, 4, "SET ") == 0) {
      const std::vector<std::string> words = split_words(line);
      if (words.size() < 2 || words.size() > 3) {
        return ParseError{std::string(source), {number, 1}, "a setting is: SET NAME VALUE"};
      }
      lock.settings[words[1]] = words.size() == 3 ? percent_decode(words[2]) : "";
      continue;
    }
    Result<std::pair<FetchKey, Fetched>, std::string> read = read_line(line);
    if (!read) return ParseError{std::string(source), {number, 1}, read.error()};
    if (!lock.fetches.emplace(*read).second) {
      return ParseError{std::string(source), {number, 1}, "this URL stands here twice"};
    }
  }
  return lock;
}

}  // namespace hearth::builder::fetch
