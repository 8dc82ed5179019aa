// NodeIndex: where nodes are found, and which of them have work, without looking at all of them: a hall has 100,000,
// and each packet and each tick asks.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// It may be given to whoever asks for a machine.
[[nodiscard]] bool is_available(const Node& node);
[[nodiscard]] bool has_console_on(const Node& node);

class NodeIndex {
 public:
  /// By which a machine's management is told from others; empty when nothing does.
  using ManagementOf = std::function<std::string(const Node&)>;
  explicit NodeIndex(ManagementOf management_of) : management_of_(std::move(management_of)) {}

  /// In place of what was known of the UUID.
  void put(const Node& node);
  void remove(const std::string& uuid);

  using Keys = std::unordered_multimap<std::string, std::string>;  ///< a word, and the UUID of who has it
  using OrderedKeys = std::set<std::pair<std::string, std::string>>;
  [[nodiscard]] const Keys& names() const { return names_; }
  [[nodiscard]] const Keys& macs() const { return macs_; }
  [[nodiscard]] const Keys& ports() const { return ports_; }  ///< UUIDs of ports
  [[nodiscard]] const Keys& instances() const { return instances_; }
  [[nodiscard]] const OrderedKeys& managements() const { return managements_; }
  [[nodiscard]] const Keys& places() const { return places_; }  ///< rack_place()
  [[nodiscard]] std::string management_of(const Node& node) const { return management_of_(node); }
  /// UUIDs of nodes that have a job.
  [[nodiscard]] const std::set<std::string>& with_job() const { return with_job_; }
  /// UUIDs of nodes for which is_to_be_switched() holds.
  [[nodiscard]] const std::set<std::string>& to_be_switched() const { return to_be_switched_; }
  /// UUIDs of nodes whose console is switched on.
  [[nodiscard]] const std::set<std::string>& with_console() const { return with_console_; }
  using Ages = std::set<std::pair<Stamp, std::string>>;
  /// UUIDs of nodes that may be allocated, and since when they are in their state.
  [[nodiscard]] const Ages& available() const { return available_; }
  /// UUIDs in the order of lists: those that were created first, of the same time by UUID.
  [[nodiscard]] const Ages& by_age() const { return by_age_; }
  /// Ports likewise: when they were created, whose they are, and which of his.
  using PortAges = std::set<std::tuple<Stamp, std::string, std::size_t>>;
  [[nodiscard]] const PortAges& ports_by_age() const { return ports_by_age_; }

 private:
  struct Words {
    std::string name, instance, management, place;
    Stamp created = 0;
    Stamp provision_updated = 0;
    PortAges port_ages;
    std::vector<std::string> macs, ports;
  };
  ManagementOf management_of_;
  std::unordered_map<std::string, Words> known_;
  Keys names_, macs_, ports_, instances_, places_;
  OrderedKeys managements_;
  std::set<std::string> with_job_, to_be_switched_, with_console_;
  Ages by_age_, available_;
  PortAges ports_by_age_;
};

/// Of one node.
[[nodiscard]] NodeIndex::PortAges port_ages(const Node& node);

}  // namespace hearth::bootstrap
