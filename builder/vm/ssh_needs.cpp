#include "builder/vm/ssh_needs.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

constexpr std::array<std::string_view, 4> k_servers = {"openssh-server", "dropbear", "dropbear-bin", "tinysshd"};
constexpr std::string_view k_manager = "systemd";
constexpr std::uint64_t k_least_systemd = 252;  ///< takes a key that the machine is started with

/// "247.3-7+deb11u4" → 247; 0 where it begins with no number.
std::uint64_t first_number(const std::string& version) {
  const std::string digits = version.substr(0, std::min(version.find_first_not_of("0123456789"), version.size()));
  return parse_number(digits).value_or(0);
}

}  // namespace

SshLack ssh_lack(const Json& manifest) {
  const Json& packages = member_or_null(manifest, "packages");
  const bool is_whole = text_member(manifest, "unlisted").empty();
  if (!packages.is_array() || packages.empty() || !is_whole) return {};
  bool has_server = false;
  bool has_manager = false;
  std::uint64_t systemd = 0;
  for (const Json& package : packages) {
    const std::string name = text_member(package, "package");
    has_server = has_server || std::find(k_servers.begin(), k_servers.end(), name) != k_servers.end();
    if (name != k_manager) continue;
    has_manager = true;
    systemd = first_number(text_member(package, "version"));
  }
  if (!has_server) {
    return {cat("it has no ssh server: none of its ", packages.size(), " packages is one"),
            "add the element openssh-server, and build the image again: hearth image create -o NAME … openssh-server",
            false};
  }
  if (!has_manager || (systemd != 0 && systemd < k_least_systemd)) {
    return {cat("it has ", has_manager ? cat("systemd ", systemd) : std::string("no systemd"),
                ", and the key is handed over to systemd ", k_least_systemd, " or newer"),
            "take a newer release (Debian 12), or put a key of your own into the image, and log in by image boot --ssh",
            true};
  }
  return {.what = {}, .advice = {}, .has_server = true};
}

std::string ssh_trouble(std::string_view said, bool has_server) {
  if (said.find("Permission denied") != std::string_view::npos) {
    return cat("the guest's ssh server does not take the key of this test: that needs systemd ", k_least_systemd,
               " in the image, and root's log-in by key");
  }
  if (has_server) {
    return "nothing answers at the guest's port 22, and the image has an ssh server: a first start makes its keys, and "
           "it listens once it has them";
  }
  return "nothing answers at the guest's port 22: has the image an ssh server that starts by itself? The element "
         "openssh-server adds one";
}

}  // namespace hearth::builder::vm
