// Gate: what every request passes before any handler of ours sees it. It asks, in this order: is it meant for us (Host:
// a name that was made to point here is refused), does a page from elsewhere send it (Origin, Sec-Fetch-Site), and who
// is it (a token, Basic credentials, or the cookie of a log-in). Where it comes from says nothing: this machine is
// nobody. Only who comes by a socket with a path is known without a token, as the user that the kernel says he is: root
// and this process's own user are administrators.
//
// A handler behind it is a GuardedHandler, which no server takes: it can't be reached past a gate.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/net/served.hpp"
#include "bootstrap/node/budget.hpp"
#include "bootstrap/node/pace.hpp"

namespace hearth::bootstrap {

/// Each may what those before it may.
enum class Role {
  nobody,
  read,     ///< look at everything but secrets
  operate,  ///< states, power, maintenance, boot devices, instructions
  admin,    ///< the inventory, images, roles, secrets, handover
};
[[nodiscard]] std::optional<Role> parse_role(std::string_view name);
[[nodiscard]] std::string_view name_of(Role role);

/// Who may come in with which token.
struct Credential {
  std::string name;
  Role role = Role::nobody;
  std::string token;
};

/// Who sends a request.
struct Caller {
  Role role = Role::nobody;
  std::string name;         ///< empty = nobody
  Role may = Role::nobody;  ///< by a cookie: what he may who gives his token, too
};

class GuardedHandler {
 public:
  virtual ~GuardedHandler() = default;
  /// As HttpHandler::answer().
  [[nodiscard]] virtual ServedResponse answer(const ServedRequest& request, const Caller& caller) = 0;
  /// As HttpHandler::hold().
  [[nodiscard]] virtual std::unique_ptr<HeldAnswer> hold(const ServedRequest& request, const Caller& caller) {
    (void)request, (void)caller;
    return nullptr;
  }
};

class Gate final : public HttpHandler {
 public:
  static constexpr auto k_session = std::chrono::hours(12);
  static constexpr std::size_t k_sessions = 1024;
  static constexpr std::uint64_t k_body = std::uint64_t{4} << 20U;        ///< bytes of what is sent to it
  static constexpr std::uint64_t k_inventory = std::uint64_t{64} << 20U;  ///< of an inventory, from who may import it

  struct Settings {
    std::vector<Credential> people;
    std::vector<std::string> hosts;  ///< names that this face is reached by, beside addresses and localhost
  };
  Gate(Settings settings, GuardedHandler& behind, const Clock& clock, Logger& log);

  /// Who may come in from now on: tokens and log-ins of others end.
  void set_people(std::vector<Credential> people) { settings_.people = std::move(people); }

  /// How long each answer takes goes there.
  void measure(Pace& pace) { pace_ = &pace; }

  /// POST /v1/hearth/login with a token: a cookie for a browser, which then may look without it; DELETE ends it.
  /// Everything else goes to the handler, or is refused: 421, 403.
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;
  [[nodiscard]] Admission admit(const ServedRequest& head) override;
  [[nodiscard]] std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) override;

 private:
  struct Fault {
    int status;
    std::string text;
  };
  /// Why no handler may see it.
  [[nodiscard]] std::optional<Fault> fault_of(const ServedRequest& request) const;
  [[nodiscard]] Caller caller_of(const ServedRequest& request) const;
  [[nodiscard]] Caller by_token(const std::string& token) const;
  [[nodiscard]] static Caller by_user(uid_t user);
  [[nodiscard]] Caller by_session(const std::string& session) const;
  [[nodiscard]] std::uint64_t seconds_now() const;
  void end_session(const std::string& session);
  [[nodiscard]] ServedResponse log_in(const ServedRequest& request, const Caller& caller);

  Settings settings_;
  GuardedHandler& behind_;
  const Clock& clock_;
  Logger& log_;
  Pace* pace_ = nullptr;
  std::set<std::string> ended_;  ///< sessions that were logged out, by their ends
  Budget warnings_;
};

/// Whether a Host header names this machine: an address, localhost, or one of `names`. A page whose own name was made
/// to point here ("DNS rebinding") comes with that name.
[[nodiscard]] bool is_own_host(const std::string& host, const std::vector<std::string>& names);
/// Whether a web browser sends it on behalf of a page that is not ours (Fetch standard, "Origin"; Fetch Metadata).
[[nodiscard]] bool is_from_foreign_page(const ServedRequest& request);
/// People's tokens: "NAME ROLE TOKEN" a line, # begins a comment. Throws Error, with the line.
[[nodiscard]] std::vector<Credential> parse_people(std::string_view text, const std::string& source);

}  // namespace hearth::bootstrap
