// A CommandRunner that answers by program name and records what it was asked to run. Threads are answered in turn.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::fakes {

class ScriptedRunner final : public CommandRunner {
 public:
  using Answer = std::function<CommandResult(const Command&)>;
  std::vector<Command> ran;

  void on(const std::string& program, Answer answer) { answers_[program] = std::move(answer); }
  void on(const std::string& program, int exit_code, const std::string& out = "") {
    on(program, [exit_code, out](const Command&) { return CommandResult{Exited{exit_code}, out, ""}; });
  }

  /// No program is there any more.
  void forget_answers() { answers_.clear(); }

  [[nodiscard]] CommandResult run(const Command& command) override {
    const std::scoped_lock lock(mutex_);
    ran.push_back(command);
    const auto answer = answers_.find(fs::path(command.argv.front()).filename().string());
    if (answer == answers_.end()) {
      throw Error(ErrorKind::external, cat("starting ", command.argv.front(), ": No such file or directory"), 127);
    }
    return answer->second(command);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Answer> answers_;
};

}  // namespace hearth::fakes
