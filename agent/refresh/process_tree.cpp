#include "agent/refresh/process_tree.hpp"

#include <unistd.h>

#include <csignal>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Field 4 of /proc/PID/stat. Field 2 is the program's name in parentheses and may hold anything, so we look behind the
/// last one.
std::optional<pid_t> parent_in(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> fields = split_words(stat.substr(name_end + 1));
  if (fields.size() < 2) return std::nullopt;
  const std::optional<std::uint64_t> parent = parse_number(fields[1]);
  return parent ? std::optional(static_cast<pid_t>(*parent)) : std::nullopt;
}

}  // namespace

ProcessParents read_process_parents() {
  const RealFileSystem files;
  ProcessParents parents;
  for (const std::string& name : files.list("/proc")) {
    const std::optional<std::uint64_t> pid = parse_number(name);
    if (!pid) continue;
    try {
      const std::optional<std::string> stat = files.read(cat("/proc/", name, "/stat"));
      const std::optional<pid_t> parent = stat ? parent_in(*stat) : std::nullopt;
      if (parent) parents[static_cast<pid_t>(*pid)] = *parent;
    } catch (const Error&) {  // ESRCH: it ended between the listing and the reading
    }
  }
  return parents;
}

std::vector<pid_t> descendants_of(pid_t ancestor, const ProcessParents& parents) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& [pid, parent] : parents) children.emplace(parent, pid);
  std::vector<pid_t> found;
  std::vector<pid_t> waiting = {ancestor};
  while (!waiting.empty()) {
    const auto [first, last] = children.equal_range(waiting.back());
    waiting.pop_back();
    for (auto child = first; child != last; ++child) {
      found.push_back(child->second);
      waiting.push_back(child->second);
    }
  }
  return found;
}

void kill_descendants() {
  std::set<pid_t> killed;
  for (bool found_new = true; found_new;) {
    found_new = false;
    for (const pid_t pid : descendants_of(::getpid(), read_process_parents())) {
      if (!killed.insert(pid).second) continue;
      ::kill(pid, SIGKILL);
      found_new = true;
    }
  }
}

CommandResult TreeRunner::run(const Command& command) {
  const SpawnOptions options{.argv = command.argv,
                             .env = command.env,
                             .cwd = command.cwd,
                             .in = command.inherit_input ? STDIN_FILENO : -1,
                             .own_group = command.own_group};
  Child child = Child::spawn(options);
  std::optional<ExitStatus> status = child.wait(command.deadline, clock_);
  if (status) return {*status, "", ""};
  kill_descendants();
  child.kill_and_wait();
  return {TimedOut{}, "", ""};
}

}  // namespace hearth::agent
