#include "bootstrap/cli/verb_outcome.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// Empty: no job, or a conductor that does not tell.
std::string stage_of(const Json& node) {
  const Json internal = node.value("driver_internal_info", Json::object());
  return internal.contains("job") ? text_in(internal["job"], "stage") : "";
}

/// Stages that ask no machine but its BMC.
bool takes_moments(const std::string& stage) {
  return stage.empty() || stage == "check" || stage == "verify" || stage == "finish";
}

}  // namespace

VerbProgress verb_progress(const Json& node, std::string_view goal) {
  const std::string state = text_in(node, "provision_state");
  if (state == goal && node.value("target_provision_state", Json()).is_null()) return VerbProgress::reached;
  switch (kind_of(parse_state(state).value_or(State::available))) {
    case StateKind::stable:
    case StateKind::failed: return VerbProgress::failed;
    case StateKind::working: return takes_moments(stage_of(node)) ? VerbProgress::checking : VerbProgress::begun;
    case StateKind::waiting:
    case StateKind::held: break;
  }
  return VerbProgress::begun;
}

std::string verb_failure(const std::string& called, const Json& node, std::string_view goal) {
  const std::string why = text_in(node, "last_error");
  return cat(called, " is ", text_in(node, "provision_state"), ", not ", goal, why.empty() ? "" : ": ", why);
}

std::string verb_beginning(const std::string& called, const Json& node) {
  const std::string stage = stage_of(node);
  return cat(called, ": ", text_in(node, "provision_state"), stage.empty() ? "" : cat(" (", stage, ")"));
}

std::string where_it_is(const std::string& called, const Json& node) {
  const std::string state = text_in(node, "provision_state");
  const bool rests = kind_of(parse_state(state).value_or(State::available)) == StateKind::stable;
  if (!rests) return cat(called, " is ", state, "; hearth why ", called, " says what may come next");
  const bool switches = !node.value("target_power_state", Json()).is_null();
  const std::string error = text_in(node, "last_error");
  return cat(called, " is ", state, switches ? "; its machine is started again, into its own system" : "",
             error.empty() ? "" : cat("; ", error));
}

std::uint64_t patience(const cli::Arguments& arguments) {
  const std::string given = arguments.value_or("wait", "0");
  const std::optional<std::uint64_t> seconds = parse_number(given);
  if (!seconds) throw Error(ErrorKind::usage, cat("--wait: '", given, "' is no number of seconds"));
  return *seconds;
}

std::string first_not_in(const std::vector<std::string>& these, const std::vector<std::string>& of) {
  for (const std::string& one : of) {
    if (std::find(these.begin(), these.end(), one) == these.end()) return one;
  }
  return of.front();
}

bool ask_each(const std::vector<std::string>& ids, bool alone, std::vector<std::string>& failures,
              const std::function<void(const std::string&)>& ask) {
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    try {
      ask(*id);
    } catch (const Error& error) {
      if (alone || error.kind() == ErrorKind::interrupted) throw;
      const bool names_it = error.kind() == ErrorKind::external;  // what came of a wait
      failures.push_back(names_it ? error.what() : cat(*id, ": ", error.story()));
      if (error.kind() != ErrorKind::io) continue;
      if (id + 1 != ids.end())
        failures.push_back(cat("not asked any more, as nobody answers: ", join({id + 1, ids.end()}, ", ")));
      return false;
    }
  }
  return true;
}

}  // namespace hearth::bootstrap
