#include "builder/vm/image_boot.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

/// A machine's own copy of the firmware variables, gone with the object.
class PrivateVariables {
 public:
  PrivateVariables(QemuMachine& machine, const fs::path& scratch) : directory_(TempDir::create(scratch, "machine-")) {
    if (machine.firmware == FirmwareKind::bios) return;
    if (machine.ovmf.code.empty()) machine.ovmf = find_ovmf(machine.firmware);
    const fs::path copy = directory_.path() / "variables.fd";
    RealFileSystem().write(copy, read_file(machine.ovmf.variables), {.mode = 0600});
    machine.ovmf.variables = copy;
  }

 private:
  TempDir directory_;
};

constexpr std::size_t k_most_ports = 200;  ///< each takes a file and a word of QEMU's
constexpr Duration k_check_again = std::chrono::milliseconds(500);
constexpr Duration k_tell_again = std::chrono::seconds(20);
constexpr const char* k_out_of_time = "the deadline passed";

/// Feeds the console to the watch until there is a verdict; returns why it ended without success, or nothing.
class ConsoleReader {
 public:
  ConsoleReader(const Fd& console, ConsoleWatch& watch, const Clock& clock, const SshPatience& patience,
                const TellWait& tell)
      : console_(console), watch_(watch), clock_(clock), patience_(patience), tell_(tell), start_(clock.now()) {}

  /// `checks` are made when all was seen; what came of each goes to `checked`.
  std::string read_until(const Deadline& deadline, const GuestChecks& checks, std::vector<Checked>& checked) {
    std::size_t at = 0;
    GuestCheck::Outcome last;  // of the check that is not done
    const auto add = [&](std::vector<Verdict> verdicts) {
      for (Verdict& verdict : verdicts) checked.push_back({std::move(verdict), elapsed()});
    };
    const auto add_last = [&] {
      settle(last.verdicts, checked);
      add(std::move(last.verdicts));
      if (last.is_cut) add(checks[at]->unanswered("not answered"));
      last = {};
      ++at;
    };
    const auto end = [&](std::string reason) {
      if (!last.verdicts.empty()) add_last();
      for (; at < checks.size(); ++at) add(checks[at]->unanswered(cat("not asked: ", reason)));
      return reason;
    };
    while (!watch_.all_seen() || at < checks.size()) {
      StopSignals::check();
      if (watch_.failure()) return end(*watch_.failure());
      if (deadline.passed(clock_.now())) return end(k_out_of_time);
      const bool checks_now = watch_.all_seen();
      tell_wait(
          checks_now && at < checks.size() ? checks[at]->text() : cat("'", watch_.waiting_for(), "' on the console"),
          last);
      const Deadline until =
          checks_now ? Deadline::after(k_check_again, clock_) : Deadline::after(k_tell_again, clock_);
      if (!read_some(Deadline::earlier(deadline, until))) return end("the machine ended");
      if (!checks_now || at == checks.size()) continue;
      GuestCheck::Outcome outcome = checks[at]->look(deadline);
      const bool is_over = outcome.done || (outcome.no_way_in && is_too_late(outcome.verdicts.front().told));
      const bool has_answers = !last.verdicts.empty() && !last.is_cut;  // better than that now there are none
      if (is_over || !outcome.is_cut || !has_answers) last = std::move(outcome);
      if (is_over) add_last();
    }
    return "";
  }

  [[nodiscard]] Duration elapsed() const { return clock_.now() - start_; }
  /// Of life: something that was expected, a prompt to log in, or an answer.
  [[nodiscard]] bool gave_sign(const std::vector<Checked>& checked) const {
    return !watch_.seen().empty() || watch_.came_up() ||
           std::any_of(checked.begin(), checked.end(), [](const Checked& each) { return has_answered(each.verdict); });
  }

 private:
  static bool has_answered(const Verdict& verdict) {
    return verdict.outcome == Verdict::Outcome::passed || verdict.outcome == Verdict::Outcome::failed;
  }

  /// Of a machine that gave signs of life silence is an answer: nobody is there who should be.
  void settle(std::vector<Verdict>& tried, const std::vector<Checked>& checked) const {
    if (!gave_sign(checked) && std::none_of(tried.begin(), tried.end(), has_answered)) return;
    for (Verdict& each : tried) {
      if (each.outcome == Verdict::Outcome::unanswered) each.outcome = Verdict::Outcome::failed;
    }
  }

  /// With what came of the last try, or what the machine says.
  void tell_wait(const std::string& what, const GuestCheck::Outcome& last) {
    const MonotonicTime now = clock_.now();
    if (!tell_ || (what == told_ && now - told_at_ < k_tell_again)) return;
    std::string line =
        cat(fixed(std::chrono::duration<double>(elapsed()).count(), 1), " s: waiting for ", one_line(what));
    const auto open =
        std::find_if(last.verdicts.begin(), last.verdicts.end(), [](const Verdict& each) { return each.failed(); });
    if (what == told_ && last.no_way_in) {  // why most probably is told once, when the system has come up
      line += "; so far nobody can log in";
    } else if (what == told_ && open != last.verdicts.end()) {
      line += cat("; so far: ", one_line(open->name), open->told.empty() ? "" : cat(": ", one_line(open->told)));
    } else if (!watch_.last_lines().empty()) {
      line += cat("; console: ", one_line(std::string(trim(watch_.last_lines().back()))));
    }
    tell_(line);
    told_ = what;
    told_at_ = now;
  }

  /// Of nobody getting in: whether the system has been up for so long that nobody will. On the way there it is told.
  bool is_too_late(const std::string& trouble) {
    if (!watch_.came_up()) return false;
    const Duration up = elapsed() - *watch_.came_up();
    if (up >= patience_.until_told && !std::exchange(is_told_, true)) {
      cli::tell(cat("the system asks for a log-in, and ", trouble, "; waiting for ",
                    std::chrono::duration_cast<std::chrono::seconds>(patience_.whole - patience_.until_told).count(),
                    " s more\n"));
    }
    return up >= patience_.whole;
  }

  /// False at the end of the console.
  bool read_some(const Deadline& deadline) {
    pollfd ready{console_.get(), POLLIN, 0};
    const int count = ::poll(&ready, 1, deadline.poll_timeout(clock_.now()));
    if (count < 0 && errno != EINTR) throw Error::from_errno("waiting for", "the machine's console");
    if (count <= 0) return true;
    std::array<char, 16384> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
    const ssize_t got = ::read(console_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    watch_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)), elapsed());
    return true;
  }

  const Fd& console_;
  ConsoleWatch& watch_;
  const Clock& clock_;
  SshPatience patience_;
  const TellWait& tell_;
  MonotonicTime start_;
  bool is_told_ = false;
  std::string told_;
  MonotonicTime told_at_{};
};

/// What the first check that failed came to, and how many others did; its name goes to `missing` unless the console
/// owes something.
std::string first_failure(const std::vector<Checked>& checked, std::string& missing) {
  const auto failed = [](const Checked& each) { return each.verdict.failed(); };
  const auto first = std::find_if(checked.begin(), checked.end(), failed);
  if (first == checked.end() || !missing.empty()) return "";
  missing = first->verdict.name;
  const auto count = std::count_if(checked.begin(), checked.end(), failed);
  return cat(first->verdict.told, count == 1 ? "" : cat(" (", count, " of ", checked.size(), " checks failed)"));
}

/// Free, and not promised to another either: nobody listens at those yet.
std::uint16_t unused_port(const std::vector<PortForward>& promised) {
  for (;;) {
    const std::uint16_t port = free_port();
    if (std::none_of(promised.begin(), promised.end(), [&](const PortForward& each) { return each.host == port; }))
      return port;
  }
}

}  // namespace

int boot_image(QemuMachine machine, const fs::path& scratch, CommandRunner& runner) {
  const PrivateVariables variables(machine, scratch);
  machine.serial = SerialLine::terminal;
  machine.restart_on_reboot = true;
  const Command command{.argv = qemu_argv(machine),
                        .inherit_input = true,
                        .out = hearth::Output::inherit,
                        .err = hearth::Output::inherit,
                        .on_tick = [] { StopSignals::check(); },
                        .own_group = false};
  return shell_code(runner.run(command).status);
}

BootReport test_image(QemuMachine machine, const std::vector<std::string>& expectations, const GuestChecks& checks,
                      const Deadline& deadline, const fs::path& scratch, const Clock& clock,
                      const SshPatience& patience, const TellWait& tell) {
  std::map<std::uint16_t, std::uint16_t> ways;  // one to each of the guest's ports
  for (const auto& check : checks) {
    const auto [way, is_new] = ways.try_emplace(check->guest_port(), std::uint16_t{0});
    if (is_new) {
      way->second = unused_port(machine.forwards);
      machine.forwards.push_back({way->second, way->first});
    }
    check->use_port(way->second);
  }
  if (ways.size() > k_most_ports)
    throw Error(ErrorKind::usage,
                cat("checks ask ", ways.size(), " ports of the guest; ", k_most_ports, " are the most"));
  ConsoleWatch watch(expectations);
  const PrivateVariables variables(machine, scratch);
  machine.serial = SerialLine::output;
  Pipe console = Pipe::create();
  Child child = Child::spawn({.argv = qemu_argv(machine), .out = console.write.get(), .err = console.write.get()});
  console.write = Fd();  // or the end of the machine would not be the end of the console
  ConsoleReader reader(console.read, watch, clock, patience, tell);
  std::vector<Checked> checked;
  std::string reason = reader.read_until(deadline, checks, checked);
  const bool is_out_of_time = reason == k_out_of_time;
  child.kill_and_wait();
  std::string missing = watch.waiting_for();
  const bool is_all_seen = missing.empty();
  const bool gave_sign = reader.gave_sign(checked);
  if (const std::string why = first_failure(checked, missing); !why.empty() && (gave_sign || reason.empty()))
    reason = reason.empty() ? why : cat(reason, "; ", why);
  const bool passed = reason.empty();
  return BootReport{.passed = passed,
                    .seen = watch.seen(),
                    .checked = std::move(checked),
                    .is_all_seen = is_all_seen,
                    .gave_sign = gave_sign,
                    .is_out_of_time = is_out_of_time,
                    .missing = std::move(missing),
                    .reason = std::move(reason),
                    .last_lines = watch.last_lines(),
                    .took = reader.elapsed()};
}

}  // namespace hearth::builder::vm
