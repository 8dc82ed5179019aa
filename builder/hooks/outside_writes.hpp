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
  /// Watches NAME, NAME.d, NAME.* and NAME-* for the image's name `image` in `written`, which holds what hooks wrote
  /// and nothing else: a log that the caller has beside the image grows meanwhile.
  OutsideWrites(fs::path written, std::string image)
      : written_(std::move(written)), image_(std::move(image)), seen_(look()) {}
  /// The first file that came, went or changed since the last call, as a path below `written`; empty when none did.
  [[nodiscard]] std::string changed();

 private:
  using Files = std::map<std::string, std::pair<std::int64_t, std::uint64_t>>;  ///< time in nanoseconds, size
  [[nodiscard]] Files look() const;
  fs::path written_;
  std::string image_;
  Files seen_;
};

}  // namespace hearth::builder
