#include "builder/vm/image_boot.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"

namespace hearth::vm {

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

/// Feeds the console to the watch until there is a verdict; returns why it ended without success, or nothing.
class ConsoleReader {
 public:
  ConsoleReader(const Fd& console, ConsoleWatch& watch, const Clock& clock, const SshPatience& patience)
      : console_(console), watch_(watch), clock_(clock), patience_(patience), start_(clock.now()) {}

  /// `checks` are made when all was seen; what came of each goes to `checked`.
  std::string read_until(const Deadline& deadline, const GuestChecks& checks, std::vector<Checked>& checked) {
    std::size_t at = 0;
    std::vector<Verdict> last;  // of the check that is not done
    const auto add = [&](std::vector<Verdict>& verdicts) {
      for (Verdict& verdict : verdicts) checked.push_back({std::move(verdict), elapsed()});
      verdicts.clear();
    };
    const auto end = [&](std::string reason) {
      if (!last.empty()) ++at;
      add(last);
      for (; at < checks.size(); ++at)
        checked.push_back({{checks[at]->text(), Verdict::Outcome::failed, cat("not asked: ", reason)}, elapsed()});
      return reason;
    };
    while (!watch_.all_seen() || at < checks.size()) {
      StopSignals::check();
      if (watch_.failure()) return end(*watch_.failure());
      if (deadline.passed(clock_.now())) return end("the deadline passed");
      const bool checks_now = watch_.all_seen();
      if (!read_some(checks_now ? Deadline::after(k_check_again, clock_) : deadline)) return end("the machine ended");
      if (!checks_now || at == checks.size()) continue;
      GuestCheck::Outcome outcome = checks[at]->look(deadline);
      last = std::move(outcome.verdicts);
      if (!outcome.done && !(outcome.no_way_in && is_too_late(last.front().told))) continue;
      add(last);
      ++at;
    }
    return "";
  }

  [[nodiscard]] Duration elapsed() const { return clock_.now() - start_; }

 private:
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
  MonotonicTime start_;
  bool is_told_ = false;
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
                      const SshPatience& patience) {
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
  ConsoleReader reader(console.read, watch, clock, patience);
  std::vector<Checked> checked;
  std::string reason = reader.read_until(deadline, checks, checked);
  child.kill_and_wait();
  std::string missing = watch.waiting_for();
  const bool is_all_seen = missing.empty();
  if (const std::string why = first_failure(checked, missing); !why.empty())
    reason = reason.empty() ? why : cat(reason, "; ", why);
  const bool passed = reason.empty();
  return BootReport{.passed = passed,
                    .seen = watch.seen(),
                    .checked = std::move(checked),
                    .is_all_seen = is_all_seen,
                    .missing = std::move(missing),
                    .reason = std::move(reason),
                    .last_lines = watch.last_lines(),
                    .took = reader.elapsed()};
}

}  // namespace hearth::vm
