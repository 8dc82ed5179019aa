// A kept layer as a value: which steps made it, from what, and where its bytes are. Records are found by what comes
// next (lookup key: parent and first step) and hold when all their facts still do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/layers/cache_binds.hpp"
#include "builder/layers/facts.hpp"
#include "builder/layers/renewed_times.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

/// One step that ran, or whose result was taken from a layer.
struct StepRecord {
  std::string label;    ///< "install.d/10-foo"
  std::string element;  ///< empty when an earlier hook put the script there, or for -p
  double seconds = 0;
  Facts facts;
};

struct LayerRecord {
  std::string parent;                ///< id of the layer below; the base key for the first
  std::vector<std::string> planned;  ///< labels of the plan's steps that it covers, in order
  std::vector<StepRecord> steps;     ///< those that ran
  Phase phase = Phase::root;         ///< the phase in which it ends
  std::vector<Step> rest;            ///< what is still to run of that phase
  std::vector<CacheBind> binds;      ///< that hooks of it or of layers below had left when it ended
  bool is_copy = false;              ///< holds the whole work area: made where there is no overlay
  WriteTimes written;                ///< by its build so far: files that are of it or of layers below
  std::string blob;                  ///< SHA-256 of the archive
  std::uint64_t bytes = 0;           ///< of the archive
  std::string made_by;               ///< the image whose build ran the steps; empty of an older Hearth

  /// What the layer is known by: a digest over everything but blob, bytes, times and maker.
  [[nodiscard]] std::string id() const;
};

/// A layer that holds steps of a build, and the last of them.
struct HeldLayer {
  std::string digest;
  std::string last_step;
  std::string made_by = {};  ///< as its record says
};

/// Where records of layers on top of `parent` lie whose first step is `label`.
[[nodiscard]] std::string lookup_key(const std::string& parent, const std::string& label, bool is_copy);

/// Facts as JSON and back. Files may have names that are no UTF-8, which JSON can't hold: such texts stand there as
/// bytes in hexadecimal behind a U+0001.
[[nodiscard]] Json json_of(const Facts& facts);
[[nodiscard]] Facts facts_from(const Json& json);

[[nodiscard]] Json to_json(const StepRecord& step);
[[nodiscard]] Json to_json(const LayerRecord& record);
[[nodiscard]] StepRecord step_record(const Json& json);
/// Nothing when the text is not a whole record of this version.
[[nodiscard]] std::optional<LayerRecord> parse_layer_record(const std::string& text);

}  // namespace hearth::builder
