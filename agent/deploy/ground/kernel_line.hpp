// What the kernel command line tells the agent. The names are ironic-python-agent's, so that any conductor's boot
// configuration works; those that begin with hearth- are ours.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::agent::deploy {

/// NAME and VALUE
using KernelWord = std::pair<std::string, std::string>;

/// NAME=VALUE words of a kernel command line; a word without "=" has an empty value. Double quotes hold blanks
/// together.
[[nodiscard]] std::vector<KernelWord> kernel_words(std::string_view line);
/// The same by their names: of several the last one holds.
[[nodiscard]] std::map<std::string, std::string> parse_kernel_line(std::string_view line);

struct Settings {
  std::vector<std::string> api_urls;    ///< ipa-api-url, without a slash at the end; tried in order
  std::string inspection_url;           ///< ipa-inspection-callback-url; empty = inspection is not reported
  std::string boot_mac;                 ///< BOOTIF, as aa:bb:cc:dd:ee:ff; empty when not given
  std::string interface;                ///< ipa-network-interface
  std::string advertise_host;           ///< ipa-advertise-host; empty = the address that reaches the API
  std::uint16_t listen_port = 9999;     ///< ipa-listen-port
  std::uint16_t advertise_port = 9999;  ///< ipa-advertise-port
  bool plain = false;                   ///< ipa-advertise-protocol=http: orders come without TLS
  std::string token;                    ///< ipa-agent-token (virtual media)
  std::string image_key;                ///< hearth-image-key: only images signed with it are written
  std::string node_uuid;                ///< hearth-node: known before the look-up
  std::string api_pin;                  ///< hearth-api-pin: SHA-256 of the conductor's public key, trusted alone
  bool insecure = false;      ///< ipa-insecure, without the word hearth-api-pin: certificates are not verified
  bool collect_lldp = false;  ///< ipa-collect-lldp
  std::string time_server;    ///< ipa-ntp-server: asked before those that DHCP names
  std::chrono::seconds lookup_timeout{600};
  std::chrono::seconds lookup_interval{1};
  int disk_wait_attempts = 10;
  std::chrono::seconds disk_wait_delay{3};
};

/// Unknown words are no concern of ours; values that make no sense are as if they were not there.
[[nodiscard]] Settings settings_of(const std::map<std::string, std::string>& words);

/// BOOTIF's two forms (01-aa-bb-cc-dd-ee-ff and aa:bb:cc:dd:ee:ff) as the latter; empty when it is neither.
[[nodiscard]] std::string mac_of_bootif(std::string_view value);

}  // namespace hearth::agent::deploy
