#include "builder/fetch/git_request.hpp"

#include <array>
#include <charconv>

#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::size_t k_length_digits = 4;
constexpr std::array<std::string_view, 2> k_told = {"agent=", "session-id="};

bool tells_who(std::string_view capability) {
  return capability.starts_with(k_told[0]) || capability.starts_with(k_told[1]);
}

/// Version 2 has a capability a line, the versions before it have all of them behind the first want.
std::string plain_line(const std::string& line) {
  if (tells_who(line)) return "";
  if (!line.starts_with("want ")) return line;
  std::vector<std::string> words;
  for (const std::string& word : split(std::string(trim(line)), ' ')) {
    if (!tells_who(word)) words.push_back(word);
  }
  return cat(join(words, " "), "\n");
}

}  // namespace

std::optional<std::string> without_agent(std::string_view body) {
  std::string plain;
  while (!body.empty()) {
    unsigned length = 0;
    const char* const end = body.data() + std::min(k_length_digits, body.size());
    const auto read = std::from_chars(body.data(), end, length, 16);
    if (body.size() < k_length_digits || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    const bool is_mark = length < k_length_digits;  // flush, delimiter, end of response
    if (length > body.size()) return std::nullopt;
    const std::size_t size = is_mark ? k_length_digits : length;
    plain += is_mark ? std::string(body.substr(0, size))
                     : plain_line(std::string(body.substr(k_length_digits, size - k_length_digits)));
    body.remove_prefix(size);
  }
  return plain;
}

}  // namespace hearth::builder::fetch
