// The checks of one inventory entry: every fault, with its place. Texts are those of the field's own validation where
// it has them.
#pragma once

#include <optional>

#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/inventory/drivers.hpp"

namespace hearth::bootstrap {

/// Collects the faults of an entry.
class EntryCheck {
 public:
  EntryCheck(const ListingEntry& entry, std::size_t index, Completeness completeness = Completeness::reachable)
      : entry_(entry), index_(index), completeness_(completeness) {}

  void all();
  [[nodiscard]] std::vector<Fault> take_faults() { return std::move(faults_); }
  [[nodiscard]] const std::vector<EntryWarning>& warnings() const { return warnings_; }
  /// Addresses that are good, as aa:bb:cc:dd:ee:ff, with their place.
  [[nodiscard]] const std::vector<std::pair<std::string, Position>>& macs() const { return macs_; }

 private:
  void fault(const std::string& path, std::string text);
  void warning(const std::string& path, const std::string& text);
  /// A node that is only enrolled; but one with neither card nor UUID a further import would not know again.
  [[nodiscard]] bool may_lack_bmc() const {
    return completeness_ == Completeness::enrolled &&
           (entry_.data.contains("mac") || entry_.data.contains("ports") || entry_.data.contains("uuid"));
  }
  void check_driver();
  void check_mandatory(const DriverRow& row);
  void check_known_keys(const DriverRow& row);
  void unknown_key(const DriverRow& row, const std::string& key);
  void check_address(const DriverRow& row);
  [[nodiscard]] std::string meant_field(const std::string& key) const;
  void check_name_and_uuid();
  void check_numbers();
  void check_capabilities();
  void check_shapes();
  void check_masks(const Json& value, const std::string& path, const std::string& key);
  void check_macs();
  void check_mac(const Json& value, const std::string& path);

  const ListingEntry& entry_;
  std::size_t index_;
  Completeness completeness_;
  std::vector<Fault> faults_;
  std::vector<EntryWarning> warnings_;
  std::vector<std::pair<std::string, Position>> macs_;
};

/// The field's interface keys and others that become a field of the node as they are.
[[nodiscard]] bool is_node_field(std::string_view key);
/// Whether some driver's entry may have it, and which of those is meant by one that no entry has; empty: none is near.
[[nodiscard]] bool is_entry_field(std::string_view key);
[[nodiscard]] std::string meant_entry_field(const std::string& key);
/// A whole number, written as one or as text.
[[nodiscard]] std::optional<std::int64_t> whole_number(const Json& value);

/// What an inventory may have, for editors: a JSON schema.
[[nodiscard]] std::string inventory_schema();

}  // namespace hearth::bootstrap
