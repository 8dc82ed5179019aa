// What `hearth deploy` shows while it works, on a terminal: one line below the events, of how far it is.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/progress_text.hpp"
#include "bootstrap/deploy/node_side.hpp"
#include "bootstrap/deploy/stack_side.hpp"

namespace hearth::bootstrap {

/// What is waited for: nodes that become servers, else what has to answer on them.
[[nodiscard]] std::vector<std::string> waits_of(StackSide& stack, const NodeSide::Standing& machines);

/// How much of the stack is complete, how many machines are in use, for how long, and what is waited for. Where
/// standard error is no terminal nothing is drawn: lines tell it there (WaitLines).
class LivePicture {
 public:
  LivePicture(const Clock& clock, const std::string& stack);
  LivePicture(const LivePicture&) = delete;
  LivePicture& operator=(const LivePicture&) = delete;
  ~LivePicture();
  [[nodiscard]] bool is_on() const { return is_on_; }
  /// To be called each moment; the services are asked every other second, of large stacks more seldom.
  void draw(StackSide& stack, NodeSide& nodes);

 private:
  void ask(StackSide& stack, NodeSide& nodes);

  const Clock& clock_;
  bool is_on_;
  ProgressStyle style_;
  MonotonicTime began_;
  MonotonicTime next_{};
  RunningStep step_;
  std::size_t frame_ = 0;
};

}  // namespace hearth::bootstrap
