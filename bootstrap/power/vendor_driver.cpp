#include "bootstrap/power/vendor_driver.hpp"

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

using Reason = PowerFault::Reason;

/// "https://bmc:443/x" → "bmc": IPMI has another port.
std::string host_of_bmc(const std::string& address) {
  const Result<Url> url = parse_url(address.find("://") == std::string::npos ? cat("https://", address) : address);
  return url ? url->host : address;
}

}  // namespace

std::string VendorDriver::address(const Node& node) const {
  return node.info(cat(prefix_, "_address"), node.info("redfish_address", node.info("ipmi_address")));
}

Node VendorDriver::as(const Node& node, const std::string& driver) const {
  Node other = node;
  other.driver = driver;
  for (const char* key : {"_username", "_password", "_system_id", "_verify_ca"}) {
    const std::string own = node.info(prefix_ + key);
    if (!own.empty() && node.info(driver + key).empty()) other.driver_info[driver + key] = own;
  }
  const std::string port = node.info(prefix_ + "_port");  // IPMI has another
  if (driver == "redfish" && !port.empty() && node.info("redfish_port").empty())
    other.driver_info["redfish_port"] = port;
  if (node.info(driver + "_address").empty())
    other.driver_info[driver + "_address"] = driver == "ipmi" ? host_of_bmc(address(node)) : address(node);
  return other;
}

std::vector<std::string> VendorDriver::missing(const Node& node) const {
  if (address(node).empty()) return {cat(prefix_, "_address is missing: the address of the BMC.")};
  return redfish_.missing(as(node, "redfish"));
}

void VendorDriver::ask(const Node& node, const Call& call) {
  const std::string at = address(node);
  const auto known = [&] {
    const std::lock_guard lock(mutex_);
    return by_ipmi_.contains(at);
  };
  if (known()) {
    try {
      return call(ipmi_, as(node, "ipmi"));
    } catch (const PowerFault& fault) {
      if (fault.reason() != Reason::unreachable) throw;
      const std::lock_guard lock(mutex_);
      by_ipmi_.erase(at);  // it may have been replaced
      throw;
    }
  }
  try {
    call(redfish_, as(node, "redfish"));
  } catch (const PowerFault& fault) {
    if (fault.reason() == Reason::refused || fault.reason() == Reason::busy) throw;
    try {
      call(ipmi_, as(node, "ipmi"));
    } catch (const PowerFault& other) {
      throw PowerFault(other.reason() == Reason::refused ? Reason::refused : fault.reason(),
                       cat("by Redfish: ", fault.what(), "; by IPMI: ", other.what()));
    }
    if (fault.reason() == Reason::unsupported) return;  // its Redfish works, and only lacks this
    const std::lock_guard lock(mutex_);
    by_ipmi_.insert(at);
  }
}

Power VendorDriver::state(const Node& node) {
  Power found = Power::unknown;
  ask(node, [&found](PowerDriver& driver, const Node& as) { found = driver.state(as); });
  return found;
}

void VendorDriver::set(const Node& node, PowerAction action) {
  ask(node, [action](PowerDriver& driver, const Node& as) { driver.set(as, action); });
}

void VendorDriver::set_boot_device(const Node& node, const std::string& device, bool persistent) {
  ask(node, [&](PowerDriver& driver, const Node& as) { driver.set_boot_device(as, device, persistent); });
}

std::optional<BootDevice> VendorDriver::boot_device(const Node& node) {
  std::optional<BootDevice> found;
  ask(node, [&found](PowerDriver& driver, const Node& as) { found = driver.boot_device(as); });
  return found;
}

Firmware VendorDriver::firmware(const Node& node) {
  Firmware found;
  ask(node, [&found](PowerDriver& driver, const Node& as) { found = driver.firmware(as); });
  return found;
}

void VendorDriver::set_boot_mode(const Node& node, const std::string& mode) {
  ask(node, [&mode](PowerDriver& driver, const Node& as) { driver.set_boot_mode(as, mode); });
}

void VendorDriver::set_secure_boot(const Node& node, bool on) {
  ask(node, [on](PowerDriver& driver, const Node& as) { driver.set_secure_boot(as, on); });
}

void VendorDriver::set_bios(const Node& node, const Json& settings) {
  ask(node, [&settings](PowerDriver& driver, const Node& as) { driver.set_bios(as, settings); });
}

void VendorDriver::reset_bios(const Node& node) {
  ask(node, [](PowerDriver& driver, const Node& as) { driver.reset_bios(as); });
}

RaidHardware VendorDriver::raid(const Node& node) {
  RaidHardware found;
  ask(node, [&found](PowerDriver& driver, const Node& as) { found = driver.raid(as); });
  return found;
}

BmcOrder VendorDriver::create_volume(const Node& node, const VolumeWish& wish) {
  BmcOrder made;
  ask(node, [&](PowerDriver& driver, const Node& as) { made = driver.create_volume(as, wish); });
  return made;
}

BmcOrder VendorDriver::delete_volume(const Node& node, const Volume& volume) {
  BmcOrder made;
  ask(node, [&](PowerDriver& driver, const Node& as) { made = driver.delete_volume(as, volume); });
  return made;
}

BmcOrder VendorDriver::update_firmware(const Node& node, const FirmwareImage& image) {
  BmcOrder made;
  ask(node, [&](PowerDriver& driver, const Node& as) { made = driver.update_firmware(as, image); });
  return made;
}

BmcTask VendorDriver::task(const Node& node, const std::string& path) {
  BmcTask found;
  ask(node, [&](PowerDriver& driver, const Node& as) { found = driver.task(as, path); });
  return found;
}

std::vector<std::string> VendorDriver::tasks(const Node& node) {
  std::vector<std::string> found;
  ask(node, [&](PowerDriver& driver, const Node& as) { found = driver.tasks(as); });
  return found;
}

void VendorDriver::inject_nmi(const Node& node) {
  ask(node, [](PowerDriver& driver, const Node& as) { driver.inject_nmi(as); });
}

}  // namespace hearth::bootstrap
