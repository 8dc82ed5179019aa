// The outputs of the last build while new ones are written: under other names, until those are complete. Either all are
// the new ones in the end, or all are as they were.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "builder/output/output_set.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

class EarlierOutputs {
 public:
  /// The request outlives it. `note`: told what people should know; may be empty.
  EarlierOutputs(const ImageRequest& request, const std::function<void(const std::string&)>& note)
      : request_(request), note_(note) {}

  /// Before an output is written: gives what is in its place another name, where it is not to be overwritten. Returns
  /// where the earlier output is now.
  fs::path keep(const Output& output);
  /// The evidence with it. Before the new image is in the earlier one's place: a disk that is full now ends the build,
  /// and all is as it was.
  void keep_evidence();
  /// The new ones could not be written.
  void take_back();
  /// They are complete: the same bytes need no second file, and an image that has none no second evidence.
  void finish();

 private:
  const ImageRequest& request_;
  const std::function<void(const std::string&)>& note_;
  std::vector<std::pair<fs::path, fs::path>> kept_;  ///< target, its other name
  fs::path evidence_;                                ///< theirs, beside them; empty where there is none
};

}  // namespace hearth::builder
