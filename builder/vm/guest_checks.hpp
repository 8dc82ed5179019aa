// What is asked of a guest that runs, from outside: a page that it serves, a command that is run in it. Each check can
// be made again until it passes or the deadline has come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/path.hpp"
#include "base/result.hpp"
#include "base/sys/process.hpp"
#include "builder/vm/guest_resources.hpp"

namespace hearth::builder::vm {

class GuestCheck {
 public:
  virtual ~GuestCheck() = default;
  /// As a person reads it: "http 80/", "run systemctl is-active nginx".
  [[nodiscard]] virtual std::string text() const = 0;
  /// The guest's port that it needs, and the one of this machine's loopback that leads there.
  [[nodiscard]] virtual std::uint16_t guest_port() const = 0;
  void use_port(std::uint16_t port) { port_ = port; }

  struct Outcome {
    bool done = false;              ///< another look would give no other answer
    std::vector<Verdict> verdicts;  ///< at least one
    bool no_way_in = false;         ///< nobody could log in: told soon where the system has come up, and it stays so
    bool is_cut = false;            ///< the verdicts say why what it asks was not answered
  };
  /// What it asks, each with `why`: of a check that nobody came to make, or that was not answered.
  [[nodiscard]] virtual std::vector<Verdict> unanswered(const std::string& why) const {
    return {{text(), Verdict::Outcome::unanswered, why}};
  }
  /// Once; takes a few seconds at most, a command as long as it runs.
  [[nodiscard]] virtual Outcome look(const Deadline& deadline) = 0;

 protected:
  std::uint16_t port_ = 0;
};

/// "80/", "8080/health=ok": PORT/PATH[=WORDS]. Answered with a status below 400, and with WORDS in the body.
struct HttpWish {
  std::uint16_t port = 0;
  std::string path;
  std::string words;
  std::optional<std::uint64_t> status;  ///< this one and no other
  std::vector<std::string> body;        ///< goss's patterns
};
[[nodiscard]] Result<HttpWish, std::string> parse_http_wish(const std::string& text);

/// How long a page is asked for that is not as it should be: since it was first answered, or, where the system is known
/// to have started, since it was first asked for.
struct PagePatience {
  Duration patience;
  bool has_started = false;
};
/// Without patience it is asked for until it is well, or the test ends.
[[nodiscard]] std::unique_ptr<GuestCheck> http_check(const HttpWish& wish, const Clock& clock,
                                                     std::optional<PagePatience> patience = {});
/// How checks log in by ssh as root.
struct WayIn {
  fs::path key;             ///< its public half is in KEY.pub
  bool has_server = false;  ///< the image is known to have an ssh server
};

/// Its exit code decides; 255 is ssh's own, and tried again.
[[nodiscard]] std::unique_ptr<GuestCheck> run_check(const std::string& command, const WayIn& way,
                                                    CommandRunner& runner);

/// What a file asks of the guest's inside, all of it in one log-in. Asked again until all is so, or `patience` has
/// passed since the system told that it has started: what comes up with it may take its time, what is wrong is not
/// waited for.
[[nodiscard]] std::unique_ptr<GuestCheck> inside_check(std::vector<ResourceCheck> checks, const WayIn& way,
                                                       Duration patience, const Clock& clock, CommandRunner& runner);

/// A port of 127.0.0.1 that nobody uses just now. Throws Error.
[[nodiscard]] std::uint16_t free_port();

}  // namespace hearth::builder::vm
