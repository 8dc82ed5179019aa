#include "bootstrap/power/consoles.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "bootstrap/power/driver_keys.hpp"
#include "bootstrap/power/ipmi_driver.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_kept_output = std::size_t{16} << 10U;
constexpr std::size_t k_most_readers = 8;
constexpr std::size_t k_most_typed = std::size_t{4} << 10U;  // held for a session that is slower than who pastes
constexpr char k_escape = '\x1d';                            // Ctrl-]
constexpr std::string_view k_greeting = "operational";       // ipmitool's "[SOL Session operational.  Use …]"
constexpr std::size_t k_longest_greeting = std::size_t{4} << 10U;
constexpr std::chrono::seconds k_longest_pause{300};  // between two sessions
constexpr std::chrono::seconds k_lasting{60};         // a session that did is followed by the shortest pause

/// What reaches the BMC; the session's own escapes (end it, stop ipmitool) begin with what is never passed on to it.
Command session_command(const Node& node, const char* verb, const char* suite) {
  Command command = ipmi_command(node, {"-e", std::string(1, k_escape), "sol", verb}, suite);
  std::erase(command.argv, "-v");  // would be told among what the machine says
  return command;
}

struct Terminal {
  Fd ours;
  Fd theirs;
  static Terminal open() {
    int ours = -1;
    int theirs = -1;
    termios raw{};
    ::cfmakeraw(&raw);
    if (::openpty(&ours, &theirs, nullptr, &raw, nullptr) != 0) throw Error::from_errno("opening", "a pty");
    Terminal made{Fd(ours), Fd(theirs)};
    for (const int fd : {ours, theirs}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(ours, F_SETFL, O_NONBLOCK);
    return made;
  }
};

/// Of what ipmitool said.
std::string last_line(const std::string& said) {
  std::string last = "ipmitool has ended, and said nothing";
  for (const std::string& line : split_lines(replace_all(said, "\r", "\n"))) {
    if (!trim(line).empty()) last = trim(line);
  }
  return last;
}

}  // namespace

fs::path console_socket(const fs::path& state, const std::string& uuid) { return state / "consoles" / uuid; }

bool has_console(const Node& node) {
  return node.driver == "ipmi" && text_in(node.fields, "console_interface") == "ipmitool-socat";
}

std::string console_fault(const Node& node) {
  if (!has_console(node)) return unsupported(node.driver, "console").what();
  if (const std::string owner = given_to(node); !owner.empty()) return cat("the machine was given to ", owner);
  if (driver_setting(node, "ipmi_protocol_version") == "1.5") {
    return "Serial over lan only works with IPMI protocol version 2.0. Check the 'ipmi_protocol_version' parameter in "
           "node's driver_info";
  }
  return "";
}

/// One machine's, on a thread of its own.
class Consoles::Line {
 public:
  Line(const Node& node, fs::path socket, std::string told, std::chrono::milliseconds pause)
      : suites_({Commands(node, k_ipmi_suite), Commands(node, k_old_ipmi_suite)}),
        told_(std::move(told)),
        socket_(std::move(socket)),
        listener_(listen_locally(socket_)),
        stop_(Pipe::create()),
        first_pause_(pause),
        thread_([this] { run(); }) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    stop_.write = Fd();
    thread_.join();
    boost::system::error_code ignored;
    fs::remove(socket_, ignored);
  }
  /// How its BMC is reached.
  [[nodiscard]] const std::string& told() const { return told_; }
  [[nodiscard]] ConsoleSession state() const {
    const std::lock_guard lock(mutex_);
    return {is_up_, fault_};
  }

 private:
  void run() {
    bool is_first = true;
    for (std::chrono::milliseconds pause = first_pause_; !is_over_; is_first = false) {
      bool is_probe = false;
      try {
        const auto begun = std::chrono::steady_clock::now();
        session(suites_.at(suite_).free, false);  // what one that was killed has left keeps all others out
        const std::optional<std::string> fault = session(suites_.at(suite_).session, true);
        // A BMC that has the other suite only says no at once: the first such answer tells nothing else yet.
        const bool is_refused = fault && std::chrono::steady_clock::now() - begun < std::chrono::seconds(2);
        if (is_refused) suite_ = 1 - suite_;
        is_probe = is_refused && is_first;
        if (fault && !is_over_ && !is_probe) keep(*fault);
        if (std::chrono::steady_clock::now() - begun > k_lasting) pause = first_pause_;
        give(cat("\r\n[the BMC has ended the session: it is begun anew in ", pause.count() / 1000, " s]\r\n"));
      } catch (const std::exception& error) {
        keep(error.what());
        give(cat("\r\n[", error.what(), "]\r\n"));
      }
      wait(pause);
      if (!is_probe) pause = std::min<std::chrono::milliseconds>(pause * 2, k_longest_pause);
    }
  }

  void wait(std::chrono::milliseconds pause) {
    const auto until = std::chrono::steady_clock::now() + pause;
    for (auto now = until - pause; now < until && !is_over_; now = std::chrono::steady_clock::now())
      look(nullptr, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count()));
  }

  void keep(std::string fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }

  void came_up() {
    const std::lock_guard lock(mutex_);
    is_up_ = true;
    fault_.clear();
  }

  /// Until it ends. Where it did not come up, what it said last.
  std::optional<std::string> session(const Command& command, bool shown) {
    if (is_over_) return std::nullopt;
    Terminal terminal = Terminal::open();
    const int theirs = terminal.theirs.get();
    const Child child = Child::spawn(
        {.argv = command.argv, .env = command.env, .cwd = {}, .root = {}, .in = theirs, .out = theirs, .err = theirs});
    terminal.theirs = Fd();
    std::array<char, 4096> bytes;
    std::string greeting;
    bool was_up = false;
    while (!is_over_) {
      look(&terminal.ours, 1000);
      const ssize_t got = ::read(terminal.ours.get(), bytes.data(), bytes.size());
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;  // nobody has its other end
      if (got < 0 || !shown) continue;
      const std::string_view said(bytes.data(), static_cast<std::size_t>(got));
      if (!was_up && greeting.size() < k_longest_greeting) {
        greeting.append(said);
        was_up = greeting.find(k_greeting) != std::string::npos;
        if (was_up) came_up();
      }
      give(said);
    }
    is_up_ = false;
    return was_up ? std::nullopt : std::optional(last_line(greeting));
  }

  /// Waits for the session's output, for readers and what they type, and for the end.
  void look(const Fd* machine, int milliseconds) {
    if (machine == nullptr) typed_.clear();                        // lost, as on a line that is cut
    const short keys = typed_.size() < k_most_typed ? POLLIN : 0;  // who types faster waits
    std::vector<pollfd> waiting = {{stop_.read.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Fd& reader : readers_) waiting.push_back({reader.get(), keys, 0});
    if (machine != nullptr)
      waiting.push_back({machine->get(), static_cast<short>(typed_.empty() ? POLLIN : POLLIN | POLLOUT), 0});
    if (::poll(waiting.data(), waiting.size(), milliseconds) <= 0) return;
    if (waiting[0].revents != 0) is_over_ = true;
    for (std::size_t i = readers_.size(); i > 0; --i) {
      if (waiting[i + 1].revents != 0 && !take(readers_[i - 1]))
        readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    if (machine != nullptr) pass_on(*machine);
    if (waiting[1].revents != 0) let_in();
  }

  void let_in() {
    Fd reader(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!reader || readers_.size() >= k_most_readers) return;
    if (send(reader, output_)) readers_.push_back(std::move(reader));
  }

  /// What one has typed; false when he has gone.
  bool take(const Fd& reader) {
    std::array<char, 1024> bytes;
    const ssize_t got = ::recv(reader.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    typed_.append(bytes.data(), static_cast<std::size_t>(got));
    std::erase(typed_, k_escape);
    return got > 0;
  }

  /// As much of it as the session takes now.
  void pass_on(const Fd& machine) {
    if (typed_.empty()) return;
    const ssize_t taken = ::write(machine.get(), typed_.data(), typed_.size());
    if (taken > 0) typed_.erase(0, static_cast<std::size_t>(taken));
  }

  static bool send(const Fd& reader, std::string_view text) {
    return text.empty() || ::send(reader.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
                               static_cast<ssize_t>(text.size());
  }

  /// To all who look on; who is too slow for it is let go.
  void give(std::string_view text) {
    output_.append(text);
    if (output_.size() > k_kept_output) output_.erase(0, output_.size() - k_kept_output);
    std::erase_if(readers_, [&](const Fd& reader) { return !send(reader, text); });
  }

  struct Commands {
    Commands(const Node& node, const char* suite)
        : free(session_command(node, "deactivate", suite)), session(session_command(node, "activate", suite)) {}
    Command free;
    Command session;
  };
  const std::array<Commands, 2> suites_;
  std::size_t suite_ = 0;
  const std::string told_;
  const fs::path socket_;
  const Fd listener_;
  Pipe stop_;
  const std::chrono::milliseconds first_pause_;
  std::vector<Fd> readers_;
  std::string output_;
  std::string typed_;
  bool is_over_ = false;
  std::atomic<bool> is_up_ = false;
  mutable std::mutex mutex_;
  std::string fault_;
  std::thread thread_;
};

Consoles::Consoles(fs::path state, Logger& log, std::chrono::milliseconds pause)
    : state_(std::move(state)), log_(log), pause_(pause) {}
Consoles::~Consoles() = default;

ConsoleSession Consoles::session(const std::string& uuid) const {
  const auto line = lines_.find(uuid);
  if (line != lines_.end()) return line->second->state();
  const auto why = told_.find(uuid);
  return {false, why == told_.end() ? "" : why->second};
}

void Consoles::tell(const Node& node, const std::string& fault) {
  if (std::exchange(told_[node.uuid], fault) != fault && !fault.empty())
    log_.warning(cat("the console of node ", node.title(), " can't be opened: ", fault));
}

void Consoles::follow(const std::vector<const Node*>& among) {
  std::map<std::string, const Node*> nodes;
  for (const Node* node : among) {
    if (node->fields.value("console_enabled", false) && has_console(*node) && given_to(*node).empty())
      nodes.emplace(node->uuid, node);
  }
  std::erase_if(lines_, [&](const auto& line) {
    const auto node = nodes.find(line.first);
    return node == nodes.end() || format_json(node->second->driver_info) != line.second->told();
  });
  std::erase_if(told_, [&](const auto& row) { return !nodes.contains(row.first); });
  for (const auto& [uuid, known] : nodes) {
    const Node& node = *known;
    if (const auto line = lines_.find(uuid); line != lines_.end()) tell(node, line->second->state().fault);
    if (lines_.contains(uuid)) continue;
    try {
      RealFileSystem().make_directories(state_ / "consoles", 0700);
      lines_[uuid] = std::make_unique<Line>(node, console_socket(state_, uuid), format_json(node.driver_info), pause_);
      told_.erase(uuid);
    } catch (const Error& error) {
      lines_.erase(uuid);
      tell(node, error.what());
    }
  }
}

}  // namespace hearth::bootstrap
