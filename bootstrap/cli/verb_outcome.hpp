// How far a verb has come when one looks at its node: what `hearth node manage`, `deploy` and their like wait for
// before they end, and what they say then; and how several nodes are asked. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cli/options.hpp"
#include "base/json.hpp"

namespace hearth::bootstrap {

enum class VerbProgress {
  reached,
  failed,
  checking,  ///< in a stage that takes moments: what is wrong with the node itself shows here
  begun,     ///< in one that waits for a machine
};

/// `goal` is the state that the verb leads to.
[[nodiscard]] VerbProgress verb_progress(const Json& node, std::string_view goal);

/// "alpha is enroll, not manageable: BMC …: Connection refused"; `node` is called as the person called it.
[[nodiscard]] std::string verb_failure(const std::string& called, const Json& node, std::string_view goal);
/// "beta: deploying (power on)"
[[nodiscard]] std::string verb_beginning(const std::string& called, const Json& node);

/// Of a verb that waits for nothing, as abort: "web1 is service failed; hearth why web1 says what may come next".
[[nodiscard]] std::string where_it_is(const std::string& called, const Json& node);

/// The seconds of --wait; 0 where it is not given. Throws Error(usage).
[[nodiscard]] std::uint64_t patience(const cli::Arguments& arguments);

/// The first of those that is not among these, which are not all.
[[nodiscard]] std::string first_not_in(const std::vector<std::string>& these, const std::vector<std::string>& of);

/// Asks something of each node: one that refuses keeps none of the others back, which `failures` gets. A conductor that
/// does not answer does: it would be waited for anew at each; then false. `alone`: it is the only one, and its error
/// is thrown.
bool ask_each(const std::vector<std::string>& ids, bool alone, std::vector<std::string>& failures,
              const std::function<void(const std::string&)>& ask);

}  // namespace hearth::bootstrap
