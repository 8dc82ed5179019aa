// What the commands of `hearth stack` share: the connection to the engine, its options, waiting for an action's end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/net/web_client.hpp"
#include "metadata/live/stack_client.hpp"
#include "metadata/live/stack_text.hpp"

namespace hearth::metadata::live {

inline constexpr const char* k_talks_to_service = "Talks to the engine that `hearth metadata serve` runs.";

/// A connection to the running engine, as the options say.
struct Session {
  SystemClock clock;
  WebClient http;
  StackClient client;

  explicit Session(const cli::Arguments& arguments);
};

/// --json, --url, --state and --token-file, behind these.
[[nodiscard]] std::vector<cli::Option> with_common(std::vector<cli::Option> options);

/// Prints what happens to a stack, with its nested ones: from its beginning, or from where skip() was called.
class EventLines {
 public:
  EventLines(Session& session, std::string place, const std::string& name)
      : session_(session), place_(std::move(place)), name_(name), paths_(name) {}

  /// What has happened until now is not printed.
  void skip() { take(false); }
  /// Prints until `until` says that it is enough.
  void follow(const std::function<bool()>& until);
  /// Follows the action to its end; the exit code.
  [[nodiscard]] int wait();

 private:
  void take(bool print);

  Session& session_;
  std::string place_, name_;
  EventPaths paths_;
  std::string marker_;  ///< the last that was seen
};

/// Begins an action at a stack that is there, and with --wait follows it, and nothing before it, to its end. The exit
/// code.
[[nodiscard]] int act_on(Session& session, const cli::Arguments& arguments, const std::string& name,
                         const std::function<void(const std::string& place)>& begin);

}  // namespace hearth::metadata::live
