// What is heard of a machine's own system once the conductor has done its part: its first DHCP request where this
// conductor serves its network, its agent's first question for metadata, and how each of its deployments ended. They
// become events of its node, so that its way is told to the end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bootstrap/conductor/conductor.hpp"

namespace hearth::bootstrap {

class FirstSigns {
 public:
  /// `last_asked(SERVER)`: when its agent asked last, in Unix seconds; 0 = never since the start.
  FirstSigns(Conductor& conductor, std::function<std::int64_t(const std::string&)> last_asked);
  /// May be called in the midst of an engine's step; it is told by the next look(). `status`: "CREATE_COMPLETE"; what
  /// is no end is passed over.
  void deployment_is(const std::string& server, const std::string& name, const std::string& status);
  /// To be called once a second. What could not be kept is told by the next one. It looks at nodes that have changed,
  /// and at up to 1,000 of those whose agent has never asked: a hall of such ones is heard of some seconds later.
  void look();

 private:
  /// Of a node, since it became active: who is deployed anew is heard of anew.
  struct Heard {
    Stamp active = 0;
    bool asked = false;
    bool addressed = false;
  };
  using Told = std::vector<std::pair<const Node*, std::string>>;
  [[nodiscard]] std::set<std::string> due();
  [[nodiscard]] Heard heard_now(const Node& node, Told& told) const;
  void keep(const std::set<std::string>& looked_at, const std::map<std::string, Heard>& heard);
  [[nodiscard]] bool has_asked(const Node& node) const;
  [[nodiscard]] bool was_told(const Node& node, const std::string& text) const;

  Conductor& conductor_;
  std::function<std::int64_t(const std::string&)> last_asked_;
  std::shared_ptr<std::set<std::string>> changed_;         ///< nodes, since the last look
  std::map<std::string, Heard> heard_;                     ///< of each active node
  std::set<std::string> silent_;                           ///< of them, those that have not asked
  std::string looked_at_;                                  ///< the last of these
  std::map<std::string, std::vector<std::string>> ended_;  ///< what is to be told of a server
};

}  // namespace hearth::bootstrap
