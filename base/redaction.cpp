#include "base/redaction.hpp"

#include <algorithm>
#include <array>

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
constexpr std::array<std::string_view, 8> k_secret_parameters = {"sig", "key",  "auth", "pass",
                                                                 "pwd", "code", "jwt",  "assertion"};

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

std::string without_credentials(std::string_view text) {
  std::string kept;
  while (true) {
    const std::size_t scheme = text.find(k_scheme_end);
    if (scheme == std::string_view::npos) return kept.append(text);
    const std::size_t begin = scheme + k_scheme_end.size();
    const std::size_t end = std::min(text.find_first_of(k_url_end, begin), text.size());
    kept.append(text.substr(0, begin)).append(masked_rest(text.substr(begin, end - begin)));
    text.remove_prefix(end);
  }
}

}  // namespace hearth
