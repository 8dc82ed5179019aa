// The network of one build: its lock, its store, its proxy, and what hooks have to know of them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/progress.hpp"
#include "base/sys/process.hpp"
#include "builder/fetch/fetch_plan.hpp"
#include "builder/fetch/lock_file.hpp"

namespace hearth::builder::fetch {

/// What hooks are given: files below HOOKS/.fetch, and variables. In a variable, k_hooks_place stands for HOOKS, which
/// has one path on the host and another in the target.
struct HookView {
  std::map<std::string, std::string> files;
  Environment variables;
};
inline constexpr const char* k_hooks_place = "@HOOKS@";
/// Of the files: whom to trust, made anew for each build.
inline constexpr const char* k_authorities_file = "authorities.pem";
/// Adds the variables for hooks of the host to `environment`; the files are below `hooks`. The proxies that it names so
/// far, which an image may need, become HEARTH_CALLER_http_proxy and its like.
void add_variables(const HookView& view, const std::string& hooks, Environment& environment);

class FetchSession {
 public:
  /// Reads the lock. Throws Error: input when it is wrong, not_found when it is needed and isn't there.
  FetchSession(const FetchPlan& plan, const Environment& environment);
  FetchSession(FetchSession&&) noexcept;
  ~FetchSession();

  [[nodiscard]] const HookView& view() const;
  /// In the sandbox's process: cuts the network, and shows steps to the proxy. Call once.
  [[nodiscard]] std::unique_ptr<Progress> enter(std::unique_ptr<Progress> progress);
  /// For whoever keeps results of steps, in the sandbox: lines "fetch METHOD URL DIGEST" of what was asked for since
  /// the last call. Throws Error(input) when they can't all be told.
  [[nodiscard]] std::vector<std::string> new_fetches();
  /// The digest of what "METHOD URL" would be answered with now, or a word in its place (recording.hpp): the lock's; of
  /// a recording the network's, which is asked through the proxy as hooks ask it.
  [[nodiscard]] std::string answer_now(const std::string& fetch);
  /// In the sandbox's process, before anything is made of the tree: throws Error(input) with the list when a recording
  /// could not record all that hooks asked for, and the user has not allowed that.
  void require_complete();
  /// Before the first step runs: results of steps were taken from earlier builds, which fetched these ("METHOD URL")
  /// for them. What answer_now() was asked for besides does not count as fetched.
  void take_over(const std::vector<std::string>& fetches);
  /// In the sandbox's process: lines NAME=VALUE for the lock, which hooks wrote into HOOKS/.fetch/settings.
  void keep_settings(std::string_view lines);
  /// In the starter, once the sandbox's process runs: waits for it to enter, then serves it. Nothing happens when the
  /// sandbox died before.
  void serve();
  /// Ends the proxy. After a good build that recorded, writes the lock. Returns what there is to tell the user:
  /// requests without answer and what to do about them; empty when all went well.
  [[nodiscard]] std::string finish(bool good);
  /// What this build fetched, with the settings that held; after finish().
  [[nodiscard]] const Lock& fetched() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The caller's environment for a build of `plan`: what the lock settled where he has set nothing, and one time for
/// everything that carries times (SOURCE_DATE_EPOCH), which a recording takes from the clock. Throws Error as the
/// constructor does.
[[nodiscard]] Environment settled_environment(const FetchPlan& plan, Environment environment, const Clock& clock);

/// Where bodies are kept: HEARTH_CACHE/fetched, else in XDG_CACHE_HOME/hearth, else in ~/.cache/hearth.
[[nodiscard]] fs::path fetch_directory(const Environment& environment);

}  // namespace hearth::builder::fetch
