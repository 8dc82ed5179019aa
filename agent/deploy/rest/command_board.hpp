// The commands that the conductor has given, and what became of them. Quick ones are run at once, long ones in a
// thread; one at a time, as ironic-python-agent does.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::agent::deploy {

/// What is answered in place of a command's record. The texts are ironic-python-agent's.
struct Refusal {
  int status = 400;
  std::string text;
};

struct CommandRow {
  std::string name;   ///< "standby.sync"
  bool quick = true;  ///< runs while the caller waits
  /// What it gives is command_result; a text is wrapped as {"result": "NAME: TEXT"}. Throws Error: usage for params
  /// that can't be, anything else when it failed.
  std::function<Json(const Json& params)> run;
  /// Looks at params before the command begins; throws Error(usage). May be empty.
  std::function<void(const Json& params)> check;
};

class CommandBoard {
 public:
  /// Runs work beside its caller; what it returns waits for the end of that. Throws std::system_error.
  using Beside = std::function<std::function<void()>(std::function<void()> work)>;

  /// `finished` is called after each long command, from its thread; may be empty.
  CommandBoard(std::vector<CommandRow> rows, std::function<void()> finished, Beside beside);
  CommandBoard(const CommandBoard&) = delete;
  CommandBoard& operator=(const CommandBoard&) = delete;
  /// Waits for what runs.
  ~CommandBoard();

  /// The command's record. With `wait` it is finished. Throws Refusal.
  [[nodiscard]] Json execute(const std::string& name, const Json& params, bool wait);
  [[nodiscard]] Json all() const;
  /// One record; throws Refusal(404).
  [[nodiscard]] Json one(const std::string& id, bool wait) const;
  [[nodiscard]] bool busy() const;

 private:
  struct Record;
  [[nodiscard]] const CommandRow& row_of(const std::string& name) const;
  void start(const CommandRow& row, const std::shared_ptr<Record>& record);
  void run(const CommandRow& row, const std::shared_ptr<Record>& record);
  void end(Record& record, Json result, Json error);
  [[nodiscard]] Json shown(const Record& record) const;

  std::vector<CommandRow> rows_;
  std::function<void()> finished_;
  mutable std::mutex lock_;
  mutable std::condition_variable changed_;
  std::vector<std::shared_ptr<Record>> records_;
  int running_ = 0;      ///< of them
  std::mutex starting_;  ///< before lock_, never within it
  Beside beside_;
  std::function<void()> ended_;  ///< waits for the long command that was begun last
};

/// Beside, by a thread for each.
[[nodiscard]] CommandBoard::Beside own_thread();

}  // namespace hearth::agent::deploy
