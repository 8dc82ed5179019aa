// The nodes of a deployment, at the conductor: each server of the stack gets one, which is deployed with what belongs
// to the server, and reported to the engine when it is active, or when it won't be.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/deploy/stack_side.hpp"

namespace hearth::bootstrap {

class NodeSide {
 public:
  struct Settings {
    std::string stack;
    std::string image;  ///< of servers that name none
  };
  NodeSide(ConductorClient& conductor, StackSide& stack, Settings settings, TellNews tell)
      : conductor_(conductor), stack_(stack), settings_(std::move(settings)), tell_(std::move(tell)) {}

  /// Events that were there before are not told.
  void begin();
  /// Throws Error where the image of servers that name none is not registered: before there is a stack that would fail.
  void check_image();
  /// One look at all servers and nodes, and what follows from it. Throws Error.
  void step();
  void tell_events();
  /// Those of the stack: how many are in use, and what the others are about.
  struct Standing {
    std::size_t active = 0;
    std::vector<std::string> waits;
    [[nodiscard]] std::size_t all() const { return active + waits.size(); }
  };
  [[nodiscard]] Standing standing();
  /// Ironic's table of the nodes.
  [[nodiscard]] std::string table();
  /// Nodes of servers that the stack has no longer are taken out of use.
  void release_leftovers();

 private:
  void tell_milestone(const Json& nodes);
  void look_at(const Json& server, const Json& node);
  void start(const Json& server, const Json& node);
  void fail(const Json& server, const std::string& why);
  [[nodiscard]] Json image_info(const Json& server, const Json& before);
  [[nodiscard]] Json registered_image(const std::string& image, const std::string& wanted_by);
  [[nodiscard]] Json role_of_node(const Json& node);

  ConductorClient& conductor_;
  StackSide& stack_;
  Settings settings_;
  TellNews tell_;
  std::set<std::string> started_;  ///< servers whose node was told to deploy by this run
  std::size_t shown_ = 0;          ///< how many they were when the table was told last
  std::set<std::string> reported_;
  std::map<std::string, std::string> waits_;  ///< what was last told of servers that wait for a node
  std::int64_t last_event_ = 0;
};

}  // namespace hearth::bootstrap
