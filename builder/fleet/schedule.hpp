// Which image is to be built when. An image waits while a running one does steps for it that no finished one has left
// in a layer, and that it may still keep; while the processors are taken, and while its memory is. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builder/fleet/step_graph.hpp"

namespace hearth::builder {

/// What programs of a build take besides its work area.
inline constexpr std::uint64_t k_memory_of_programs = std::uint64_t{128} << 20U;

/// What is to be known of an image besides its steps.
struct ImageNeeds {
  std::optional<std::uint64_t> memory;  ///< bytes of its last build's work area; nothing = there was none
  std::uint64_t usual_memory = 0;       ///< taken for it where nobody knows
  std::string lock;                     ///< what a recording writes and others are held to; empty = none
  bool writes_lock = false;
};

struct FleetLimits {
  std::size_t jobs = 1;
  std::uint64_t memory = 0;  ///< bytes for all
};

class Schedule {
 public:
  /// `needs`: of each image of the graph.
  Schedule(const StepGraph& graph, std::vector<ImageNeeds> needs, FleetLimits limits);

  struct Start {
    std::size_t image = 0;
    std::uint64_t memory = 0;  ///< bytes that its work area may take; 0 = it is to be on disk
  };
  /// The next image to start, in their order as far as that goes; nothing while all that are left wait.
  [[nodiscard]] std::optional<Start> next();
  /// It could not be started: it waits again, and from now on no more run at once than do now.
  void postpone(std::size_t image);
  /// A layer that ends with this step is there, made or taken by the running image.
  void stored(std::size_t image, const std::string& last_step);
  /// The running image makes no layer of what comes behind this step; empty: none at all.
  void keeps_up_to(std::size_t image, const std::string& last_step);

  enum class End {
    built,
    unchanged,  ///< nothing was to be done, so that it tells nothing of layers
    failed,
  };
  /// `memory`: bytes of its work area, where it tells.
  void ended(std::size_t image, End end, std::optional<std::uint64_t> memory = std::nullopt);

  /// Images that waiting ones need steps or a lock of, and how many do.
  [[nodiscard]] std::map<std::size_t, std::size_t> awaited() const;
  [[nodiscard]] std::size_t running() const;
  [[nodiscard]] std::size_t waiting() const;

 private:
  enum class State { waiting, running, built, unchanged, failed };
  [[nodiscard]] std::optional<std::size_t> waits_for(std::size_t image) const;
  [[nodiscard]] std::size_t steps_up_to(std::size_t image, const std::string& last_step) const;
  [[nodiscard]] bool is_held_by_lock(std::size_t image, std::size_t other) const;
  [[nodiscard]] std::size_t in_layers(std::size_t image) const;
  [[nodiscard]] std::size_t can_be_kept(std::size_t image) const;
  [[nodiscard]] std::uint64_t expected_memory(std::size_t image) const;

  const StepGraph& graph_;
  std::vector<ImageNeeds> needs_;
  FleetLimits limits_;
  std::vector<State> states_;
  std::vector<std::size_t> stored_;      ///< how many of the image's first steps are in layers, by its own word
  std::vector<std::size_t> keeps_;       ///< how many of them may come to be
  std::vector<std::uint64_t> reserved_;  ///< bytes, while it runs
};

}  // namespace hearth::builder
