#include "base/redaction.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::string_view k_scheme_end = "://";
constexpr std::string_view k_url_end = " \t\r\n\"'<>`";

constexpr std::array<std::string_view, 9> k_secret_parts = {"passw", "passphrase", "secret", "token",    "credential",
                                                            "_key",  "-key",       "apikey", "signature"};
/// They hold "_key" and tell where public things lie.
constexpr std::array<std::string_view, 2> k_public_names = {"dib_apt_keyring", "dib_debian_keyring"};
/// Whole names of query parameters.
constexpr std::array<std::string_view, 9> k_secret_parameters = {"sig",  "key", "auth",      "pass",        "pwd",
                                                                 "code", "jwt", "assertion", "temp_url_sig"};
/// Whole names in texts, where "code" and "key" are words as others.
constexpr std::array<std::string_view, 13> k_secret_words = {
    "sig",       "temp_url_sig", "pass",        "pw",     "psk",        "community",    "user_data",
    "user-data", "jwt",          "configdrive", "cookie", "set-cookie", "authorization"};
constexpr std::string_view k_hidden = "******";
constexpr std::string_view k_key_begin = "-----BEGIN ";
constexpr std::string_view k_key_end = "-----END ";
/// Of Keystone's tokens and of JSON web tokens.
constexpr std::array<std::string_view, 2> k_token_beginnings = {"gAAAAA", "eyJ"};
constexpr std::size_t k_shortest_token = 32;

/// What follows "://", up to the URL's end.
std::string masked_rest(std::string_view rest) {
  const std::size_t authority_end = std::min(rest.find_first_of("/?#"), rest.size());
  const std::size_t at = rest.substr(0, authority_end).rfind('@');
  if (at != std::string_view::npos) rest.remove_prefix(at + 1);
  const std::size_t query = rest.find('?');
  if (query == std::string_view::npos) return std::string(rest);
  const std::size_t fragment = std::min(rest.find('#', query), rest.size());
  return cat(rest.substr(0, query + 1), without_secret_values(rest.substr(query + 1, fragment - query - 1)),
             rest.substr(fragment));
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

bool is_quote(char c) { return c == '"' || c == '\''; }

bool is_secret_word(std::string_view name) {
  const std::string lower = to_lower(name);
  return names_secret(lower) || lower.find("pwd") != std::string::npos ||
         std::find(k_secret_words.begin(), k_secret_words.end(), lower) != k_secret_words.end();
}

/// The text with what stands behind "://" in each URL of it as `change` gives it.
template <class Change>
std::string with_each_url(std::string_view text, Change change) {
  std::string kept;
  while (true) {
    const std::size_t scheme = text.find(k_scheme_end);
    if (scheme == std::string_view::npos) return kept.append(text);
    const std::size_t begin = scheme + k_scheme_end.size();
    const std::size_t end = std::min(text.find_first_of(k_url_end, begin), text.size());
    kept.append(text.substr(0, begin)).append(change(text.substr(begin, end - begin)));
    text.remove_prefix(end);
  }
}

/// "u:p@h/?sig=x" → "u:******@h/?sig=******".
std::string without_url_password(std::string_view rest) {
  std::string kept;
  const std::size_t at = rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size())).rfind('@');
  const std::size_t colon = rest.find(':');
  if (at != std::string_view::npos && colon < at) {
    kept.append(rest.substr(0, colon + 1)).append(k_hidden);
    rest.remove_prefix(at);
  }
  const std::size_t query = std::min(rest.find('?'), rest.size());
  kept.append(rest.substr(0, query));
  if (query < rest.size()) kept.append("?").append(without_secret_values(rest.substr(query + 1), k_hidden));
  return kept;
}

/// The text behind a private key's end whose beginning was cut off, or all of it.
std::string_view behind_cut_key(std::string_view text) {
  const std::size_t last = text.find(k_key_end);
  const std::size_t end = last == std::string_view::npos ? last : text.find("-----", last + k_key_end.size());
  if (end == std::string_view::npos || text.find(k_key_begin) < last) return text;
  const bool is_private = text.substr(last, end - last).find("PRIVATE") != std::string_view::npos;
  return is_private ? text.substr(end + 5) : text;
}

/// Blocks "-----BEGIN … PRIVATE KEY-----" to their end; one without an end is hidden to the text's, and one without a
/// beginning, as the end of a longer text has it, from the text's.
std::string without_private_keys(std::string_view text) {
  const std::string_view rest = behind_cut_key(text);
  std::string kept(rest.size() < text.size() ? k_hidden : "");
  text = rest;
  while (true) {
    const std::size_t begin = text.find(k_key_begin);
    const std::size_t title = begin == std::string_view::npos ? begin : text.find("-----", begin + k_key_begin.size());
    if (title == std::string_view::npos) return kept.append(text);
    const bool is_private = text.substr(begin, title - begin).find("PRIVATE") != std::string_view::npos;
    kept.append(text.substr(0, is_private ? begin : title));
    text.remove_prefix(title);  // which may be the next one's beginning
    if (!is_private) continue;
    kept.append(k_hidden);
    const std::size_t last = text.find(k_key_end);
    const std::size_t end = last == std::string_view::npos ? last : text.find("-----", last + k_key_end.size());
    if (end == std::string_view::npos) return kept;
    text.remove_prefix(end + 5);
  }
}

/// What follows a name that holds a secret, in all the forms in which logs have it.
class NamedValues {
 public:
  explicit NamedValues(std::string_view text) : text_(text) {}

  std::string hidden() {
    while (at_ < text_.size()) {
      if (is_of_name(text_[at_])) {
        word();
      } else {
        out_ += text_[at_++];
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  void keep() { out_ += text_[at_++]; }
  void keep_spaces() {
    while (here() == ' ' || here() == '\t') keep();
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_of_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const bool token = name.size() >= k_shortest_token &&
                       std::any_of(k_token_beginnings.begin(), k_token_beginnings.end(),
                                   [&](std::string_view beginning) { return name.starts_with(beginning); });
    if (token || is_hash(begin)) {
      while (here() != ' ' && (is_of_name(here()) || here() == '$' || here() == '/')) ++at_;
      out_ += k_hidden;
      return;
    }
    out_ += name;
    if (!is_secret_word(name)) return;
    here() == '>' ? element(begin) : value(name.starts_with("--"));
  }

  /// "$6$salt$hash": the word behind a '$' that another follows.
  [[nodiscard]] bool is_hash(std::size_t begin) const {
    return begin > 0 && text_[begin - 1] == '$' && here() == '$' && at_ - begin <= 8 && at_ + 1 < text_.size() &&
           text_[at_ + 1] != ' ';
  }

  /// Behind the name: a separator and what it separates; without one there is no value.
  void value(bool option) {
    while (here() == '\\' || is_quote(here())) keep();
    const bool spaced = here() == ' ' || here() == '\t';
    keep_spaces();
    const char separator = here();
    if (separator == '=' || separator == ':') {
      keep();
      while (separator == '=' && (here() == '=' || here() == '>')) keep();  // "=>" of Ruby and Puppet
      keep_spaces();
    } else if (!option || !spaced) {
      return;
    }
    hide(separator);
  }

  /// "<password>x</password>"; "<password>" alone is a word of a synopsis.
  void element(std::size_t name) {
    keep();
    if (name == 0 || text_[name - 1] != '<' || here() == '<' || std::isspace(static_cast<unsigned char>(here())) != 0)
      return;
    at_ = std::min(text_.find_first_of("<\n", at_), text_.size());
    out_ += k_hidden;
  }

  void hide(char separator) {
    if (text_.substr(at_).starts_with(k_hidden)) return;
    const bool escaped = here() == '\\';
    while (here() == '\\') keep();
    if (is_quote(here())) {
      quoted(escaped);
    } else if (separator == ':') {
      rest_of_line();
    } else {
      while (std::isspace(static_cast<unsigned char>(here())) == 0 && !is_quote(here())) ++at_;
      out_ += k_hidden;
    }
  }

  /// "x\"y", or \"x\" within a text that is quoted itself.
  void quoted(bool escaped) {
    const char quote = here();
    keep();
    const std::string end = escaped ? cat("\\", std::string(1, quote)) : std::string(1, quote);
    while (here() != '\n' && !text_.substr(at_).starts_with(end)) at_ += !escaped && here() == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    out_ += k_hidden;
  }

  /// A line's end; of YAML the lines that belong to it, too.
  void rest_of_line() {
    const std::size_t line = text_.rfind('\n', at_ - 1) + 1;  // npos + 1 is the first
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view rest = text_.substr(at_, end - at_);
    const bool block = rest.find_first_not_of(" \t\r") == std::string_view::npos || rest[0] == '|' || rest[0] == '>';
    at_ = end;
    if (!block) {
      out_ += k_hidden;
      return;
    }
    const std::size_t indent = text_.find_first_not_of(' ', line) - line;
    while (at_ < text_.size()) {
      const std::size_t first = text_.find_first_not_of(' ', at_ + 1);
      if (first == std::string_view::npos || (text_[first] != '\n' && first - at_ - 1 <= indent)) break;
      at_ = std::min(text_.find('\n', first), text_.size());
    }
    out_ += at_ == end ? rest : k_hidden;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

bool names_secret(std::string_view name) {
  const std::string lower = to_lower(name);
  if (std::find(k_public_names.begin(), k_public_names.end(), lower) != k_public_names.end()) return false;
  return std::any_of(k_secret_parts.begin(), k_secret_parts.end(),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

std::string without_secret_values(std::string_view query, std::string_view mask) {
  std::vector<std::string> parameters;
  for (const std::string& parameter : split(query, '&')) {
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string name = to_lower(parameter.substr(0, equals));
    const bool is_secret = names_secret(name) || std::find(k_secret_parameters.begin(), k_secret_parameters.end(),
                                                           name) != k_secret_parameters.end();
    const std::string_view value = std::string_view(parameter).substr(std::min(equals + 1, parameter.size()));
    const bool masks = is_secret && !value.empty() && !value.starts_with(k_redacted);
    parameters.push_back(masks ? cat(parameter.substr(0, equals + 1), mask) : parameter);
  }
  return join(parameters, "&");
}

std::string without_credentials(std::string_view text) { return with_each_url(text, masked_rest); }

std::string hide_secrets(std::string_view text) {
  return NamedValues(without_private_keys(with_each_url(text, without_url_password))).hidden();
}

}  // namespace hearth
