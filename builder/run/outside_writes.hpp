// Whether a step wrote beside the image that is being made: such a file is in no layer, so the step has to run each
// time.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/path.hpp"

namespace hearth::builder {

class OutsideWrites {
 public:
  /// Watches NAME, NAME.d, NAME.* and NAME-* for the stem `image`, but no *.log: a caller's own log grows meanwhile.
  explicit OutsideWrites(fs::path image) : image_(std::move(image)), seen_(look()) {}
  /// The first file that came, went or changed since the last call; empty when none did.
  [[nodiscard]] std::string changed();

 private:
  using Files = std::map<std::string, std::pair<std::int64_t, std::uint64_t>>;  ///< time in nanoseconds, size
  [[nodiscard]] Files look() const;
  fs::path image_;
  Files seen_;
};

}  // namespace hearth::builder
