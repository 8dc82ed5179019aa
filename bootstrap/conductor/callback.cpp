#include "bootstrap/conductor/callback.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstring>

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// The bytes of an address, so that spellings don't matter; empty for what is none.
std::string address_bytes(const std::string& text) {
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return "";
}

}  // namespace

std::string plain_address(const std::string& peer) {
  constexpr std::string_view mapped = "::ffff:";
  const bool is_mapped = peer.starts_with(mapped) && peer.find('.') != std::string::npos;
  return is_mapped ? peer.substr(mapped.size()) : peer;
}

std::string callback_fault(const std::string& text, const std::string& peer) {
  const Result<Url> url = parse_url(text);
  if (!url) return cat(text, " is no URL");
  if (!url->user_info.empty() || url->path != "/" || url->has_query)
    return cat(text, " is more than an address and a port");
  const std::string told = address_bytes(plain_address(url->host));
  if (told.empty()) return cat(url->host, " is no address");
  if (told != address_bytes(plain_address(peer))) return cat(url->host, " is not where it comes from (", peer, ")");
  return "";
}

}  // namespace hearth::bootstrap
