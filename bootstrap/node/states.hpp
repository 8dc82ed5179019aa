// The provision states of a node and what leads from one to the next: Ironic's state machine as a table. Pure.
//
// A verb comes from a person, a happening from the work that a verb began. Names are the strings on the wire.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::bootstrap {

enum class State {
  enroll,
  verifying,
  manageable,
  available,
  active,
  error,
  rescue,
  deploying,
  wait_call_back,
  deploy_failed,
  deploy_hold,
  cleaning,
  clean_wait,
  clean_failed,
  clean_hold,
  deleting,
  inspecting,
  inspect_wait,
  inspect_failed,
  adopting,
  adopt_failed,
  rescuing,
  rescue_wait,
  rescue_failed,
  unrescuing,
  unrescue_failed,
  servicing,
  service_wait,
  service_failed,
  service_hold,
};

enum class Verb {
  manage,
  provide,
  inspect,
  deploy,
  rebuild,
  undeploy,
  clean,
  abort,
  adopt,
  rescue,
  unrescue,
  service,
  unhold
};

/// How the work of a state goes on.
enum class Happening { done, fail, wait, resume, hold, manage, clean };

enum class StateKind { stable, working, waiting, failed, held };

[[nodiscard]] std::string_view name(State state);
[[nodiscard]] std::string_view name(Verb verb);
[[nodiscard]] std::string_view name(Happening happening);
/// Also "deploy wait-callback", as an old guide prints it.
[[nodiscard]] std::optional<State> parse_state(std::string_view text);
/// Also "active" and "deleted", the older names of deploy and undeploy.
[[nodiscard]] std::optional<Verb> parse_verb(std::string_view text);

[[nodiscard]] std::optional<State> after(State state, Verb verb);
[[nodiscard]] std::optional<State> after(State state, Happening happening);
[[nodiscard]] StateKind kind_of(State state);
/// Where the work of a state leads to; nothing for stable states. A manual cleaning leads to manageable.
[[nodiscard]] std::optional<State> target_of(State state);
/// What may be done from here.
[[nodiscard]] std::vector<Verb> verbs_of(State state);

/// Whether fields of the node may be changed, and whether it may be deleted when it is not in maintenance.
[[nodiscard]] bool may_change(State state);
[[nodiscard]] bool may_delete(State state);
/// Whether a deploy ramdisk may ask for the node.
[[nodiscard]] bool expects_agent(State state);

/// "The requested action "X" can not be performed on node "U" while it is in state "S"."
[[nodiscard]] std::string refusal(std::string_view verb, std::string_view node, State state);

}  // namespace hearth::bootstrap
