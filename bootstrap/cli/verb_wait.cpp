#include "bootstrap/cli/verb_wait.hpp"

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "bootstrap/client/node_text.hpp"
#include "bootstrap/client/wait_lines.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// Why it will not come to that state; empty: it may yet.
std::string failure_to_reach(const std::string& state, const std::string& id, const Json& node) {
  const State now = parse_state(text_in(node, "provision_state")).value_or(State::available);
  const StateKind kind = kind_of(now);
  if (kind != StateKind::failed && kind != StateKind::stable) return "";
  return cat("Node ", id, " failed to reach state ", state, ". It's in ",
             kind == StateKind::failed ? cat("state ", name(now), ", and has error: ")
                                       : cat("unexpected stable state ", name(now), ": "),
             shown_value(node["last_error"]));
}

/// Those of `ids` that have come to the state are told and go to `well`, those that will not to `failures`; how the
/// others are.
Json take_arrived(ConductorClient& conductor, const std::string& state, std::vector<std::string>& ids,
                  std::vector<std::string>& well, std::vector<std::string>& failures) {
  Json others = Json::array();
  std::erase_if(ids, [&](const std::string& id) {
    Json node = conductor.call("GET", node_target(id));
    const bool is_there = text_in(node, "provision_state") == state && node["target_provision_state"].is_null();
    const std::string failure = is_there ? "" : failure_to_reach(state, id, node);
    if (is_there) {
      cli::tell(cat(id, " is ", state, "\n"));
      well.push_back(id);
    } else if (!failure.empty()) {
      failures.push_back(failure);
    } else {
      others.push_back(std::move(node));
      return false;
    }
    return true;
  });
  return others;
}

}  // namespace

void wait_for(ConductorClient& conductor, std::vector<std::string> ids, const std::string& state, std::uint64_t seconds,
              std::vector<std::string>& well, std::vector<std::string>& failures) {
  cli::print(
      cat("Waiting for provision state ", state, ids.size() == 1 ? " on node " : " on nodes ", join(ids, ", "), "\n"));
  cli::flush();
  const SystemClock clock;
  const StopSignals signals;
  WaitLines lines(clock, cli::tell);
  for (std::uint64_t waited = 0; seconds == 0 || waited <= seconds * 2; ++waited) {
    const Json nodes = take_arrived(conductor, state, ids, well, failures);
    if (ids.empty()) return;
    lines.look(ids.size() == 1 ? node_line(ids.front(), nodes.front()) : node_lines(nodes));
    conductor.wait(std::chrono::milliseconds(500));
    if (StopSignals::received() != 0)
      throw Error(ErrorKind::interrupted, cat("the wait for ", join(ids, ", "), " was ended; what has begun goes on"))
          .hint(cat("hearth node events -f ", ids.front(), " watches it, hearth node abort ", ids.front(), " ends it"));
  }
  for (const std::string& id : ids)
    failures.push_back(cat("Node ", id, " did not reach state ", state, " in ", seconds,
                           " s; it goes on, and hearth node events -f ", id, " watches it"));
}

}  // namespace hearth::bootstrap
