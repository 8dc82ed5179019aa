// What the sandbox's process and the proxy's tell each other: the name of the step that is running, settings for the
// lock, which fetches were answered, how many bytes came from the network. Memory that both see.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/progress.hpp"

namespace hearth::builder::fetch {

class StepBoard {
 public:
  StepBoard();
  StepBoard(const StepBoard&) = delete;
  StepBoard& operator=(const StepBoard&) = delete;
  ~StepBoard();

  void show(std::string_view step);
  /// The step last shown. (A reader may see a name half written; it is for messages.)
  [[nodiscard]] std::string shown() const;
  /// Lines NAME=VALUE. Throws Error(input) when they are too long.
  void keep_settings(std::string_view lines);
  [[nodiscard]] std::string settings() const;
  /// Adds a line to the log of fetches, while there is room. Called by one thread at a time.
  void log_fetch(std::string_view line);
  /// The log from byte `from` on, whole lines.
  [[nodiscard]] std::string fetch_log(std::size_t from) const;
  /// Lines were lost for want of room.
  [[nodiscard]] bool log_overflowed() const;
  /// A request came in (+1), or all about it is in the log (-1).
  void count_request(int change);
  /// Requests that are not in the log yet; those are counted before their client hears anything.
  [[nodiscard]] int requests_under_way() const;
  /// Bytes that came from the network. May be called by any thread.
  void count_fetched(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t fetched() const;

 private:
  /// Of the log; the memory is born zero.
  struct LogHead {
    std::atomic<std::uint64_t> size;
    std::atomic<std::uint64_t> fetched;
    std::atomic<int> under_way;
    std::atomic<bool> overflowed;
  };
  [[nodiscard]] LogHead& log_head() const;
  [[nodiscard]] char* log_text() const;

  char* text_ = nullptr;
};

/// Progress that shows each step on a board besides, and tells how many bytes the board has counted.
[[nodiscard]] std::unique_ptr<Progress> announce_steps(std::unique_ptr<Progress> progress, StepBoard& board);

}  // namespace hearth::builder::fetch
