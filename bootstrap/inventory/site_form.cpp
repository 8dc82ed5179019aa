#include "bootstrap/inventory/site_form.hpp"

#include <map>

#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// "address" of a machine's bmc → "pm_addr"; keys of drivers keep their names.
std::string management_key(const std::string& key) {
  static const std::map<std::string, std::string> names = {{"type", "pm_type"}, {"address", "pm_addr"},
                                                           {"user", "pm_user"}, {"password", "pm_password"},
                                                           {"port", "pm_port"}, {"system", "pm_system_id"}};
  const auto known = names.find(key);
  return known == names.end() ? key : known->second;
}

void take_bmc(const ListingEntry& from, Json& out, std::map<std::string, Position>& places) {
  if (!from.data.is_object() || !from.data.contains("bmc") || !from.data["bmc"].is_object()) return;
  for (const auto& [key, value] : from.data["bmc"].items()) {
    const std::string own = management_key(key);
    out[own] = value;
    places[own] = from.place(cat("bmc.", key));
  }
}

std::string capabilities_of(const Json& data) {
  // Where the file says nothing, the machine boots as its BMC has it: many have no legacy boot.
  const std::string firmware = text_in(data, "firmware");
  const std::string text = cat(firmware.empty() ? "" : cat("boot_mode:", firmware, ","), "boot_option:local");
  const std::string profile = text_in(data, "profile");
  return profile.empty() ? text : cat(text, ",profile:", profile);
}

}  // namespace

const std::vector<std::string>& site_inventory_keys() {
  static const std::vector<std::string> keys = {"name",    "mac", "firmware",    "profile",
                                                "address", "bmc", "root_device", "x_seed"};
  return keys;
}

void from_site_form(ListingEntry& entry, const ListingEntry& defaults) {
  if (!entry.data.is_object()) return;
  const Json data = entry.data;
  Json out = Json::object();
  if (data.contains("name")) out["name"] = data["name"];
  out["arch"] = "x86_64";
  if (data.contains("mac")) {
    out["mac"] = data["mac"].is_array() ? data["mac"] : Json::array({data["mac"]});
    if (!data["mac"].is_array()) entry.places["mac[0]"] = entry.place("mac");
  }
  out["capabilities"] = capabilities_of(data);
  take_bmc(defaults, out, entry.places);
  take_bmc(entry, out, entry.places);
  if (!out.contains("pm_type")) {
    static constexpr const char* k_missing =
        "bmc.type is missing: how it is switched (bmc: {type: ipmi, address: …, user: …, password: …}; redfish; "
        "manual-management: by hand)";
    entry.faults.emplace_back("bmc", k_missing);
  }
  if (data.contains("root_device")) out["root_device"] = data["root_device"];
  Json seed = data.contains("x_seed") ? data["x_seed"] : Json::object();
  if (data.contains("address") && seed.is_object()) seed["ipv4_address"] = data["address"];
  if (!seed.is_object() || !seed.empty()) out["x_seed"] = seed;
  entry.data = std::move(out);
}

}  // namespace hearth::bootstrap
