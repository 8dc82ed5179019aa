#include "simulation/many_runs.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process_copy.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"

namespace hearth::simulation {

namespace {

// What a process that plays takes: measured with 6 and with 200 machines.
constexpr std::uint64_t k_process_bytes = std::uint64_t{40} << 20U;
constexpr std::uint64_t k_machine_bytes = std::uint64_t{1} << 20U;

constexpr int k_look_ms = 1000;  ///< so often whoever looks on is told that time passes

/// A process that plays its share, and what it has said of it.
class Player {
 public:
  Player(const ManyRuns& wish, const std::string& directory, std::uint64_t first, std::uint64_t step)
      : wish_(wish), directory_(directory), next_(first), step_(step), said_(::memfd_create("said", MFD_CLOEXEC)) {
    begin();
  }
  [[nodiscard]] bool is_done() const { return !process_; }
  [[nodiscard]] int descriptor() const { return results_.get(); }

  /// What has come; to be called when there is something to read. Returns of how many runs.
  std::uint64_t take() {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(results_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return 0;
    if (count > 0) {
      std::uint64_t taken = 0;
      rest_.append(bytes.data(), static_cast<std::size_t>(count));
      for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1)) {
        const RunResult result = parse_result(std::string_view(rest_).substr(0, end));
        next_ = result.run + step_;
        wish_.take(result);
        ++taken;
      }
      return taken;
    }
    const std::string how = how_ended();
    process_.reset();
    if (next_ > wish_.runs) return 0;
    wish_.take({next_, cat("the process that played it ended: ", how, last_words()), "", 0, 0, 0, {}});
    next_ += step_;
    if (next_ <= wish_.runs) begin();
    return 1;
  }

 private:
  void begin() {
    Pipe pipe = Pipe::create();
    results_ = std::move(pipe.read);
    rest_.clear();
    process_.emplace(ProcessCopy::start(
        [this] {
          try {
            play_share();
          } catch (const Error& error) {
            cli::tell(cat(error.story(), "\n"));
            return error.exit_code();
          }
          return 0;
        },
        pipe.write, said_));
  }
  /// In the copy.
  void play_share() const {
    const Fd out(::dup(STDOUT_FILENO));
    for (std::uint64_t run = next_; run <= wish_.runs; run += step_)
      write_all(out, cat(line_of(result_of(run, wish_.play(run, directory_))), "\n"), "the starter");
  }
  /// Its results have ended: so has it, or it is about to.
  std::string how_ended() {
    pollfd end{process_->end().get(), POLLIN, 0};
    (void)::poll(&end, 1, 1000);
    const std::optional<ExitStatus> status = process_->ended();
    if (!status || std::holds_alternative<Exited>(*status)) return "";
    return cat(describe(*status), *status == ExitStatus(Signaled{SIGKILL}) ? " (for lack of memory?)" : "", ": ");
  }
  std::string last_words() {
    std::string text;
    std::array<char, 4096> bytes{};
    const ssize_t count = ::pread(said_.get(), bytes.data(), bytes.size(), 0);
    if (count > 0) text.assign(bytes.data(), static_cast<std::size_t>(count));
    said_ = Fd(::memfd_create("said", MFD_CLOEXEC));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.empty() ? "it said nothing" : replace_all(text, "\n", " | ");
  }

  const ManyRuns& wish_;
  const std::string& directory_;
  std::uint64_t next_;
  std::uint64_t step_;
  Fd said_;
  Fd results_;
  std::string rest_;
  std::optional<ProcessCopy> process_;
};

}  // namespace

unsigned fitting_processes(unsigned asked, std::size_t machines, std::uint64_t memory) {
  const std::uint64_t each = k_process_bytes + machines * k_machine_bytes;
  if (memory == 0) return asked;
  if (memory < each)
    throw Error(ErrorKind::unsupported, cat("a site of ", machines, " machines takes about ", human_bytes(each),
                                            " of memory to be played, and ", human_bytes(memory), " is free"))
        .hint("Play a part of it: a copy of the file with some of its machines.");
  return static_cast<unsigned>(std::min<std::uint64_t>(asked, memory / each));
}

void play_all(const ManyRuns& wish) {
  const StopSignals signals;
  const TempDir directory = TempDir::create(wish.parent, "hearth-simulations-");
  const std::string path = directory.path().string();
  std::vector<std::unique_ptr<Player>> players;
  const std::uint64_t count = std::min<std::uint64_t>(wish.processes, wish.runs);
  for (std::uint64_t first = 1; first <= count; ++first)
    players.push_back(std::make_unique<Player>(wish, path, first, count));
  std::uint64_t done = 0;
  while (!players.empty()) {
    std::vector<pollfd> waited;
    for (const auto& player : players) waited.push_back({player->descriptor(), POLLIN, 0});
    (void)::poll(waited.data(), waited.size(), k_look_ms);
    StopSignals::check();
    for (std::size_t i = 0; i < waited.size(); ++i) {
      if (waited[i].revents != 0) done += players[i]->take();
    }
    std::erase_if(players, [](const auto& player) { return player->is_done(); });
    if (wish.progress) wish.progress(done);
  }
}

}  // namespace hearth::simulation
