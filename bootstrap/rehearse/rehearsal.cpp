#include "bootstrap/rehearse/rehearsal.hpp"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/cli/layout.hpp"
#include "base/cli/print.hpp"
#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/rehearse/bmc.hpp"
#include "bootstrap/rehearse/plan.hpp"
#include "bootstrap/rehearse/played_inventory.hpp"
#include "bootstrap/rehearse/stage.hpp"
#include "bootstrap/rehearse/watch.hpp"

namespace hearth::bootstrap {

namespace {

void print_line(const std::string& text) {
  cli::print(text);
  std::fflush(stdout);
}

/// In the terminal's columns, where there is one; what follows `begin` stays behind it.
void print_fitted(const std::string& begin, std::string_view line) {
  constexpr std::size_t k_least = 20;
  const std::size_t room = cli::table_room();
  const std::string text = room < begin.size() + k_least ? std::string(line)
                                                         : replace_all(cli::fitted(line, room - begin.size()), "\n",
                                                                       cat("\n", std::string(begin.size(), ' ')));
  print_line(cat(begin, text, "\n"));
}

/// The last `count` lines of a file, indented; terminal control sequences are left out.
std::string tail_of(const fs::path& file, std::size_t count) {
  const std::string text = RealFileSystem().read(file).value_or("");
  std::string plain;
  for (const char c : text.substr(text.size() > 20000 ? text.size() - 20000 : 0)) {
    if (c == '\n' || (c >= ' ' && c <= '~')) plain += c;
  }
  const std::vector<std::string> lines = split_lines(plain);
  std::string out;
  for (std::size_t i = lines.size() > count ? lines.size() - count : 0; i < lines.size(); ++i)
    out += cat("    ", lines[i], "\n");
  return out;
}

/// Relative, where it is below this directory.
fs::path seen_from_here(const fs::path& file) {
  const fs::path near = file.lexically_relative(fs::current_path());
  return near.empty() || *near.begin() == ".." ? file : near;
}

class Rehearsal {
 public:
  explicit Rehearsal(const RehearsalSettings& settings)
      : settings_(settings),
        runner_(clock_),
        deadline_(Deadline::after(settings.limit, clock_)),
        stage_(settings, runner_, clock_),
        watch_(conductor_url(), clock_, FaultPlan(settings.faults)) {}

  int run() {
    const MonotonicTime began = clock_.now();
    stage_.build([this](const std::string& line) { print_line(cat(stamp(), line, "\n")); });
    watch_.log_in(stage_.token());
    watch_.on_event([this](const Json& event) {
      if (muted_) return;
      const std::string title = text_in(event, "name");
      print_line(cat(stamp(), title.empty() ? "site" : title, " ", text_in(event, "kind"), ": ", text_in(event, "text"),
                     "\n"));
    });
    watch_.on_fault([this](const InjectedFault& fault) { return inject(fault); });
    watch_.begin();
    say_how_to_look();
    int code = 0;
    for (const Step& step : operator_steps(settings_)) {
      code = play(step);
      if (code != 0) break;
      if (step.title == "images") stage_.register_images();
    }
    if (code == 0) wait_for_reports();
    const bool all_active = show_nodes();
    for (const InjectedFault& fault : watch_.waiting())
      print_line(cat("not injected, its moment never came: ", fault.text(), "\n"));
    if (code == 0 && all_active) {
      show_reports();
      print_line(cat("\nThe rehearsal took ", seconds_since(began), " s. Logs: ", settings_.work.string(), "\n"));
      return 0;
    }
    show_trouble();
    return code == 0 ? 1 : code;
  }

  /// Until the starter kills it: machines go on, events are told.
  [[noreturn]] void keep(int code, const std::function<void(int)>& kept) {
    print_line("\n== it is kept: machines, seed and network go on until this command is ended (^C)\n");
    say_how_to_look();
    kept(code);
    muted_ = false;
    while (true) {
      watch_.look();
      clock_.sleep(std::chrono::milliseconds(500));
    }
  }

 private:
  void say_how_to_look() const {
    if (settings_.page >= 0) {
      const std::string url = cat("http://127.0.0.1:", port_of(settings_.page), "/");
      print_fitted("", cat("the page: ", url, "   (hearth node list --url ", url, " --token-file ",
                           shown(node_state(settings_) / "api-token"), ")"));
    }
    print_fitted("", cat("to look in: ", settings_.way_back, " --shell MACHINE, --console MACHINE"));
    if (settings_.seed == SeedKind::machine) return;  // its services have their state in it
    print_fitted("", cat("to ask its services: hearth why NAME --state ", shown(node_state(settings_)),
                         "; hearth stack list --state ", shown(stacks_state(settings_))));
    print_fitted("", cat("to deploy again, as long as it is there: ",
                         deploy_again(settings_, seen_from_here(node_state(settings_)).string())));
  }

  /// As it is typed where the rehearsal was started.
  [[nodiscard]] static std::string shown(const fs::path& file) { return shell_quote(seen_from_here(file).string()); }

  [[nodiscard]] long seconds_since(MonotonicTime moment) const {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - moment).count());
  }
  /// "[  42 s] "
  [[nodiscard]] std::string stamp() const {
    std::string seconds = std::to_string(seconds_since(start_));
    seconds.insert(0, seconds.size() < 4 ? 4 - seconds.size() : 0, ' ');
    return cat("[", seconds, " s] ");
  }

  CommandResult run_watched(const std::vector<std::string>& argv) {
    Command command;
    command.argv = argv;
    command.env = stage_.environment();
    command.merge_err = true;
    command.deadline = deadline_;
    last_line_.clear();
    constexpr std::size_t k_still = std::string_view("still ").size();
    if (const std::size_t room = cli::table_room(); room > 0)
      command.env->insert_or_assign("COLUMNS", std::to_string(room));
    command.on_line = [this](Stream, std::string_view line) {
      const std::string begin = muted_ ? "" : stamp();
      line.find("waiting for ") <= k_still ? print_fitted(begin, line) : print_line(cat(begin, line, "\n"));
      if (!trim(line).empty()) last_line_ = line;
    };
    command.on_tick = [this] { watch_.look(); };
    return runner_.run(command);
  }

  int play(const Step& step) {
    muted_ = step.tells_events;
    for (unsigned turn = 0;; ++turn) {
      std::vector<std::string> words = step.argv;
      words.front() = "hearth";
      const std::vector<std::string> machines = step.each_machine ? not_active() : std::vector<std::string>();
      words.insert(words.end(), machines.begin(), machines.end());
      print_line(cat("\n== ", step.title, turn == 0 ? "" : " (again)", "\n", shell_join(words), "\n"));
      words.front() = step.argv.front();
      const CommandResult result = run_watched(words);
      watch_.look();
      failure_.clear();
      if (succeeded(result.status)) return 0;
      const std::string end = cat("the step '", step.title, "' ended with ", describe(result.status));
      print_fitted("", end);
      failure_ = last_line_.empty() ? end : cat(end, ": ", last_line_);
      if (turn >= step.again || deadline_.passed(clock_.now())) return shell_code(result.status);
      const std::vector<std::string> failed = failed_nodes();
      const bool is_mended = mend(step);
      if (is_mended || may_end_otherwise(failed, disturbed_, mistakes_)) continue;
      print_fitted("", cat("not run again: what failed (", join(failed, ", "), ") is no doing of the injected faults"));
      return shell_code(result.status);
    }
  }

  /// Those that have an error, of whatever step.
  [[nodiscard]] std::vector<std::string> failed_nodes() {
    std::vector<std::string> names;
    for (const Json& node : watch_.nodes()) {
      if (!text_in(node, "last_error").empty()) names.push_back(text_in(node, "name"));
    }
    return names;
  }

  [[nodiscard]] std::vector<std::string> not_active() {
    std::vector<std::string> names;
    for (const Json& node : watch_.nodes()) {
      if (text_in(node, "provision_state") != "active") names.push_back(text_in(node, "name"));
    }
    return names;
  }

  bool inject(const InjectedFault& fault) {
    if (is_of_inventory(fault.kind)) {
      const Json wrong = with_mistakes(stage_.inventory(), settings_.faults);
      print_line(cat(stamp(), "*** fault: ", fault.text(), ": ", mistake_text(fault, stage_.inventory(), wrong), "\n"));
      mistakes_.push_back(fault);
      return true;
    }
    if (!inject_fault(stage_.bmc(), fault, clock_)) return false;
    print_line(cat(stamp(), "*** fault: ", fault.text(), "\n"));
    disturbed_.insert(fault.machine);
    if (fault.kind == FaultKind::dead_disk) dead_disks_.push_back(fault.machine);
    return true;
  }

  /// What people do before they try again; false where there is nothing to do.
  bool mend(const Step& step) {
    const bool had_dead_disks = !dead_disks_.empty();
    for (const std::string& machine : std::exchange(dead_disks_, {})) {
      replace_disk(stage_.bmc(), machine, clock_);
      print_line(cat(stamp(), "*** the disk of ", machine, " is replaced\n"));
    }
    const Step import = inventory_step(settings_);
    std::vector<InjectedFault> unseen = mistakes_;  // an import asks BMCs only
    std::erase_if(unseen, [&](const InjectedFault& fault) {
      return step.title != import.title || fault.kind == FaultKind::wrong_password;
    });
    if (unseen.size() == mistakes_.size()) return had_dead_disks;
    mistakes_ = std::move(unseen);
    stage_.write_inventory(with_mistakes(stage_.inventory(), mistakes_));
    print_line(cat(stamp(), "*** the inventory is corrected: ", inventory_file(settings_).string(), "\n"));
    if (step.title != import.title) static_cast<void>(play({import.title, import.argv, import.tells_events, 0}));
    return true;
  }

  /// The stack is complete when the last signal is there; the agent's words on the console come a moment later. Without
  /// a stack a machine is active when it is started: its system comes up after that.
  void wait_for_reports() {
    const bool has_stack = !settings_.site.stack.template_file.empty();
    const Deadline patience = Deadline::after(std::chrono::seconds(has_stack ? 30 : 120), clock_);
    const auto has_results = [&](const BlankMachine& machine) {
      return has_stack ? has_whole_report(console(machine)) : asks_for_login(console(machine));
    };
    std::set<std::string> active;
    for (const Json& node : watch_.nodes()) {
      if (text_in(node, "provision_state") == "active") active.insert(text_in(node, "name"));
    }
    for (const BlankMachine& machine : settings_.site.machines) {
      while (active.contains(machine.name) && !has_results(machine) && !patience.passed(clock_.now()) &&
             !deadline_.passed(clock_.now())) {
        watch_.look();
        clock_.sleep(std::chrono::milliseconds(200));
      }
    }
  }

  [[nodiscard]] std::string console(const BlankMachine& machine) const {
    return RealFileSystem().read(stage_.home(machine) / "console.log").value_or("");
  }

  bool show_nodes() {
    print_line("\n== nodes\n");
    const Json nodes = watch_.nodes();
    print_line(node_table(nodes, false, 0, cli::table_room()));
    return all_are_well(nodes, settings_.site.machines.size());
  }

  void show_reports() const {
    if (settings_.site.stack.template_file.empty()) {
      print_line("\n== what stands on their consoles (a system with one asks for a login there)\n");
      for (const BlankMachine& machine : settings_.site.machines)
        print_line(cat(machine.name, ": ", trim(tail_of(stage_.home(machine) / "console.log", 1)), "\n"));
      return;
    }
    print_line("\n== what the agents did (the result of each deployment; configured: all hooks of a run are done)\n");
    for (const BlankMachine& machine : settings_.site.machines) {
      for (const std::string& line : report_lines(console(machine))) print_line(cat(line, "\n"));
    }
  }

  void show_trouble() {
    print_line("\n== what went wrong\n");
    if (!failure_.empty()) print_fitted("", failure_);
    for (const Json& node : watch_.nodes()) {
      const std::string state = text_in(node, "provision_state");
      if (state == "active" || is_spare(node)) continue;
      const std::string error = text_in(node, "last_error");
      print_line(cat("node ", text_in(node, "name"), " is ", state, error.empty() ? "" : ": ", error, "\n"));
    }
    for (const BlankMachine& machine : settings_.site.machines) {
      if (console(machine).empty()) continue;
      print_line(cat("the console of ", machine.name, " (", (stage_.home(machine) / "console.log").string(),
                     ") ends with:\n", tail_of(stage_.home(machine) / "console.log", 8)));
    }
    print_line(stage_.log_names());
  }

  const RehearsalSettings& settings_;
  SystemClock clock_;
  MonotonicTime start_ = clock_.now();
  RealRunner runner_;
  Deadline deadline_;
  RehearsalStage stage_;
  Watch watch_;
  std::vector<std::string> dead_disks_;  ///< machines whose disk is dead
  std::set<std::string> disturbed_;      ///< machines that a fault befell
  bool muted_ = false;                   ///< the step that runs tells events itself
  std::string last_line_;                ///< of the step that runs
  std::string failure_;                  ///< of the last step, where it failed
  std::vector<InjectedFault> mistakes_;  ///< that the inventory still has
};

}  // namespace

std::vector<std::string> report_lines(std::string_view console) {
  constexpr std::string_view k_sign = "site-report: ";
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(console)) {
    const std::size_t at = line.find(k_sign);
    if (at == std::string::npos) continue;
    lines.emplace_back(trim(std::string_view(line).substr(at + k_sign.size())));
  }
  return lines;
}

bool has_whole_report(std::string_view console) {
  const std::size_t last = console.rfind(".notify.json");
  if (last == std::string_view::npos) return false;
  const std::vector<std::string> behind = report_lines(console.substr(last));
  return std::any_of(behind.begin(), behind.end(),
                     [](const std::string& line) { return line.ends_with(": configured"); });
}

bool asks_for_login(std::string_view console) {
  const std::string_view text = trim(console);
  return text.ends_with(" login:");
}

int run_rehearsal(const RehearsalSettings& settings, const std::function<void(int)>& kept) {
  Rehearsal rehearsal(settings);
  const int code = rehearsal.run();
  if (settings.keep) rehearsal.keep(code, kept);
  return code;
}

}  // namespace hearth::bootstrap
