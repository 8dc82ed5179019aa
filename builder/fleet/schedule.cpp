#include "builder/fleet/schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hearth::builder {

Schedule::Schedule(const StepGraph& graph, std::vector<ImageNeeds> needs, FleetLimits limits)
    : graph_(graph),
      needs_(std::move(needs)),
      limits_(limits),
      states_(needs_.size(), State::waiting),
      stored_(needs_.size()),
      keeps_(needs_.size(), std::numeric_limits<std::size_t>::max()),
      reserved_(needs_.size()) {}

std::size_t Schedule::running() const {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), State::running));
}

std::size_t Schedule::waiting() const {
  return static_cast<std::size_t>(std::count(states_.begin(), states_.end(), State::waiting));
}

/// How many of the image's first steps it would find in layers that this run has seen.
std::size_t Schedule::in_layers(std::size_t image) const {
  std::size_t steps = 0;
  for (std::size_t other = 0; other < states_.size(); ++other) {
    steps = std::max(steps, std::min(graph_.common(image, other), stored_[other]));
  }
  return steps;
}

/// Behind these another image has not kept, or will not keep, steps in common with this one: no use to wait for them.
std::size_t Schedule::can_be_kept(std::size_t image) const {
  std::size_t steps = graph_.images()[image].keys.size();
  for (std::size_t other = 0; other < states_.size(); ++other) {
    const std::size_t kept = states_[other] == State::built ? stored_[other] : keeps_[other];
    if (graph_.common(image, other) > kept) steps = std::min(steps, kept);
  }
  return steps;
}

/// One recording of a lock at a time; who reads it waits for those that stand before him.
bool Schedule::is_held_by_lock(std::size_t image, std::size_t other) const {
  if (!needs_[other].writes_lock || needs_[image].lock != needs_[other].lock) return false;
  return states_[other] == State::running ||
         (!needs_[image].writes_lock && other < image && states_[other] == State::waiting);
}

/// The first image that this one has to wait for.
std::optional<std::size_t> Schedule::waits_for(std::size_t image) const {
  const std::size_t there = in_layers(image);
  const std::size_t useful = can_be_kept(image);
  for (std::size_t other = 0; other < states_.size(); ++other) {
    if (is_held_by_lock(image, other)) return other;
    if (states_[other] != State::running) continue;
    if (std::min(graph_.common(image, other), useful) > there) return other;
  }
  return std::nullopt;
}

std::map<std::size_t, std::size_t> Schedule::awaited() const {
  std::map<std::size_t, std::size_t> waiting;
  for (std::size_t image = 0; image < states_.size(); ++image) {
    if (states_[image] != State::waiting) continue;
    if (const auto other = waits_for(image)) ++waiting[*other];
  }
  return waiting;
}

/// By its own last build, else by that of the image that is most like it; a quarter more, since trees grow.
std::uint64_t Schedule::expected_memory(std::size_t image) const {
  std::optional<std::uint64_t> known = needs_[image].memory;
  std::size_t nearest = 0;
  for (std::size_t other = 0; !needs_[image].memory && other < states_.size(); ++other) {
    if (!needs_[other].memory || graph_.common(image, other) <= nearest) continue;
    nearest = graph_.common(image, other);
    known = needs_[other].memory;
  }
  return (known ? *known + *known / 4 : needs_[image].usual_memory) + k_memory_of_programs;
}

std::optional<Schedule::Start> Schedule::next() {
  const std::size_t running = this->running();
  if (running >= limits_.jobs) return std::nullopt;
  const std::uint64_t taken = std::accumulate(reserved_.begin(), reserved_.end(), std::uint64_t{0});
  for (std::size_t image = 0; image < states_.size(); ++image) {
    if (states_[image] != State::waiting || waits_for(image)) continue;
    const std::uint64_t memory = expected_memory(image);
    const bool is_on_disk = memory > limits_.memory;
    const std::uint64_t part = is_on_disk ? k_memory_of_programs : memory;
    if (running > 0 && taken + part > limits_.memory) continue;
    states_[image] = State::running;
    reserved_[image] = part;
    return Start{image, is_on_disk ? 0 : limits_.memory};
  }
  return std::nullopt;
}

void Schedule::postpone(std::size_t image) {
  states_[image] = State::waiting;
  reserved_[image] = 0;
  limits_.jobs = std::max<std::size_t>(1, running());
}

/// 0 for a step that is not planned: an element may have changed since.
std::size_t Schedule::steps_up_to(std::size_t image, const std::string& last_step) const {
  const std::vector<std::string>& labels = graph_.images()[image].labels;
  const auto found = std::find(labels.begin(), labels.end(), last_step);
  return found == labels.end() ? 0 : static_cast<std::size_t>(found - labels.begin()) + 1;
}

void Schedule::stored(std::size_t image, const std::string& last_step) {
  stored_[image] = std::max(stored_[image], steps_up_to(image, last_step));
}

void Schedule::keeps_up_to(std::size_t image, const std::string& last_step) {
  keeps_[image] = std::min(keeps_[image], steps_up_to(image, last_step));
}

void Schedule::ended(std::size_t image, End end, std::optional<std::uint64_t> memory) {
  states_[image] = end == End::built ? State::built : end == End::unchanged ? State::unchanged : State::failed;
  reserved_[image] = 0;
  if (memory) needs_[image].memory = memory;
}

}  // namespace hearth::builder
