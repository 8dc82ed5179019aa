// A machine of an inventory file as it goes into the database: checked, with everything under its name there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/inventory/listing.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// What one entry says of a node. Objects hold only what the file supplies.
struct NodeDraft {
  std::size_t index = 0;  ///< in the file, from 0
  std::string uuid, name, driver;
  std::string in_use;         ///< what says so in its file; else empty
  std::string shared_bmc;     ///< of its file's other entries, too, so that its address was left out; else empty
  std::string management_id;  ///< what its management is known by; may be empty
  Json driver_info = Json::object();
  Json properties = Json::object();
  Json extra = Json::object();
  Json fields = Json::object();
  std::vector<Port> ports;  ///< without UUIDs
  [[nodiscard]] std::string info(std::string_view key) const;
};

struct Fault {
  static constexpr std::size_t k_no_node =
      static_cast<std::size_t>(-1);  ///< the file's as a whole, such as a heading's
  std::size_t index = 0;
  std::string text;
  Position at;
};

/// "node #7 (srv-b2)", as people find it in a list and in a table.
[[nodiscard]] std::string node_label(std::size_t index, std::string_view name);

/// "FILE:LINE:COLUMN: node #INDEX (NAME): TEXT", a line each.
[[nodiscard]] std::string faults_text(const std::vector<Fault>& faults, const std::vector<ListingEntry>& entries,
                                      std::string_view source);

/// What is to be said of one entry, or of many alike.
struct EntryWarning {
  std::size_t index = 0;
  int line = 0;  ///< 0: its form has no lines
  std::string name, text;
};

struct Drafts {
  std::vector<NodeDraft> nodes;
  std::vector<std::string> warnings;  ///< "node #0 (a): …"; one for all where many have the same
  std::vector<Fault> faults;
  [[nodiscard]] bool good() const { return faults.empty(); }
};

/// "node #3 (b): it stands where node #0 (a) does: rack C, slot 10". No fault: a chassis may have several.
[[nodiscard]] std::vector<std::string> shared_places(const std::vector<ListingEntry>& entries);

/// Whether each must say how its BMC is reached, or may become a node that is only enrolled, as in Ironic.
enum class Completeness { reachable, enrolled };

/// Checks all entries, each on its own and against each other, and gives what becomes of them.
[[nodiscard]] Drafts draft_nodes(const std::vector<ListingEntry>& entries,
                                 Completeness completeness = Completeness::reachable);

/// "its BMC has a user and no password; is a cell empty?", by what its driver is told of it; IPMI without either is
/// told of, too. Else empty.
[[nodiscard]] std::string lacking_login(const std::string& driver, const Json& driver_info);
/// "node #0 (a): its BMC has a user and no password; is a cell empty?", one for all where many have none.
[[nodiscard]] std::vector<std::string> missing_passwords(const std::vector<NodeDraft>& drafts);

/// The further checks of the field's `instackenv validate`: users, passwords and MACs that are missing or empty, one
/// BMC for two machines.
[[nodiscard]] std::vector<Fault> environment_faults(const std::vector<ListingEntry>& entries);

}  // namespace hearth::bootstrap
