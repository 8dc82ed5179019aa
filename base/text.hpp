// Words, numbers and quoting: small pure functions on text that every room needs.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

namespace detail {
inline void append(std::string& out, std::string_view text) { out.append(text); }
inline void append(std::string& out, char c) { out.push_back(c); }
template <std::integral N>
void append(std::string& out, N number) {
  out.append(std::to_string(number));
}
}  // namespace detail

/// Concatenates texts, characters and integers.
template <class... Parts>
[[nodiscard]] std::string cat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

[[nodiscard]] std::string_view trim(std::string_view text);
/// 0 to 9, whatever the locale.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Splits at every separator; empty fields are kept ("a,,b" has three; "" has one).
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
/// Splits at runs of white space; no empty fields.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
/// Lines without their ends; a final newline does not open an empty line.
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);
/// "a\n  b\n" → "a; b", where a line is all that there is room for; blank lines are left out.
[[nodiscard]] std::string lines_as_one(std::string_view text);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// "a, b and 3 more", where at most `most` of them are named; "a; b; and 3 more" where the separator is no comma.
[[nodiscard]] std::string join_first(const std::vector<std::string>& parts, std::size_t most,
                                     std::string_view separator = ", ");
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string replace_all(std::string text, std::string_view from, std::string_view to);
/// Ends with it, and has something before: "a.yaml" is a file's name, ".yaml" none.
[[nodiscard]] bool has_suffix(std::string_view text, std::string_view end);
/// As XML and HTML want &, <, > and quotes, in text and in attributes.
[[nodiscard]] std::string xml_escaped(std::string_view text);
/// "0644": the permissions of a file's mode.
[[nodiscard]] std::string octal_mode(std::uint32_t mode);

/// A whole non-negative decimal number, nothing else around it.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);
/// "4.2 GiB", "512 KiB", "17 B".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);
/// A number with `decimals` places, whatever the locale.
[[nodiscard]] std::string fixed(double value, int decimals);

/// POSIX shell quoting of one word; plain words stay as they are.
[[nodiscard]] std::string shell_quote(std::string_view word);
[[nodiscard]] std::string shell_join(const std::vector<std::string>& words);

/// The candidate nearest to `word` by edit distance, if it is near enough to be a likely typing error; else the only
/// one that begins with it.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hearth
