// The longest chain of kept layers that still holds, from the first step on. Pure over its callbacks.
//
// A build of ten steps has kept layers behind step 4 and step 9. In the next build step 6 has another script: the layer
// of 1 to 4 is taken, 5 to 10 run. A layer is looked for by what lies below it and by the step that comes next, never
// by what the steps depend on: that is only known when they have run. So many records may lie under one key, and the
// first one holds of which all facts (facts.hpp) are still the same.
//
// What must hold: the layers of a chain cover the planned steps from the first one on, without a gap and in their
// order. A layer holds as a whole or not at all. What differs least is told first (`nearest`): that is what the person
// has edited.
//
// Why not a key made of all inputs before a step runs, as Docker has: nobody knows before which files a script will
// read, so such a key has too much in it (every edit is a new build) or too little (and the image is wrong).
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
