// NodeIndex: where nodes are found, and which of them have work, without looking at all of them: a hall has 100,000,
// and each packet and each tick asks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

class NodeIndex {
 public:
  /// In place of what was known of the UUID.
  void put(const Node& node);
  void remove(const std::string& uuid);

  using Keys = std::set<std::pair<std::string, std::string>>;  ///< a word, and the UUID of who has it
  [[nodiscard]] const Keys& names() const { return names_; }
  [[nodiscard]] const Keys& macs() const { return macs_; }
  [[nodiscard]] const Keys& ports() const { return ports_; }  ///< UUIDs of ports
  /// UUIDs of nodes that have a job.
  [[nodiscard]] const std::set<std::string>& with_job() const { return with_job_; }
  /// UUIDs of nodes for which is_to_be_switched() holds.
  [[nodiscard]] const std::set<std::string>& to_be_switched() const { return to_be_switched_; }
  /// UUIDs in the order of lists: those that were created first, of the same time by UUID.
  [[nodiscard]] const std::set<std::pair<Stamp, std::string>>& by_age() const { return by_age_; }

 private:
  struct Words {
    std::string name;
    Stamp created = 0;
    std::vector<std::string> macs, ports;
  };
  std::map<std::string, Words> known_;
  Keys names_, macs_, ports_;
  std::set<std::string> with_job_, to_be_switched_;
  std::set<std::pair<Stamp, std::string>> by_age_;
};

}  // namespace hearth::bootstrap
