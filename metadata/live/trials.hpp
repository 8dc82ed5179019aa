// Requests are tried before they are answered: a forked copy of the server answers first, within limits of processor
// time and memory, and keeps, changes and tells nothing. Only what came to its end there is answered by the server
// itself; what only asks, or is refused, has its answer from the copy. So no template can stop or block the server,
// whatever its budgets forgot.
//
// A copy is made between two answers, never in the midst of one, so that it finds all that is known as it should be.
// Few run at once; who waits for his turn is served in order, and the line has an end. Machines have a line of their
// own, so that they don't wait for people's templates. Changes of one tree of stacks are tried one after another, in
// the order in which they came: so none finds at its end that another changed what it was tried with, however many
// there are.
//
// What took the copy longer than others can wait, the server does on a side thread: they are served meanwhile, all but
// those that are about the same trees. A line has as many of these at once as it has copies, so that whoever is a
// little heavy does not wait for the end of what is very heavy. A copy is made while they rest, so that it finds no
// lock held by a thread that it has not got.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/net/http_server.hpp"
#include "base/sys/trial.hpp"

namespace hearth::metadata::live {

/// How a request is tried.
enum class Trying : std::uint8_t {
  not_at_all,  ///< nothing that it brings or asks for is evaluated
  asks,        ///< it changes nothing: what the copy answers is the answer
  lists,       ///< the same, but that the answer may be so long that others would wait for it each time
  changes,
  machine_asks,  ///< these two come from machines
  signals
};

/// What is tried for whom.
struct Tried {
  const ServedRequest& request;
  Trying how = Trying::changes;
  HttpHandler& inner;
  /// Ids of the trees of stacks that it may change.
  std::vector<std::string> trees;
  /// What the answer depends on beside the request; while it is the same, so is the answer.
  std::function<std::uint64_t()> state;
  /// Told when it came to its end; may be empty.
  std::function<void(std::uint64_t state)> passed;
  /// An answer that says what was wrong, as this port's clients read it.
  std::function<ServedResponse(const std::string& message)> refusal;
  /// Called before a copy is made: what it needs and only the original can read. May be empty, and throw.
  std::function<void()> prepare = {};
};

struct LineLimits {
  std::size_t at_once = 2;                         ///< that are tried, and again on side threads
  std::size_t length = 256;                        ///< requests that wait or are tried
  std::uint64_t bytes = std::uint64_t{64} << 20U;  ///< of their bodies
};

class Trials {
 public:
  struct World {
    HttpServer& server;
    const Clock& clock;
    Logger& log;
    TrialLimits limits;
    /// Called in the copy, before anything else.
    std::function<void(const Trial::Breath&)> detach;
    /// Whether the copy's answer is worth nothing because it needed what only the original can read.
    std::function<bool()> lacked_something;
    LineLimits people{};
    LineLimits machines{.length = 4096};
    /// Processor time that others can wait for.
    Duration light = std::chrono::milliseconds(20);
  };

  explicit Trials(World world);
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  ~Trials();

  [[nodiscard]] std::unique_ptr<HeldAnswer> hold(Tried tried);

 private:
  class Held;
  struct Side;
  struct Line {
    LineLimits limits;
    std::size_t tried = 0;
    std::size_t requests = 0;
    std::uint64_t bytes = 0;
    std::vector<std::unique_ptr<Side>> sides{};
  };

  void go_on_soon();
  void go_on();
  void await(std::uint64_t number, int descriptor);
  void wake(std::uint64_t number);
  void end_late_ones();
  void end_sides();
  [[nodiscard]] bool sides_rest();
  void begin_sides(Line& line);
  [[nodiscard]] std::vector<Side*> sides() const;
  void go_on_beside(std::uint64_t number);
  [[nodiscard]] bool is_beside(const std::vector<std::string>& trees) const;

  World world_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Held*> held_;  ///< by number: whoever came first is first
  Line people_;
  Line machines_;
  std::map<std::string, std::size_t> changes_;  ///< tree → how many wait or are tried
};

/// Answers that cross from the copy.
[[nodiscard]] std::string packed(const ServedResponse& response);
[[nodiscard]] std::optional<ServedResponse> unpacked(std::string_view text);

}  // namespace hearth::metadata::live
