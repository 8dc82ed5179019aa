#include "base/net/inner_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace hearth {

namespace {

constexpr const char* k_loopback = "loopback";
constexpr const char* k_link_local = "link-local";
constexpr const char* k_metadata = "cloud metadata";

using Bytes = std::span<const unsigned char>;

/// Alibaba's and Azure's metadata and Oracle's old one; that of all others is link-local.
constexpr std::array<std::array<unsigned char, 4>, 3> k_metadata_4 = {
    {{100, 100, 100, 200}, {168, 63, 129, 16}, {192, 0, 0, 192}}};
constexpr std::array<unsigned char, 16> k_metadata_6 = {0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54};
/// What comes before an IPv4 address: mapped (RFC 4291 section 2.5.5.2) and translated (RFC 6052 section 2.1).
constexpr std::array<unsigned char, 12> k_mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::array<unsigned char, 12> k_translated = {0, 0x64, 0xff, 0x9b};

std::string_view kind_4(Bytes bytes) {
  if (bytes[0] == 127 || bytes[0] == 0) return k_loopback;  // Linux takes 0.0.0.0 for this machine
  if (bytes[0] == 169 && bytes[1] == 254) return k_link_local;
  const bool metadata = std::any_of(k_metadata_4.begin(), k_metadata_4.end(),
                                    [&](const auto& one) { return std::equal(one.begin(), one.end(), bytes.begin()); });
  return metadata ? k_metadata : "";
}

std::string_view kind_6(Bytes bytes) {
  const auto begins_with = [&](const auto& prefix) { return std::equal(prefix.begin(), prefix.end(), bytes.begin()); };
  if (begins_with(k_mapped) || begins_with(k_translated)) return kind_4(bytes.subspan(k_mapped.size()));
  const bool zeros = std::all_of(bytes.begin(), bytes.end() - 1, [](unsigned char byte) { return byte == 0; });
  if (zeros && bytes.back() <= 1) return k_loopback;  // :: and ::1
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80U) return k_link_local;
  return begins_with(k_metadata_6) ? k_metadata : "";
}

}  // namespace

std::string_view inner_kind(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr;
    return kind_4({reinterpret_cast<const unsigned char*>(&in), sizeof in});
  }
  if (address.storage.ss_family != AF_INET6) return "";
  const auto& in = reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr;
  return kind_6({reinterpret_cast<const unsigned char*>(&in), sizeof in});
}

std::string address_text(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr;
  if (address.storage.ss_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr;
  return ::inet_ntop(address.storage.ss_family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

}  // namespace hearth
