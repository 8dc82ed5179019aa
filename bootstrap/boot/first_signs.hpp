// What is heard of a machine's own system once the conductor has done its part: its agent's first question for
// metadata, and how each of its deployments ended. They become events of its node, so that its way is told to the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/conductor/conductor.hpp"

namespace hearth::bootstrap {

class FirstSigns {
 public:
  /// `last_asked(SERVER)`: when its agent asked last, 0 = never since the start.
  FirstSigns(Conductor& conductor, std::function<std::int64_t(const std::string&)> last_asked)
      : conductor_(conductor), last_asked_(std::move(last_asked)) {}
  /// May be called in the midst of an engine's step; it is told by the next look().
  void deployment_ended(const std::string& server, const std::string& name, bool failed);
  /// To be called once a second.
  void look();

 private:
  [[nodiscard]] bool was_told(const Node& node) const;

  Conductor& conductor_;
  std::function<std::int64_t(const std::string&)> last_asked_;
  std::set<std::pair<std::string, std::string>> heard_;    ///< node and server
  std::map<std::string, std::vector<std::string>> ended_;  ///< what is to be told of a server
};

}  // namespace hearth::bootstrap
