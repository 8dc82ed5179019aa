#include "bootstrap/cli/given_files.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_how_to_make_a_pair =
    "A pair is made by: ssh-keygen -t ed25519 -f NAME; NAME.pub is the public key, and what is given.";

bool is_private_key(std::string_view line) {
  return line.starts_with("-----BEGIN ") && line.find("PRIVATE KEY") != line.npos;
}

/// RFC 4253, 6.6: the bytes of a key begin with the length and the text of its type.
bool is_key_of(const std::string& type, const std::string& base64) {
  const std::optional<std::string> bytes = base64_decode(base64);
  if (!bytes || type.size() > 0xff) return false;
  const std::string begin = cat(std::string(3, '\0'), static_cast<char>(type.size()), type);
  return bytes->starts_with(begin) && bytes->size() > begin.size() + 4;
}

bool is_public_key(std::string_view line) {
  const std::vector<std::string> words = split_words(line);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (is_key_of(words[i], words[i + 1])) return true;
  }
  return false;
}

/// Of a line that is no public key: what it is, without the line itself.
[[noreturn]] void refuse_key(std::string_view line, const std::string& where) {
  if (line.starts_with("---- BEGIN SSH2 PUBLIC KEY")) {
    throw Error(ErrorKind::input, cat(where, ": this public key is written as RFC 4716 has it, not as OpenSSH does"))
        .hint("ssh-keygen -i -f FILE prints it as OpenSSH writes it.");
  }
  const char* what = is_private_key(line)
                         ? "this is a private key, which nobody else may get; a machine takes the public one"
                     : line.starts_with("-----BEGIN PUBLIC KEY")
                         ? "this is a public key of OpenSSL's, as images are signed with; SSH reads none"
                         : "this is no public key as OpenSSH writes it (ssh-ed25519 AAAA… COMMENT)";
  throw Error(ErrorKind::input, cat(where, ": ", what)).hint(k_how_to_make_a_pair);
}

/// How user-data begins, whatever is in it.
bool is_read_by_cloud_init(std::string_view text) {
  constexpr std::array<std::string_view, 4> k_headings = {"content-type:", "mime-version:", "from ", "from:"};
  const std::string begin = to_lower(text.substr(0, 16));
  return text.front() == '#' || std::any_of(k_headings.begin(), k_headings.end(),
                                            [&](std::string_view heading) { return begin.starts_with(heading); });
}

}  // namespace

bool is_packed_drive(const std::string& text) {
  constexpr std::size_t k_least = 100;
  const std::string packed(trim(text));
  return packed.starts_with("http://") || packed.starts_with("https://") ||
         (packed.size() >= k_least && base64_decode(replace_all(packed, "\n", "")).has_value());
}

void require_utf8(std::string_view text, const std::string& file) {
  int line = 0;
  for (const std::string& each : split_lines(text)) {
    ++line;
    if (is_valid_utf8(each)) continue;
    throw Error(ErrorKind::input, cat(file, ":", line, ": this line is no UTF-8"))
        .hint(cat("Write it as UTF-8: iconv -f ENCODING -t UTF-8 ", file));
  }
}

std::vector<std::string> public_keys_in(std::string_view text, const std::string& file) {
  std::vector<std::string> keys;
  int number = 0;
  for (const std::string& each : split_lines(text)) {
    ++number;
    const std::string line(trim(each));
    if (line.empty() || line.front() == '#') continue;
    if (!is_valid_utf8(line) || !is_public_key(line)) refuse_key(line, cat(file, ":", number));
    keys.push_back(line);
  }
  if (keys.empty()) throw Error(ErrorKind::input, cat(file, ": there is no key in it")).hint(k_how_to_make_a_pair);
  return keys;
}

std::string user_data_in(std::string text, const std::string& file) {
  require_utf8(text, file);
  const std::string_view begin = trim(text);
  if (begin.empty()) throw Error(ErrorKind::input, cat(file, ": there is nothing in it"));
  if (is_private_key(begin.substr(0, begin.find('\n'))))
    throw Error(ErrorKind::input, cat(file, ":1: this is a private key, not user-data; nothing was sent"));
  if (!is_read_by_cloud_init(begin)) {
    throw Error(ErrorKind::input, cat(file, ":1: this is no user-data that a first boot reads; nothing was sent"))
        .hint("It begins with #! (a program), #cloud-config, #include, ## template: or the headings of MIME.");
  }
  return text;
}

}  // namespace hearth::bootstrap
