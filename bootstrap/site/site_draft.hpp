// A site file that is yet to be written: what `hearth site new` has gathered, and its text. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

struct SiteDraft {
  std::string subnet, seed, pool, router, interface;
  std::vector<std::string> dns, ntp;
  std::string kernel = "deploy.kernel";
  std::string ramdisk = "deploy.initramfs";
  std::string image = "node.qcow2";
  std::string seed_image = "seed.qcow2";
  std::string template_file;        ///< empty: the file tells where it goes
  Json bmc = Json::object();        ///< what holds for the BMCs of all machines
  std::vector<Json> machines = {};  ///< with the keys of a site file
};

/// The file, with words for who edits it.
[[nodiscard]] std::string site_text(const SiteDraft& draft);

/// The seed's usual address in a network, and the usual pool; empty for what is no network.
[[nodiscard]] std::string usual_seed(const std::string& subnet);
[[nodiscard]] std::string usual_pool(const std::string& subnet);

/// Names of machines by what they have that a site file has no word for: "traits", "extra.role", "capabilities hci:1".
using LeftOut = std::map<std::string, std::vector<std::string>>;

/// An inventory's entry with the keys of a site file.
[[nodiscard]] Json site_machine(const ListingEntry& entry, LeftOut& left_out);
/// A line for each, with the option of `hearth node set` that sets it once the machines are imported.
[[nodiscard]] std::vector<std::string> left_out_lines(const LeftOut& left_out);

/// What is wrong with a pair of a BMC's ("usr", "admin"), with the nearest right thing; empty where nothing is.
[[nodiscard]] std::string bmc_fault(const std::string& key, const std::string& value);

/// "name=control1,mac=52:54:00:00:00:01,bmc.address=198.51.100.1" → a machine; the error says what is wrong.
[[nodiscard]] Result<Json, std::string> parse_machine_words(const std::string& text);

}  // namespace hearth::bootstrap
