// LossyLink: a machine's cable that can be made to lose frames. It stands between QEMU (Ethernet frames in Unix
// datagrams, its netdev dgram) and a tap, since not every kernel has netem. A thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::bootstrap {

/// Which frames are lost: every tenth, in no rhythm that a protocol could hit upon. Pure; the same for the same seed.
class LossDice {
 public:
  explicit LossDice(std::uint32_t seed) : state_(seed | 1U) {}
  [[nodiscard]] bool loses();

 private:
  std::uint32_t state_;
};

class LossyLink {
 public:
  /// Opens the tap, which must exist, and the sockets "relay" and "frames" in `home`. Throws Error.
  LossyLink(const fs::path& home, const std::string& tap);
  LossyLink(const LossyLink&) = delete;
  LossyLink& operator=(const LossyLink&) = delete;
  ~LossyLink();
  void lose_frames() { lossy_ = true; }
  /// How it went so far, since it loses frames.
  struct Tally {
    std::uint64_t frames = 0;
    std::uint64_t lost = 0;
  };
  [[nodiscard]] Tally tally() const { return {frames_seen_, frames_lost_}; }

 private:
  void carry();
  [[nodiscard]] bool loses(LossDice& dice);

  std::string machine_;  ///< the path of its socket
  Fd tap_;
  Fd socket_;
  Fd wake_;
  std::atomic<bool> lossy_ = false;
  std::atomic<std::uint64_t> frames_seen_ = 0;
  std::atomic<std::uint64_t> frames_lost_ = 0;
  std::thread thread_;
};

}  // namespace hearth::bootstrap
