// How long things took lately on the conductor's one thread: all who ask wait for each of them. `hearth why page` reads
// it.
#pragma once

#include <map>
#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"

namespace hearth::bootstrap {

class Pace {
 public:
  static constexpr Duration k_window =
      std::chrono::minutes(1);  ///< the longest of this one and the one before are told

  void took(const std::string& part, Duration time, MonotonicTime now, const std::string& what = "");
  /// {"store": {"longest": seconds, "what": "GET /v1/nodes"}, …}; of parts that took nothing lately there is nothing.
  [[nodiscard]] Json shown(MonotonicTime now) const;

 private:
  struct Lap {
    Duration time{};
    std::string what;
  };
  struct Part {
    MonotonicTime since;
    Lap now;
    Lap before;
  };
  std::map<std::string, Part> parts_;
};

}  // namespace hearth::bootstrap
