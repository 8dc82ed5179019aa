// Progress for programs that watch a build: a JSON object a line.
//
//   {"event":"step","index":3,"total":40,"name":"install.d/10-x"}   begins; total 0: unknown
//   {"event":"step-end","name":"install.d/10-x","outcome":"done","seconds":1.25}   done, failed, skipped, cached
//   {"event":"output","name":"install.d/10-x","text":"…"}   of a step that failed, its last lines, before its end
//   {"event":"expect","seconds":61.0}   how long the rest is going to take, whenever that changes by a second and a
//   tenth
//   {"event":"fetched","bytes":1048576}   so far, whenever it grew by a MiB
//   {"event":"note","text":"…"}, {"event":"summary","text":"…"}
//
// Around these build_image() prints {"event":"begin","image":"/srv/web"},
// {"event":"up-to-date","output":"/srv/web.qcow2"} and, always last, {"event":"end","image":"/srv/web","code":0}, with
// "error" where one ended the build.
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/progress.hpp"

namespace hearth::builder {

/// One event on stdout. A reader that went away does not end a build.
void print_event(const Json& event);

class JsonProgress final : public Progress {
 public:
  /// `fd` is not owned.
  explicit JsonProgress(int fd) : fd_(fd) {}
  void step_begin(std::string_view name, std::size_t index, std::size_t total) override;
  void line(std::string_view text) override { tail_.add(text); }
  void step_end(StepOutcome outcome, Duration duration) override;
  void expect(Duration left) override;
  void fetched(std::uint64_t bytes) override;
  void note(std::string_view text) override;
  void finish(std::string_view summary) override;

 private:
  int fd_;
  std::string name_;
  OutputTail tail_;
  double expected_ = 0;
  std::uint64_t fetched_ = 0;
};

}  // namespace hearth::builder
