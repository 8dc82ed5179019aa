#include "bootstrap/deploy/live_picture.hpp"

#include <unistd.h>

#include "base/cli/print.hpp"
#include "base/progress.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

std::vector<std::string> waits_of(StackSide& stack, const NodeSide::Standing& machines) {
  return machines.waits.empty() ? stack.waits() : machines.waits;
}

LivePicture::LivePicture(const Clock& clock, const std::string& stack)
    : clock_(clock),
      is_on_(is_live_terminal(STDERR_FILENO, current_environment())),
      style_(progress_style(current_environment(), true)),
      began_(clock.now()) {
  step_.name = cat("stack ", stack);
}

LivePicture::~LivePicture() {
  if (is_on_) cli::show_live("");
}

void LivePicture::draw(StackSide& stack, NodeSide& nodes) {
  if (!is_on_) return;
  if (clock_.now() >= next_) ask(stack, nodes);
  step_.elapsed = clock_.now() - began_;
  cli::show_live(live_line(step_, frame_++, LiveLines(STDERR_FILENO).room().columns, style_));
}

void LivePicture::ask(StackSide& stack, NodeSide& nodes) {
  const StackSide::Standing resources = stack.standing();
  const NodeSide::Standing machines = nodes.standing();
  const std::vector<std::string> waits = waits_of(stack, machines);
  step_.index = resources.complete;
  step_.total = resources.all;
  std::vector<std::string> parts;
  if (machines.all() > 0)
    parts.push_back(
        cat(machines.active, " of ", machines.all(), machines.all() == 1 ? " machine" : " machines", " in use"));
  if (!waits.empty()) parts.push_back(waits.front());
  step_.last_line = join(parts, "; ");
  constexpr std::size_t k_large = 500;  // resources
  next_ = clock_.now() + std::chrono::seconds(resources.all > k_large ? 10 : 2);
}

}  // namespace hearth::bootstrap
