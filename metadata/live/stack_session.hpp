// What the commands of `hearth stack` share: the connection to the engine, its options, waiting for an action's end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/net/web_client.hpp"
#include "metadata/live/stack_client.hpp"

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
/// Prints events until `until` says that it is enough.
void follow(Session& session, const std::string& place, const std::string& name, const std::function<bool()>& until);
/// Follows the action to its end; the exit code.
[[nodiscard]] int wait_for(Session& session, const std::string& place, const std::string& name);

}  // namespace hearth::metadata::live
