// The frames of an image that this machine has verified, kept in memory for those that ask for them. They are what the
// image's file has: what is on the disk is decompressed, and would not have the hashes that the map names.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "agent/deploy/disk/buffer.hpp"
#include "base/clock.hpp"
#include "base/frames/frame_map.hpp"

namespace hearth::agent::deploy {

/// Bytes of the image's file, the last included.
struct Span {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const Span&) const = default;
};

/// Where each frame lies in the file.
[[nodiscard]] std::vector<Span> spans_of(const frames::Head& head, const std::vector<frames::Frame>& map);

class Shelf {
 public:
  /// A machine begins to fetch the image of that root: what was kept of another is gone. Of more than `limit` bytes the
  /// oldest are forgotten.
  void open(const std::string& root, const frames::Head& head, const std::vector<frames::Frame>& map,
            std::uint64_t limit);
  /// A verified frame: its number in the map.
  void put(std::size_t frame, Block bytes);
  /// No more will come.
  void close();

  enum class Found { here, awaited, never };
  struct Look {
    Found found = Found::never;
    Block bytes;  ///< when it is here
  };
  /// The frame that is exactly these bytes of the image's file: waited for, at most so long. From any thread.
  [[nodiscard]] Look look(const std::string& root, const Span& span, Duration patience);

 private:
  [[nodiscard]] Look look_now(const std::string& root, const Span& span) const;

  struct Row {
    Span span;
    bool came = false;
    Block bytes;  ///< null: it has not come, or is forgotten
  };
  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::string root_;                ///< empty: nothing was begun
  std::vector<Row> rows_;           ///< as in the file
  std::vector<std::size_t> order_;  ///< in which they came
  std::size_t forgotten_ = 0;       ///< of them
  std::uint64_t kept_ = 0;
  std::uint64_t limit_ = 0;
  bool closed_ = false;
};

}  // namespace hearth::agent::deploy
