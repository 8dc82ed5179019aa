// Serial consoles for those who are elsewhere: what a machine says, and one keyboard for it. What it says comes from
// the file of a machine of this computer (driver qemu, a rehearsal's), or from the socket of a BMC's session
// (consoles.hpp); what is typed goes to that socket, or to QEMU's. Nothing that is typed is kept or told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/power/consoles.hpp"

namespace hearth::bootstrap {

class ConsoleDesk {
 public:
  static constexpr Duration k_sign = std::chrono::seconds(20);  ///< without one from its page, a keyboard is given back
  static constexpr Duration k_idle = std::chrono::minutes(5);   ///< so is one on which nobody types
  static constexpr std::size_t k_keys = 4096;                   ///< bytes that may be typed at once

  /// `others`: below it, by name, machines that another program runs; may be empty.
  ConsoleDesk(fs::path state, fs::path others, const Clock& clock)
      : state_(std::move(state)), others_(std::move(others)), clock_(clock) {}
  /// Of whom the session with a node's BMC is asked, by its UUID; without it, each that is there is taken to be up.
  void ask_sessions(std::function<ConsoleSession(const std::string&)> session) { session_ = std::move(session); }
  /// Nothing where nobody can be asked.
  [[nodiscard]] std::optional<ConsoleSession> session(const std::string& uuid) const {
    return session_ ? std::optional(session_(uuid)) : std::nullopt;
  }

  /// {"kind": "bmc" or "machine", "on": …, "why": …}; null where a node has none.
  [[nodiscard]] Json shown(const Node& node) const;
  /// As console_part(), with "typist" (null: nobody) and "yours". Nothing where nothing was ever said. Whoever has the
  /// keyboard shows by it that he is still there.
  [[nodiscard]] std::optional<Json> part(const Node& node, std::optional<std::uint64_t> from, const std::string& who,
                                         const std::string& keyboard);
  /// From now on what `who` types on that keyboard goes to the machine. The answer says why not; empty: it does.
  [[nodiscard]] std::string take(const Node& node, const std::string& who, const std::string& keyboard);
  [[nodiscard]] std::string type(const Node& node, const std::string& who, const std::string& keyboard,
                                 const std::string& text);
  [[nodiscard]] bool is_his(const std::string& uuid, const std::string& who, const std::string& keyboard) const;
  /// Nothing where it is not his.
  void leave(const std::string& uuid, const std::string& who, const std::string& keyboard);

  struct Ended {
    std::string uuid;
    std::string who;
    std::string why;
  };
  /// Reads what has come, and gives back keyboards that nobody uses. To be called a few times a second. Those that
  /// ended are in each answer until told().
  const std::vector<Ended>& tick();
  void told() { ended_.clear(); }

 private:
  struct Place {
    fs::path file;  ///< empty: what is said comes by the socket
    fs::path socket;
  };
  struct Line {
    Fd socket;
    bool kept = false;  ///< what comes is told to readers; else they have the file
    std::string said;
    std::uint64_t begin = 0;  ///< of `said`, in all that was
    MonotonicTime asked;
  };
  struct Typist {
    std::string who;
    std::string keyboard;
    MonotonicTime sign;
    MonotonicTime key;
  };
  [[nodiscard]] std::optional<Place> place_of(const Node& node) const;
  [[nodiscard]] bool is_down(const std::string& uuid, const Place& place) const;
  /// Why a machine of this computer can't be typed to; empty: it can.
  [[nodiscard]] std::string machine_fault(const Place& place) const;
  /// Null: nobody listens there.
  Line* line_to(const Node& node, const Place& place);
  static bool read(Line& line);

  fs::path state_;
  fs::path others_;
  const Clock& clock_;
  std::function<ConsoleSession(const std::string&)> session_;
  std::vector<Ended> ended_;
  std::map<std::string, Line> lines_;
  std::map<std::string, Typist> typists_;
  std::uint64_t said_ = 0;  ///< where the next line begins: no reader takes two for one
};

}  // namespace hearth::bootstrap
