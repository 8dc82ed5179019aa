#include "agent/deploy/ground/kernel_line.hpp"

#include <algorithm>
#include <limits>

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

using Words = std::map<std::string, std::string>;

std::string word_text(const Words& words, const char* name) {
  const auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

bool flag_of(const Words& words, const char* name) {
  const auto found = words.find(name);
  if (found == words.end()) return false;
  const std::string value = to_lower(found->second);
  return value.empty() || value == "1" || value == "true" || value == "yes" || value == "on";
}

std::uint64_t number_of(const Words& words, const char* name, std::uint64_t otherwise, std::uint64_t most) {
  const auto value = parse_number(word_text(words, name));
  return value && *value <= most ? *value : otherwise;
}

/// Nobody is found at port 0.
std::uint16_t port_of(const Words& words, const char* name, std::uint16_t otherwise) {
  const std::uint64_t port = number_of(words, name, otherwise, 65535);
  return port == 0 ? otherwise : static_cast<std::uint16_t>(port);
}

std::vector<std::string> api_urls_of(const Words& words) {
  std::vector<std::string> urls;
  for (const char* name : {"ipa-api-url", "hearth-api-url"}) {
    for (const std::string& url : split(word_text(words, name), ',')) {
      if (!trim(url).empty()) urls.push_back(without_slash(std::string(trim(url))));
    }
  }
  return urls;
}

}  // namespace

std::vector<KernelWord> kernel_words(std::string_view line) {
  std::vector<KernelWord> words;
  std::string word;
  bool quoted = false;
  const auto end_word = [&] {
    const std::size_t equals = word.find('=');
    if (!word.empty())
      words.emplace_back(word.substr(0, equals), equals == std::string::npos ? "" : word.substr(equals + 1));
    word.clear();
  };
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n')) {
      end_word();
    } else {
      word.push_back(c);
    }
  }
  end_word();
  return words;
}

Words parse_kernel_line(std::string_view line) {
  Words words;
  for (auto& [name, value] : kernel_words(line)) words[name] = value;
  return words;
}

std::string mac_of_bootif(std::string_view value) {
  std::string mac = to_lower(value);
  std::replace(mac.begin(), mac.end(), '-', ':');
  if (mac.size() == 20 && mac.rfind("01:", 0) == 0) mac.erase(0, 3);
  if (mac.size() != 17) return "";
  for (std::size_t i = 0; i < mac.size(); ++i) {
    const bool fits =
        i % 3 == 2 ? mac[i] == ':' : std::string_view("0123456789abcdef").find(mac[i]) != std::string_view::npos;
    if (!fits) return "";
  }
  return mac;
}

Settings settings_of(const Words& words) {
  constexpr std::uint64_t day = 86400;
  Settings settings;
  settings.api_urls = api_urls_of(words);
  settings.inspection_url = word_text(words, "ipa-inspection-callback-url");
  settings.boot_mac = mac_of_bootif(word_text(words, "BOOTIF"));
  settings.interface = word_text(words, "ipa-network-interface");
  settings.advertise_host = word_text(words, "ipa-advertise-host");
  settings.listen_port = port_of(words, "ipa-listen-port", 9999);
  settings.advertise_port = port_of(words, "ipa-advertise-port", settings.listen_port);
  settings.plain = to_lower(word_text(words, "ipa-advertise-protocol")) == "http";
  settings.token = word_text(words, "ipa-agent-token");
  settings.image_key = to_lower(word_text(words, "hearth-image-key"));
  settings.node_uuid = word_text(words, "hearth-node");
  settings.api_pin = to_lower(word_text(words, "hearth-api-pin"));
  settings.insecure =
      !words.contains("hearth-api-pin") && flag_of(words, "ipa-insecure");  // beside a pin, for other ramdisks
  settings.collect_lldp = flag_of(words, "ipa-collect-lldp");
  settings.time_server = word_text(words, "ipa-ntp-server");
  settings.lookup_timeout = std::chrono::seconds(number_of(words, "ipa-lookup-timeout", 600, day));
  settings.lookup_interval = std::chrono::seconds(number_of(words, "ipa-lookup-interval", 1, day));
  settings.disk_wait_attempts = static_cast<int>(number_of(words, "ipa-disk-wait-attempts", 10, 1000));
  settings.disk_wait_delay = std::chrono::seconds(number_of(words, "ipa-disk-wait-delay", 3, day));
  return settings;
}

}  // namespace hearth::agent::deploy
