// A site in one file: its provisioning network, what its seed is, its machines with their BMCs, and the stack that they
// are to become. Read by seed, rehearsal, import, network boot and bundle. A value; pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/result.hpp"
#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

/// Kernel and ramdisk that machines are deployed with.
struct DeployRamdisk {
  fs::path kernel;
  fs::path ramdisk;
};

/// A machine of the site; as it is rehearsed it has nothing on its disk.
struct BlankMachine {
  std::string name;
  std::string mac;                ///< of the card that it boots from
  bool has_own_mac = false;       ///< else `mac` is one of ours, for rehearsals
  bool has_own_firmware = false;  ///< else `uefi` is a guess
  bool uefi = false;
  std::uint64_t memory_mib = 768;
  std::uint64_t disk_gib = 4;
  unsigned cpus = 1;
  std::string profile;  ///< the role that it is for; empty = any
  std::string address;  ///< fixed; empty = from the pool
  int line = 0;
};

struct StackFile {
  std::string name = "site";
  fs::path template_file;
  std::vector<fs::path> environments;
  std::map<std::string, std::string> parameters;
};

struct SiteFile {
  fs::path directory;  ///< of the file: where its relative paths begin
  std::string subnet;  ///< "192.0.2.0/24"
  std::string seed_address;
  std::string pool;  ///< "192.0.2.100-192.0.2.199"
  std::string router;
  std::vector<std::string> dns;
  std::vector<std::string> ntp;
  std::uint64_t lease_s = 3600;
  std::string interface;          ///< the seed's into that network, where its services run on a machine; may be empty
  std::string unknown = "local";  ///< what machines get that are no nodes: local, ignore
  bool proxy = false;             ///< another DHCP server gives the addresses
  fs::path seed_image;
  std::uint64_t seed_memory_mib = 768;
  DeployRamdisk deploy;
  fs::path image;  ///< what machines get on their disks
  std::vector<BlankMachine> machines;
  std::vector<ListingEntry> inventory;  ///< of each machine; those without a BMC have no pm_type
  StackFile stack;
};

/// All that is wrong is told at once, a line each: "site.yaml:7: machines[1].mac: …". Files are not looked for.
[[nodiscard]] Result<SiteFile, std::string> parse_site_file(std::string_view text, const fs::path& file);
/// Reads it. Throws Error.
[[nodiscard]] SiteFile load_site_file(const fs::path& file);
/// Whether its image is NAME@CHANNEL (builder/channels), and no file of that name is there.
[[nodiscard]] bool has_channel_image(const SiteFile& site);
/// "'old_1': letters, …": why a machine can't be called so; empty: it can.
[[nodiscard]] std::string machine_name_fault(std::string_view name);
/// Files that it names and that are not there, a line each with what to do; `with_seed_image` asks for the seed's, too.
[[nodiscard]] std::vector<std::string> missing_files(const SiteFile& site, bool with_seed_image);

/// Of "FIRST-LAST", where both are addresses: whether they stand the wrong way round. Empty where they don't.
[[nodiscard]] std::string order_fault(const std::string& pool);
/// What can be read and is hardly meant, a line each: a pool that holds the seed's address, a machine with its BMC's.
[[nodiscard]] std::vector<std::string> site_doubts(const SiteFile& site, const std::string& file);

/// What the file may have, for editors: a JSON schema.
[[nodiscard]] std::string site_schema();

}  // namespace hearth::bootstrap
