#include "bootstrap/why/value_causes.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "bootstrap/why/causes/stack_causes.hpp"

namespace hearth::bootstrap::why {

namespace {

std::string joined(const std::vector<metadata::Event>& events) {
  std::vector<std::string> texts;
  for (const metadata::Event& event : events) texts.push_back(event.text());
  return join(texts, ", ");
}

/// "the deployment d on node", "the wait condition w": who has to say something.
std::string who(const metadata::Wait& wait) {
  if (!wait.server.empty()) return cat("the machine of ", wait.server, " has run the deployment ", wait.event.resource);
  if (wait.type.find("WaitCondition") != std::string::npos) return cat("somebody signals ", wait.event.resource);
  return cat(wait.event.resource, " (", wait.type.empty() ? "of a stack that is not known yet" : wait.type,
             ") is there");
}

/// What stands between the value and that which waits for nothing else, from the value on.
std::vector<std::string> chain_lines(const metadata::Explanation& value) {
  std::vector<std::string> lines = {
      cat(value.put_by.empty() ? value.key : value.put_by, " waits for ", joined(value.waits))};
  for (const metadata::Wait& wait : value.chain) {
    const std::string at = wait.place.empty() ? "" : cat(" (", wait.place, ")");
    if (!wait.behind.empty()) lines.push_back(cat(wait.event.resource, at, " waits for ", joined(wait.behind)));
  }
  for (const metadata::Wait& wait : value.chain) {
    if (wait.behind.empty())
      lines.push_back(cat(wait.event.resource, " (", wait.type, wait.place.empty() ? "" : ", ", wait.place, ") gives ",
                          wait.event.attribute, wait.server.empty() ? "" : cat(" from ", wait.server)));
  }
  return lines;
}

Finding of_templates(const ValueFacts& facts) {
  const metadata::Wait first = facts.value.chain.empty() ? metadata::Wait{} : facts.value.chain.front();
  return {cat(facts.value.key, " is not there until ", who(first), ", which no template can tell."),
          chain_lines(facts.value),
          cat("where the stack runs: hearth why value ", facts.server, " ", facts.value.key,
              " … --name STACK --state DIR "
              "(no stack service knows ",
              facts.stack,
              " here); where files are handed out: hearth metadata compile … "
              "--signals FILE, with what machines answered")};
}

/// Of a stack that is at work only what the value waits for; nothing where that can't be told.
std::optional<StackFacts> ahead_of(const ValueFacts& facts, const StackFacts& running) {
  std::set<std::string> paths;
  for (const metadata::Wait& wait : facts.value.chain) paths.insert(wait.event.resource);
  StackFacts ahead{.stack = running.stack, .resources = resources_ahead(running.resources, facts.unbegun, paths)};
  if (ahead.resources.empty()) return std::nullopt;
  for (const std::string& server : silent_servers(ahead.resources)) {
    if (const auto machine = running.silent.find(server); machine != running.silent.end())
      ahead.silent.insert(*machine);
  }
  return ahead;
}

/// What the running stack tells of the first that is not done; nothing where all are.
std::optional<Finding> of_stack(const ValueFacts& facts, const StackFacts& running) {
  for (const metadata::Wait& wait : facts.value.chain) {
    std::optional<Finding> found = resource_cause(running.stack, running.resources, wait.event.resource);
    if (!found) continue;
    // Of a machine that never asked its node knows more.
    if (const auto machine = running.silent.find(wait.server); machine != running.silent.end())
      found = why::causes_of(StackFacts{running.stack, running.resources, {*machine}}).front();
    found->cause = cat(facts.value.key, " waits for ", wait.event.text(), ": ", found->cause);
    for (std::string& line : chain_lines(facts.value)) found->evidence.push_back(std::move(line));
    return found;
  }
  if (text_in(running.stack, "stack_status").ends_with("_COMPLETE")) return std::nullopt;
  // What it waits for has not begun: something else is before it, or the stack has ended.
  Finding found = why::causes_of(ahead_of(facts, running).value_or(running)).front();
  found.cause = cat(facts.value.key, " waits for ", joined(facts.value.waits), ", which has not begun: ", found.cause);
  for (std::string& line : chain_lines(facts.value)) found.evidence.push_back(std::move(line));
  return found;
}

}  // namespace

std::vector<Finding> causes_of(const ValueFacts& facts) {
  if (!facts.running) return {of_templates(facts)};
  if (!facts.lacking.empty()) {
    Finding found = of_templates(facts);
    found.evidence.push_back(cat("the stack ", facts.stack, ", which runs, was made of other templates: it has no ",
                                 join(facts.lacking, ", ")));
    found.next = "name the stack that was made of these: --name STACK (hearth stack list)";
    return {found};
  }
  const StackFacts safe = safe_facts(*facts.running);
  if (const std::optional<Finding> found = of_stack(facts, safe)) return {*found};
  return {{cat(facts.value.key, " waits in these files only: in the stack ", facts.stack, ", which runs, ",
               joined(facts.value.waits), " is known."),
           {cat("stack_status: ", text_in(safe.stack, "stack_status"))},
           cat("hearth stack resource metadata ", facts.stack, " ", facts.server, " shows what its agent gets")}};
}

}  // namespace hearth::bootstrap::why
