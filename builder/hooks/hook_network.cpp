#include "builder/hooks/hook_network.hpp"

#include <algorithm>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/image_facts.hpp"
#include "builder/layers/facts.hpp"

namespace hearth::builder {

namespace {

bool is_named_by_hook(const BuildPlan& plan, const std::string& variable) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    const Element* const element = plan.elements.find(step.element);
    return step.kind == Step::Kind::hook && element != nullptr &&
           names_variable(RealFileSystem().read(element->path / step.label()).value_or(""), variable);
  });
}

/// Hooks that ask this machine's loopback by a variable that is no word for it would fail without one to the user.
void note_closed(const ImageRequest& request, const BuildPlan& plan, const std::set<fetch::LocalPlace>& places,
                 std::vector<std::string>& notes) {
  for (const auto& [name, value] : request.environment) {
    std::vector<std::string> closed;
    for (const std::string& server : fetch::servers_named(value)) {
      const std::set<fetch::LocalPlace> its = fetch::local_places({}, RealFileSystem(), {server});
      if (!std::includes(places.begin(), places.end(), its.begin(), its.end())) closed.push_back(server);
    }
    if (closed.empty() || !is_named_by_hook(plan, name)) continue;
    notes.push_back(cat("hooks don't reach ", join(closed, " and "), " on this machine's loopback, which ", name,
                        " names: --allow-local ", join(closed, ","), " lets them"));
  }
}

}  // namespace

std::set<fetch::LocalPlace> named_places(const ImageRequest& request) {
  Environment variables;
  for (const auto& [name, value] : request.environment) {
    if (always_counts(name) && !evidence::tells_what_is_built(name)) variables[name] = value;
  }
  if (request.remote_cache) variables["HEARTH_REMOTE_CACHE"] = request.remote_cache->text();
  return fetch::local_places(variables, RealFileSystem(), request.fetching.local);
}

std::unique_ptr<fetch::PrivateNetwork> private_network(const ImageRequest& request, const BuildPlan& plan,
                                                       std::vector<std::string>& notes) {
  if (request.fetching.mode) return nullptr;
  const std::string why_not = fetch::why_no_private_network(request.environment);
  if (!why_not.empty()) {
    notes.push_back(cat("hooks reach all of this machine's network, its loopback, too: ", why_not));
    return nullptr;
  }
  const std::set<fetch::LocalPlace> places = named_places(request);
  note_closed(request, plan, places, notes);
  return std::make_unique<fetch::PrivateNetwork>(request.environment, places);
}

}  // namespace hearth::builder
