// The connections of an HTTP server, by how long they have kept it waiting.
#pragma once

#include <cstdint>
#include <list>

namespace hearth {

class Place {
 public:
  virtual ~Place() = default;
  virtual void cut() noexcept = 0;
  [[nodiscard]] virtual std::uint64_t held() const = 0;  ///< bytes that a body may come to
};

/// It leaves the line a moment later; until then others are before it. False when nobody is in it.
inline bool cut_longest(std::list<Place*>& line) {
  if (line.empty()) return false;
  Place* const longest = line.front();
  line.splice(line.end(), line, line.begin());
  longest->cut();
  return true;
}

/// Who is connected, and who of them keeps us waiting.
struct Places {
  std::list<Place*> waiting;
  std::list<Place*> shaking;  ///< hands, for TLS: nothing is known of them yet, and each takes tens of kilobytes
  std::list<Place*> all;
};

}  // namespace hearth
