#include "bootstrap/rehearse/looking_in.hpp"

#include <cstdio>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "bootstrap/client/rehearsals.hpp"
#include "bootstrap/client/terminal.hpp"
#include "bootstrap/rehearse/door.hpp"
#include "bootstrap/rehearse/plan.hpp"

namespace hearth::bootstrap {

namespace {

fs::path home_of(const RunningRehearsal& rehearsal, const std::string& machine) {
  return rehearsal.folder / "machines" / machine;
}

std::string console_end(const fs::path& log) {
  const std::string text = RealFileSystem().read(log).value_or("");
  std::size_t from = text.size();
  for (int lines = 0; lines < 20 && from != 0 && from != std::string::npos; ++lines) from = text.rfind('\n', from - 1);
  return text.substr(from == std::string::npos ? 0 : from);
}

}  // namespace

void need_machine(const RunningRehearsal& rehearsal, const std::string& machine) {
  const fs::path lock = rehearsal.folder / k_rehearsal_lock;
  if (!fs::exists(lock) || FileLock::try_acquire(lock)) {
    throw Error(ErrorKind::not_found, cat("no rehearsal runs in ", rehearsal.folder.string()))
        .hint(cat(rehearsal.way_back, " --keep starts one that goes on when its steps have ended"));
  }
  std::vector<std::string> names = {"seed"};
  const fs::path machines = rehearsal.folder / "machines";
  if (fs::exists(machines)) {
    for (const std::string& name : RealFileSystem().list(machines)) names.push_back(name);
  }
  for (const std::string& name : names) {
    if (name == machine) return;
  }
  const std::optional<std::string> near = nearest(machine, names);
  throw Error(ErrorKind::not_found, cat("the rehearsal has no machine ", machine,
                                        near ? cat("; did you mean ", *near, "?") : cat(", but ", join(names, ", "))));
}

std::vector<std::string> shell_command(const fs::path& folder, const std::string& machine,
                                       const std::vector<std::string>& connect, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"ssh",
                                   "-i",
                                   (folder / k_ssh_key).string(),
                                   "-o",
                                   "IdentitiesOnly=yes",
                                   "-o",
                                   "StrictHostKeyChecking=no",
                                   "-o",
                                   "UserKnownHostsFile=/dev/null",
                                   "-o",
                                   "LogLevel=ERROR",
                                   "-o",
                                   cat("ProxyCommand=", replace_all(shell_join(connect), "%", "%%")),
                                   cat("root@", machine)};
  // ssh would put several words together with spaces, and the machine's shell would take them apart anew; one word may
  // be a whole command line.
  if (words.size() > 1) {
    argv.push_back(shell_join(words));
  } else {
    argv.insert(argv.end(), words.begin(), words.end());
  }
  return argv;
}

int enter_shell(const RunningRehearsal& rehearsal, const std::string& machine, const std::vector<std::string>& connect,
                const std::vector<std::string>& words) {
  need_machine(rehearsal, machine);
  if (!fs::exists(rehearsal.folder / k_ssh_key)) {
    throw Error(ErrorKind::not_found, "this rehearsal has no key: there was no ssh-keygen when it began")
        .hint("apt-get install openssh-client, and rehearse again");
  }
  try {
    // ssh would say only that its connection is closed.
    static_cast<void>(through_door(rehearsal.folder / k_door, machine, 22));
  } catch (Error& error) {
    throw error.hint(cat("its image needs the element openssh-server, and must have been started from its disk; ",
                         rehearsal.way_back, " --console ", machine, " shows what it does"));
  }
  const SystemClock clock;
  RealRunner runner(clock);
  Command command;
  command.argv = shell_command(rehearsal.folder, machine, connect, words);
  command.inherit_input = true;
  command.out = Output::inherit;
  command.err = Output::inherit;
  command.own_group = false;
  constexpr int k_refused = 255;  // ssh's own, not that of what ran there
  const int code = shell_code(runner.run(command).status);
  if (code == k_refused)
    cli::tell(
        cat("hearth: a machine in rescue takes the user rescue, with the password of hearth node rescue: ssh -o "
            "ProxyCommand='",
            rehearsal.way_back, " --connect ", machine, ":22' rescue@", machine, "\n"));
  return code;
}

void enter_console(const RunningRehearsal& rehearsal, const std::string& machine) {
  need_machine(rehearsal, machine);
  const fs::path home = machine == "seed" ? rehearsal.folder / "seed" : home_of(rehearsal, machine);
  const fs::path log = machine == "seed" && !fs::exists(home) ? rehearsal.folder / "seed.log" : home / "console.log";
  const Fd console =
      connected_socket(home / "console", cat(machine, " is off, or no machine; what it said: ", log.string()));
  std::fputs(cat(console_end(log), "\n--- the console of ", machine, "; Ctrl-] leaves it\n").c_str(), stdout);
  std::fflush(stdout);
  join_terminal(console);
  cli::print("\n");
}

void connect_streams(const RunningRehearsal& rehearsal, const std::string& target) {
  const std::size_t colon = target.rfind(':');
  const std::optional<std::uint64_t> port =
      colon == std::string::npos ? std::nullopt : parse_number(target.substr(colon + 1));
  if (!port || *port == 0 || *port > 65535)
    throw Error(ErrorKind::usage, cat("--connect ", target, ": MACHINE:PORT is expected"));
  const std::string machine = target.substr(0, colon);
  need_machine(rehearsal, machine);
  carry_standard_streams(through_door(rehearsal.folder / k_door, machine, static_cast<std::uint16_t>(*port)));
}

}  // namespace hearth::bootstrap
