#include "base/cli/working.hpp"

#include <unistd.h>

#include "base/cli/print.hpp"
#include "base/clock.hpp"
#include "base/progress.hpp"
#include "base/progress_text.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::chrono::milliseconds k_redrawn_each{200};

/// Draws it once more each time it is called.
auto drawn_line(const std::string& what, ProgressStyle style) {
  return [step = RunningStep{.name = clean_line(what)}, style, clock = SystemClock(), began = SystemClock().now(),
          frame = std::size_t{0}]() mutable -> std::optional<std::chrono::milliseconds> {
    step.elapsed = clock.now() - began;
    show_live(live_line(step, frame++, LiveLines(STDERR_FILENO).room().columns, style));
    return k_redrawn_each;
  };
}

}  // namespace

Working::Working(const std::string& what, std::chrono::milliseconds moment) {
  const Environment environment = current_environment();
  if (is_live_terminal(STDERR_FILENO, environment))
    later_.emplace(moment, drawn_line(what, progress_style(environment, true)));
}

Working::~Working() {
  later_.reset();
  show_live("");
}

}  // namespace hearth::cli
