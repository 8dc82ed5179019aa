#include "agent/deploy/rest/command_board.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

std::string short_name(const std::string& name) { return name.substr(name.find('.') + 1); }

Json failure(std::string_view type, const std::string& message) {
  return {{"type", type}, {"code", 500}, {"message", message}, {"details", message}};
}

}  // namespace

struct CommandBoard::Record {
  std::string id;
  std::string name;  ///< without the extension
  Json params;       ///< only while it runs: they may hold secrets
  std::string status = "RUNNING";
  Json error = nullptr;
  Json result = nullptr;
};

CommandBoard::Beside own_thread() {
  return [](std::function<void()> work) -> std::function<void()> {
    const auto thread = std::make_shared<std::thread>(std::move(work));
    return [thread] { thread->join(); };
  };
}

CommandBoard::CommandBoard(std::vector<CommandRow> rows, std::function<void()> finished, Beside beside)
    : rows_(std::move(rows)), finished_(std::move(finished)), beside_(std::move(beside)) {}

CommandBoard::~CommandBoard() {
  if (ended_) ended_();
}

const CommandRow& CommandBoard::row_of(const std::string& name) const {
  const std::size_t dot = name.find('.');
  const std::string extension = dot == std::string::npos ? "" : name.substr(0, dot + 1);
  const auto same =
      std::find_if(rows_.begin(), rows_.end(), [&name](const CommandRow& row) { return row.name == name; });
  if (same != rows_.end()) return *same;
  const bool known = !extension.empty() && std::any_of(rows_.begin(), rows_.end(), [&extension](const CommandRow& row) {
    return row.name.rfind(extension, 0) == 0;
  });
  if (known) throw Refusal{400, cat("Invalid command: Unknown command: ", short_name(name))};
  if (dot == std::string::npos)
    throw Refusal{400, cat("Invalid command: Command name must be of the form <extension>.<name>")};
  throw Refusal{404, cat("Not found: Extension with id ", name.substr(0, dot), " not found.")};
}

bool CommandBoard::busy() const {
  const std::lock_guard lock(lock_);
  return !records_.empty() && records_.back()->status == "RUNNING";
}

Json CommandBoard::execute(const std::string& name, const Json& params, bool wait) {
  const CommandRow& row = row_of(name);
  try {
    if (row.check) row.check(params);
  } catch (const Error& error) {
    throw Refusal{400, cat("Invalid command parameters: ", error.what())};
  }
  const auto record = std::make_shared<Record>();
  record->id = random_uuid();
  record->name = short_name(name);
  record->params = params;
  {
    const std::lock_guard lock(lock_);
    if (!records_.empty() && records_.back()->status == "RUNNING") {
      throw Refusal{409, cat("Agent is busy: Command ", records_.back()->name, " is executing")};
    }
    records_.push_back(record);
    ++running_;
    check(running_ == 1, "an agent does one thing at a time", "commands", running_);
  }
  if (row.quick) {
    run(row, record);
  } else {
    start(row, record);
  }
  return one(record->id, wait);
}

void CommandBoard::start(const CommandRow& row, const std::shared_ptr<Record>& record) {
  // A command may have ended, and the next one been let in, before the line that began it is through.
  const std::lock_guard lock(starting_);
  if (ended_) std::exchange(ended_, nullptr)();
  try {
    ended_ = beside_([this, &row, record] {
      run(row, record);
      if (finished_) finished_();
    });
  } catch (const std::system_error& problem) {
    end(*record, nullptr, failure("CommandExecutionError", cat("starting a thread for it: ", problem.what())));
  }
}

void CommandBoard::run(const CommandRow& row, const std::shared_ptr<Record>& record) {
  Json result = nullptr;
  Json error = nullptr;
  try {
    result = row.run(record->params);
    if (result.is_string()) result = {{"result", cat(record->name, ": ", result.get<std::string>())}};
  } catch (const Error& problem) {
    const bool usage = problem.kind() == ErrorKind::usage;
    error = failure(usage ? "InvalidCommandParamsError" : "CommandExecutionError", problem.story());
  } catch (const std::exception& problem) {
    error = failure("CommandExecutionError", problem.what());
  }
  end(*record, std::move(result), std::move(error));
}

void CommandBoard::end(Record& record, Json result, Json error) {
  const std::lock_guard lock(lock_);
  check(record.status == "RUNNING" && running_ == 1, "a command ends once", "status", record.status, "commands",
        running_);
  --running_;
  record.result = std::move(result);
  record.status = error.is_null() ? "SUCCEEDED" : "FAILED";
  record.error = std::move(error);
  record.params = nullptr;
  changed_.notify_all();
}

Json CommandBoard::shown(const Record& record) const {
  return {{"id", record.id},
          {"command_name", record.name},
          {"command_status", record.status},
          {"command_error", record.error},
          {"command_result", record.result}};
}

Json CommandBoard::all() const {
  const std::lock_guard lock(lock_);
  Json list = Json::array();
  for (const auto& record : records_) list.push_back(shown(*record));
  return {{"commands", std::move(list)}};
}

Json CommandBoard::one(const std::string& id, bool wait) const {
  std::unique_lock lock(lock_);
  const auto found =
      std::find_if(records_.begin(), records_.end(), [&id](const auto& record) { return record->id == id; });
  if (found == records_.end()) throw Refusal{404, cat("Not found: Command with id ", id, " not found.")};
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the list may change while this waits
  const std::shared_ptr<Record> record = *found;
  if (wait) changed_.wait(lock, [&record] { return record->status != "RUNNING"; });
  return shown(*record);
}

}  // namespace hearth::agent::deploy
