// The longest chain of kept layers that still holds, from the first step on. Pure over its callbacks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "builder/layers/layer_record.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

struct ChainQuery {
  std::string base;                  ///< key of what is below the first layer
  std::vector<std::string> planned;  ///< labels that may come from layers, in order
  bool is_copy = false;
  std::function<std::vector<LayerRecord>(const std::string& key)> find;
  /// Asked where none of those holds: a store that is farther away. May be empty.
  std::function<std::vector<LayerRecord>(const std::string& key)> find_elsewhere;
  /// All that speaks against a step's result being used; nothing when it holds.
  std::function<std::vector<std::string>(const StepRecord& step)> faults;
};

struct Chain {
  std::vector<LayerRecord> layers;
  std::size_t covered = 0;  ///< how many planned steps
  std::string parent;       ///< id of the last layer, or the base
  std::vector<std::string>
      nearest;  ///< why the next layers that were there did not hold, that which differs least first
};

[[nodiscard]] Chain find_chain(const ChainQuery& query);

/// Where a build goes on behind the chain: with what is planned now of the phase in which the last layer ends, which
/// may be more or less than when that was made, and with the scripts that earlier hooks had put there.
[[nodiscard]] ResumePoint resume_point(const Chain& chain, const std::vector<Step>& plan);

}  // namespace hearth::builder
