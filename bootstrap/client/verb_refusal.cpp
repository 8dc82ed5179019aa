#include "bootstrap/client/verb_refusal.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "bootstrap/node/states.hpp"

namespace hearth::bootstrap {

namespace {

/// Behind `before` in quotes.
std::string quoted_behind(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(cat(before, "\""));
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + before.size() + 1);
  return std::string(rest.substr(0, rest.find('"')));
}

/// Where a verb leads when all goes well.
State reached(State to) {
  const StateKind kind = kind_of(to);
  return kind == StateKind::failed ? to : target_of(to).value_or(to);
}

bool leads_here(Verb verb, State state) {
  if (verb == Verb::abort || verb == Verb::clean || verb == Verb::unhold) return false;
  constexpr auto k_last = static_cast<int>(State::service_hold);
  for (int from = 0; from <= k_last; ++from) {
    const std::optional<State> to = after(static_cast<State>(from), verb);
    if (to && reached(*to) == state) return true;
  }
  return false;
}

/// Its machine runs a system that somebody uses, or did until a moment ago.
bool is_in_use(State state) {
  constexpr std::array k_states = {State::active,          State::rescue,       State::rescue_wait,
                                   State::rescue_failed,   State::service_wait, State::service_failed,
                                   State::unrescue_failed, State::service_hold};
  return std::find(k_states.begin(), k_states.end(), state) != k_states.end();
}

/// The fewest verbs from a state to one where `verb` is allowed; those that only change where a node is.
std::vector<Verb> way_to(State from, Verb verb) {
  constexpr std::array k_steps = {Verb::manage,   Verb::provide, Verb::undeploy,
                                  Verb::unrescue, Verb::deploy,  Verb::abort};
  std::deque<std::pair<State, std::vector<Verb>>> open = {{from, {}}};
  std::set<State> seen = {from};
  for (; !open.empty(); open.pop_front()) {
    const auto [state, way] = open.front();
    if (after(state, verb)) return way;
    for (const Verb step : k_steps) {
      if (step == Verb::undeploy && is_in_use(state)) continue;  // that ends its system: nobody is led there
      const std::optional<State> to = after(state, step);
      if (!to || !seen.insert(reached(*to)).second) continue;
      std::vector<Verb> next = way;
      next.push_back(step);
      open.emplace_back(reached(*to), next);
    }
  }
  return {};
}

std::string command(Verb verb, const std::string& called) { return cat("hearth node ", name(verb), " ", called); }

/// Where no way leads to what was asked for.
std::string of_state(Verb verb, State state, const std::string& called) {
  const StateKind kind = kind_of(state);
  if (kind != StateKind::stable && kind != StateKind::failed)
    return cat("hearth why ", called, " says what it waits for");
  std::vector<std::string> verbs;
  for (const Verb next : verbs_of(state)) {
    if (next != Verb::undeploy && next != Verb::abort) verbs.emplace_back(name(next));
  }
  std::vector<std::string> parts;
  if (after(state, Verb::abort) == State::active)
    parts.push_back(cat(command(Verb::abort, called), " leads back to active"));
  if (!verbs.empty()) parts.push_back(cat("from here: hearth node ", join(verbs, "|"), " ", called));
  if (after(state, Verb::undeploy) && (after(State::available, verb) || !way_to(State::available, verb).empty()))
    parts.emplace_back("only undeploy leads there, which takes it out of use");
  return join(parts, "; ");
}

std::string advice(Verb verb, State state, const std::string& called) {
  if (leads_here(verb, state)) {
    std::vector<std::string> verbs;
    for (const Verb next : verbs_of(state)) verbs.emplace_back(name(next));
    return cat(called, " is ", name(state), " already; from here: hearth node ", join(verbs, "|"), " ", called);
  }
  const std::vector<Verb> way = way_to(state, verb);
  if (way.empty()) return of_state(verb, state, called);
  std::vector<std::string> commands;
  for (const Verb step : way) commands.push_back(command(step, called));
  return cat("first ", join(commands, ", then "), "; hearth why ", called, " says more");
}

}  // namespace

std::optional<VerbRefusal> verb_refusal(std::string_view text, const std::string& called) {
  constexpr std::string_view k_on = "operation can't be performed on node ";
  constexpr std::string_view k_maintenance = " because it's in maintenance mode";
  const std::size_t on = text.find(k_on);
  const std::size_t why = text.find(k_maintenance);
  if (!called.empty() && on != std::string_view::npos && why != std::string_view::npos && why > on) {
    return VerbRefusal{cat(text.substr(0, on + k_on.size()), called, text.substr(why)),
                       cat("hearth why ", called, " says since when and why; hearth node maintenance unset ", called,
                           " puts it back into service")};
  }
  if (!called.empty() && text.find("while a state transition is in progress") != std::string_view::npos) {
    return VerbRefusal{std::string(text), cat("what it is at: hearth why ", called, "; hearth node events -f ", called,
                                              "; where it waits hearth node abort ", called, " ends that")};
  }
  const std::optional<Verb> verb = parse_verb(quoted_behind(text, "requested action "));
  const std::optional<State> state = parse_state(quoted_behind(text, "while it is in state "));
  if (!verb || !state) return std::nullopt;
  const std::string told = quoted_behind(text, "on node ");
  const std::string& named = called.empty() ? told : called;
  return VerbRefusal{replace_all(std::string(text), cat("on node \"", told, "\""), cat("on node \"", named, "\"")),
                     advice(*verb, *state, named)};
}

}  // namespace hearth::bootstrap
