// What the agent says: on the console, for the person in front of the machine, and kept for the conductor that asks for
// the logs.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace hearth::agent::deploy {

class Console {
 public:
  /// `fd` is not owned.
  Console(const Clock& clock, int fd) : clock_(clock), fd_(fd), began_(clock.now()) {}

  /// One line, with the seconds since the start before it.
  void say(std::string_view text);
  /// What was said, at most the last 256 KiB.
  [[nodiscard]] std::string log() const;

 private:
  const Clock& clock_;
  int fd_;
  MonotonicTime began_;
  mutable std::mutex lock_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
};

/// A tar archive (POSIX.1-1988, ustar) of these files, as gzip (stored, not compressed).
struct LogFile {
  std::string name;
  std::string text;
};
[[nodiscard]] std::string tar_gz(const std::deque<LogFile>& files);

/// The kernel's messages; empty when they may not be read.
[[nodiscard]] std::string kernel_messages();

}  // namespace hearth::agent::deploy
