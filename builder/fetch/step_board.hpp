// What the sandbox's process and the proxy's tell each other: the name of the step that is running, settings for the
// lock, which fetches were answered. Memory that both see.
#pragma once

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
  /// Adds a line to the log of fetches. Called by one thread at a time; when there is no room left, the log says so.
  void log_fetch(std::string_view line);
  /// The log from byte `from` on, whole lines. Throws Error(input) when it overflowed: then nobody knows all of it.
  [[nodiscard]] std::string fetch_log(std::size_t from) const;

 private:
  char* text_ = nullptr;
};

/// Progress that shows each step on a board besides.
[[nodiscard]] std::unique_ptr<Progress> announce_steps(std::unique_ptr<Progress> progress, StepBoard& board);

}  // namespace hearth::builder::fetch
