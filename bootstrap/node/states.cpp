#include "bootstrap/node/states.hpp"

#include <array>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

using S = State;
using V = Verb;
using H = Happening;

struct StateRow {
  State state;
  std::string_view name;
  StateKind kind;
  std::optional<State> target;
};

constexpr StateKind k_stable = StateKind::stable, k_working = StateKind::working, k_waiting = StateKind::waiting,
                    k_failed = StateKind::failed, k_held = StateKind::held;

constexpr std::array k_states = {
    StateRow{S::enroll, "enroll", k_stable, {}},
    StateRow{S::verifying, "verifying", k_working, S::manageable},
    StateRow{S::manageable, "manageable", k_stable, {}},
    StateRow{S::available, "available", k_stable, {}},
    StateRow{S::active, "active", k_stable, {}},
    StateRow{S::error, "error", k_stable, {}},
    StateRow{S::rescue, "rescue", k_stable, {}},
    StateRow{S::deploying, "deploying", k_working, S::active},
    StateRow{S::wait_call_back, "wait call-back", k_waiting, S::active},
    StateRow{S::deploy_failed, "deploy failed", k_failed, S::active},
    StateRow{S::deploy_hold, "deploy hold", k_held, S::active},
    StateRow{S::cleaning, "cleaning", k_working, S::available},
    StateRow{S::clean_wait, "clean wait", k_waiting, S::available},
    StateRow{S::clean_failed, "clean failed", k_failed, S::available},
    StateRow{S::clean_hold, "clean hold", k_held, S::available},
    StateRow{S::deleting, "deleting", k_working, S::available},
    StateRow{S::inspecting, "inspecting", k_working, S::manageable},
    StateRow{S::inspect_wait, "inspect wait", k_waiting, S::manageable},
    StateRow{S::inspect_failed, "inspect failed", k_failed, S::manageable},
    StateRow{S::adopting, "adopting", k_working, S::active},
    StateRow{S::adopt_failed, "adopt failed", k_failed, S::active},
    StateRow{S::rescuing, "rescuing", k_working, S::rescue},
    StateRow{S::rescue_wait, "rescue wait", k_waiting, S::rescue},
    StateRow{S::rescue_failed, "rescue failed", k_failed, S::rescue},
    StateRow{S::unrescuing, "unrescuing", k_working, S::active},
    StateRow{S::unrescue_failed, "unrescue failed", k_failed, S::active},
    StateRow{S::servicing, "servicing", k_working, S::active},
    StateRow{S::service_wait, "service wait", k_waiting, S::active},
    StateRow{S::service_failed, "service failed", k_failed, S::active},
    StateRow{S::service_hold, "service hold", k_held, S::active},
};

struct VerbRow {
  State from;
  Verb verb;
  State to;
};
constexpr std::array k_verbs = {
    VerbRow{S::enroll, V::manage, S::verifying},
    VerbRow{S::manageable, V::provide, S::cleaning},
    VerbRow{S::manageable, V::clean, S::cleaning},
    VerbRow{S::manageable, V::inspect, S::inspecting},
    VerbRow{S::manageable, V::adopt, S::adopting},
    VerbRow{S::available, V::deploy, S::deploying},
    VerbRow{S::available, V::manage, S::manageable},
    VerbRow{S::wait_call_back, V::undeploy, S::deleting},
    VerbRow{S::wait_call_back, V::abort, S::deploy_failed},
    VerbRow{S::deploy_failed, V::rebuild, S::deploying},
    VerbRow{S::deploy_failed, V::deploy, S::deploying},
    VerbRow{S::deploy_failed, V::undeploy, S::deleting},
    VerbRow{S::deploy_hold, V::unhold, S::wait_call_back},
    VerbRow{S::deploy_hold, V::abort, S::deploy_failed},
    VerbRow{S::clean_hold, V::unhold, S::clean_wait},
    VerbRow{S::clean_hold, V::abort, S::clean_failed},
    VerbRow{S::service_hold, V::unhold, S::service_wait},
    VerbRow{S::service_hold, V::abort, S::service_failed},
    VerbRow{S::service_hold, V::service, S::servicing},
    VerbRow{S::service_wait, V::abort, S::service_failed},
    VerbRow{S::service_wait, V::undeploy, S::deleting},
    VerbRow{S::active, V::rebuild, S::deploying},
    VerbRow{S::active, V::undeploy, S::deleting},
    VerbRow{S::active, V::rescue, S::rescuing},
    VerbRow{S::active, V::service, S::servicing},
    VerbRow{S::error, V::rebuild, S::deploying},
    VerbRow{S::error, V::undeploy, S::deleting},
    VerbRow{S::clean_wait, V::abort, S::clean_failed},
    VerbRow{S::clean_failed, V::manage, S::manageable},
    VerbRow{S::inspect_wait, V::abort, S::inspect_failed},
    VerbRow{S::inspect_failed, V::manage, S::manageable},
    VerbRow{S::inspect_failed, V::inspect, S::inspecting},
    VerbRow{S::adopt_failed, V::adopt, S::adopting},
    VerbRow{S::adopt_failed, V::manage, S::manageable},
    VerbRow{S::rescue_wait, V::abort, S::rescue_failed},
    VerbRow{S::rescue_wait, V::undeploy, S::deleting},
    VerbRow{S::rescue, V::rescue, S::rescuing},
    VerbRow{S::rescue, V::unrescue, S::unrescuing},
    VerbRow{S::rescue, V::undeploy, S::deleting},
    VerbRow{S::rescue_failed, V::rescue, S::rescuing},
    VerbRow{S::rescue_failed, V::unrescue, S::unrescuing},
    VerbRow{S::rescue_failed, V::undeploy, S::deleting},
    VerbRow{S::unrescue_failed, V::rescue, S::rescuing},
    VerbRow{S::unrescue_failed, V::unrescue, S::unrescuing},
    VerbRow{S::unrescue_failed, V::undeploy, S::deleting},
    VerbRow{S::service_failed, V::service, S::servicing},
    VerbRow{S::service_failed, V::rescue, S::rescuing},
    VerbRow{S::service_failed, V::undeploy, S::deleting},
    VerbRow{S::service_failed, V::abort, S::active},
};

struct HappeningRow {
  State from;
  Happening happening;
  State to;
};
constexpr std::array k_happenings = {
    HappeningRow{S::verifying, H::done, S::manageable},
    HappeningRow{S::verifying, H::fail, S::enroll},
    HappeningRow{S::deploying, H::wait, S::wait_call_back},
    HappeningRow{S::deploying, H::done, S::active},
    HappeningRow{S::deploying, H::fail, S::deploy_failed},
    HappeningRow{S::deploying, H::hold, S::deploy_hold},
    HappeningRow{S::wait_call_back, H::resume, S::deploying},
    HappeningRow{S::wait_call_back, H::fail, S::deploy_failed},
    HappeningRow{S::wait_call_back, H::hold, S::deploy_hold},
    HappeningRow{S::service_wait, H::resume, S::servicing},
    HappeningRow{S::service_wait, H::fail, S::service_failed},
    HappeningRow{S::deleting, H::clean, S::cleaning},
    HappeningRow{S::deleting, H::fail, S::error},
    HappeningRow{S::cleaning, H::done, S::available},
    HappeningRow{S::cleaning, H::manage, S::manageable},
    HappeningRow{S::cleaning, H::wait, S::clean_wait},
    HappeningRow{S::cleaning, H::fail, S::clean_failed},
    HappeningRow{S::cleaning, H::hold, S::clean_hold},
    HappeningRow{S::clean_wait, H::resume, S::cleaning},
    HappeningRow{S::clean_wait, H::fail, S::clean_failed},
    HappeningRow{S::inspecting, H::done, S::manageable},
    HappeningRow{S::inspecting, H::wait, S::inspect_wait},
    HappeningRow{S::inspecting, H::fail, S::inspect_failed},
    HappeningRow{S::inspect_wait, H::done, S::manageable},
    HappeningRow{S::inspect_wait, H::resume, S::inspecting},
    HappeningRow{S::inspect_wait, H::fail, S::inspect_failed},
    HappeningRow{S::adopting, H::done, S::active},
    HappeningRow{S::adopting, H::fail, S::adopt_failed},
    HappeningRow{S::rescuing, H::done, S::rescue},
    HappeningRow{S::rescuing, H::wait, S::rescue_wait},
    HappeningRow{S::rescuing, H::fail, S::rescue_failed},
    HappeningRow{S::rescue_wait, H::resume, S::rescuing},
    HappeningRow{S::rescue_wait, H::fail, S::rescue_failed},
    HappeningRow{S::unrescuing, H::done, S::active},
    HappeningRow{S::unrescuing, H::fail, S::unrescue_failed},
    HappeningRow{S::servicing, H::done, S::active},
    HappeningRow{S::servicing, H::wait, S::service_wait},
    HappeningRow{S::servicing, H::fail, S::service_failed},
};

constexpr std::array<std::string_view, 13> k_verb_names = {"manage",   "provide", "inspect", "deploy", "rebuild",
                                                           "undeploy", "clean",   "abort",   "adopt",  "rescue",
                                                           "unrescue", "service", "unhold"};

const StateRow& row_of(State state) { return k_states.at(static_cast<std::size_t>(state)); }

}  // namespace

std::string_view name(State state) { return row_of(state).name; }
std::string_view name(Verb verb) { return k_verb_names.at(static_cast<std::size_t>(verb)); }

std::string_view name(Happening happening) {
  constexpr std::array<std::string_view, 7> names = {"done", "fail", "wait", "resume", "hold", "manage", "clean"};
  return names.at(static_cast<std::size_t>(happening));
}

std::optional<State> parse_state(std::string_view text) {
  if (text == "deploy wait-callback") return State::wait_call_back;
  for (const StateRow& row : k_states) {
    if (row.name == text) return row.state;
  }
  return std::nullopt;
}

std::optional<Verb> parse_verb(std::string_view text) {
  if (text == "active") return Verb::deploy;
  if (text == "deleted") return Verb::undeploy;
  for (std::size_t i = 0; i < k_verb_names.size(); ++i) {
    if (k_verb_names.at(i) == text) return static_cast<Verb>(i);
  }
  return std::nullopt;
}

std::optional<State> after(State state, Verb verb) {
  for (const VerbRow& row : k_verbs) {
    if (row.from == state && row.verb == verb) return row.to;
  }
  return std::nullopt;
}

std::optional<State> after(State state, Happening happening) {
  for (const HappeningRow& row : k_happenings) {
    if (row.from == state && row.happening == happening) return row.to;
  }
  return std::nullopt;
}

StateKind kind_of(State state) { return row_of(state).kind; }
std::optional<State> target_of(State state) { return row_of(state).target; }

std::vector<Verb> verbs_of(State state) {
  std::vector<Verb> found;
  for (const VerbRow& row : k_verbs) {
    if (row.from == state) found.push_back(row.verb);
  }
  return found;
}

bool may_change(State state) {
  const StateKind kind = kind_of(state);
  return kind == StateKind::stable || kind == StateKind::failed || kind == StateKind::held ||
         state == State::verifying || state == State::inspecting || state == State::inspect_wait;
}

bool may_delete(State state) {
  return state == State::manageable || state == State::enroll || state == State::adopt_failed ||
         state == State::available;
}

bool expects_agent(State state) {
  const StateKind kind = kind_of(state);
  return (kind == StateKind::working || kind == StateKind::waiting) && state != State::verifying &&
         state != State::adopting && state != State::deleting && state != State::unrescuing;
}

std::string refusal(std::string_view verb, std::string_view node, State state) {
  return cat("The requested action \"", verb, "\" can not be performed on node \"", node, "\" while it is in state \"",
             name(state), "\".");
}

}  // namespace hearth::bootstrap
