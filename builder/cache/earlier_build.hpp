// What an image's last build noted of its steps (NAME.d/steps.json), for whoever tells why steps run again.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "builder/layers/facts.hpp"

namespace hearth::builder {

struct EarlierStep {
  std::string label;
  bool is_planned = false;  ///< of an element: no hook put it there
  Facts facts;
  std::string layer;  ///< digest of that which held it; empty where none did, and in reports of an older Hearth
};

struct EarlierBuild {
  std::vector<EarlierStep> steps;  ///< none where there was no build, or it left no report that can be read
  std::string base;                ///< key of what was below its first layer; empty where that is not known
  std::set<std::string> gone;      ///< of its layers those that are in the cache no more

  [[nodiscard]] const EarlierStep* find(const std::string& label) const;
  /// Of a step that has not changed: why none of its layers holds it, where layers begin with `now`; empty where that
  /// can't be told of the step alone.
  [[nodiscard]] std::string why_not_kept(const EarlierStep& step, const std::string& now) const;
};

/// `has` tells whether a layer is in the cache.
using HasLayer = std::function<bool(const std::string& digest)>;
[[nodiscard]] EarlierBuild earlier_build(const Json& report, const HasLayer& has);
/// Of the report in a directory NAME.d.
[[nodiscard]] EarlierBuild earlier_build(const FileReader& files, const fs::path& directory, const HasLayer& has);

}  // namespace hearth::builder
