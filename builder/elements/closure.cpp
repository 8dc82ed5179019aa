#include "builder/elements/closure.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/elements/unknown_element.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_operating_system = "operating-system";

/// One round of following dependencies, given the names that are known to be provided by someone.
struct Closure {
  std::map<std::string, Element> elements;
  std::map<std::string, std::string> provider;  ///< provided name -> element that provides it
};

/// To be asked of the final set only: an element that comes in on the way and drops out again harms nobody.
void refuse_double_provides(const Closure& closure) {
  for (const auto& [name, element] : closure.elements) {
    for (const std::string& thing : element.provides) {
      const auto known = closure.provider.find(thing);
      if (known == closure.provider.end() || known->second == name) continue;
      throw Error(ErrorKind::input,
                  cat(thing, ": already provided by ['", known->second, "'], and ", name, " provides it too"))
          .hint(cat("Leave out one of ", known->second, " and ", name, "."));
    }
  }
}

/// Providers in the order of their names. An element that provides its own name is just that element.
void find_providers(Closure& closure) {
  for (const auto& [name, element] : closure.elements) {
    for (const std::string& thing : element.provides) {
      if (thing != name) closure.provider.emplace(thing, name);
    }
  }
}

Closure follow(const Catalog& catalog, const std::vector<std::string>& requested,
               const std::set<std::string>& provided) {
  Closure closure;
  std::deque<std::pair<std::string, std::string>> queue;  // name, who needs it ("" = the user)
  for (const std::string& name : requested) queue.emplace_back(name, "");
  while (!queue.empty()) {
    const auto [name, needed_by] = queue.front();
    queue.pop_front();
    if (closure.elements.count(name) > 0) continue;
    if (!needed_by.empty() && provided.count(name) > 0) continue;
    const Element* element = catalog.find(name);
    if (element == nullptr) {
      if (provided.count(name) > 0) continue;  // the user listed a virtual name; refused below, in upstream's words
      throw unknown_element(catalog, name, needed_by);
    }
    closure.elements.emplace(name, *element);
    for (const std::string& dependency : element->deps) queue.emplace_back(dependency, name);
  }
  find_providers(closure);
  return closure;
}

/// What is provided whatever else is in the set: by the requested elements, and every name that is no element (it is
/// satisfied by the end, or refused then).
std::set<std::string> surely_provided(const Catalog& catalog, const std::vector<std::string>& requested) {
  std::set<std::string> provided = {k_operating_system};
  for (const std::string& name : requested) {
    const Element* element = catalog.find(name);
    if (element == nullptr) continue;
    for (const std::string& thing : element->provides) {
      if (thing != name) provided.insert(thing);
    }
  }
  for (const auto& [name, element] : catalog.elements()) {
    for (const std::string& thing : element.provides) {
      if (catalog.find(thing) == nullptr) provided.insert(thing);
    }
  }
  return provided;
}

/// Follows dependencies again and again, each time with what the last round provided, until nothing changes; so the
/// result does not depend on the order of the request. It may never settle: when only X needs P, and P provides X.
Closure follow_to_the_end(const Catalog& catalog, const std::vector<std::string>& requested) {
  const std::set<std::string> sure = surely_provided(catalog, requested);
  std::set<std::string> provided = sure;
  std::set<std::string> last_change;
  for (std::size_t round = 0; round <= catalog.elements().size() + 1; ++round) {
    Closure closure = follow(catalog, requested, provided);
    std::set<std::string> now = sure;
    for (const auto& [thing, provider] : closure.provider) now.insert(thing);
    if (now == provided) return closure;
    last_change.clear();
    std::set_symmetric_difference(now.begin(), now.end(), provided.begin(), provided.end(),
                                  std::inserter(last_change, last_change.end()));
    provided = std::move(now);
  }
  throw Error(ErrorKind::input, cat(*last_change.begin(), " is provided by an element that only it brings in"))
      .hint("List the element that provides it, and it is left out; or take one of the two dependencies away.");
}

/// As upstream: what an element provides it would provide twice. One that provides nothing may be listed again.
void refuse_repeated_providers(const std::vector<std::string>& requested, const Closure& closure) {
  for (auto name = requested.begin(); name != requested.end(); ++name) {
    const auto element = closure.elements.find(*name);
    if (element == closure.elements.end() || std::find(requested.begin(), name, *name) == name) continue;
    for (const std::string& thing : element->second.provides) {
      if (thing == *name) continue;
      throw Error(ErrorKind::input,
                  cat(thing, ": already provided by ['", *name, "'], and ", *name, " is listed twice"))
          .hint("List it once.");
    }
  }
}

void refuse_provided_requests(const std::vector<std::string>& requested, const Closure& closure) {
  std::string lines;
  for (const std::string& name : requested) {
    const auto provider = closure.provider.find(name);
    if (provider != closure.provider.end() && provider->second != name) {
      lines += cat("\n  ", name, " : already provided by ['", provider->second, "']");
    }
  }
  if (lines.empty()) return;
  throw Error(ErrorKind::input, cat("The following elements are already provided by another element", lines))
      .hint("Leave them out of the list.");
}

void refuse_unmet_dependencies(const Catalog& catalog, const std::vector<std::string>& requested,
                               const Closure& closure) {
  const auto is_met = [&](const std::string& name) {
    return closure.elements.count(name) > 0 || closure.provider.count(name) > 0;
  };
  for (const auto& [name, element] : closure.elements) {
    for (const std::string& dependency : element.deps) {
      if (is_met(dependency) || dependency == k_operating_system) continue;
      std::vector<std::string> providers;
      for (const auto& [candidate, offered] : catalog.elements()) {
        const bool provides = std::count(offered.provides.begin(), offered.provides.end(), dependency) > 0;
        if (provides) providers.push_back(candidate);
      }
      throw Error(ErrorKind::input, cat(name, " depends on '", dependency, "', which no element of the set provides"))
          .hint(cat("Add one of: ", join(providers, " ")));
    }
  }
  for (const std::string& name : requested) {
    if (!is_met(name) && name != k_operating_system) throw unknown_element(catalog, name, "");
  }
}

/// Also such as bring one by what they depend on: debian is debian-minimal and more.
Error no_operating_system(const Catalog& catalog) {
  std::set<std::string> systems;
  const auto is_system = [&](const Element& element) {
    return std::count(element.provides.begin(), element.provides.end(), k_operating_system) > 0 ||
           std::any_of(element.deps.begin(), element.deps.end(),
                       [&](const std::string& dependency) { return systems.count(dependency) > 0; });
  };
  for (std::size_t before = systems.size() + 1; before != systems.size();) {
    before = systems.size();
    for (const auto& [name, element] : catalog.elements()) {
      if (is_system(element)) systems.insert(name);
    }
  }
  return Error(ErrorKind::input, "Please include an operating system element")
      .hint(cat("Known ones: ",
                systems.empty() ? "none in the search path" : join({systems.begin(), systems.end()}, " ")));
}

/// Depth-first order: dependencies first, names in order; finds cycles on the way.
class Sorter {
 public:
  Sorter(const Closure& closure, ElementSet& out) : closure_(closure), out_(out) {}

  void visit(const std::string& name) {
    const auto found = closure_.elements.find(name);
    if (found == closure_.elements.end() || done_.count(name) > 0) return;
    const auto open = std::find(path_.begin(), path_.end(), name);
    if (open != path_.end()) {
      std::vector<std::string> cycle(open, path_.end());
      cycle.push_back(name);
      out_.cycles.push_back(std::move(cycle));
      return;
    }
    path_.push_back(name);
    std::vector<std::string> deps = found->second.deps;
    std::sort(deps.begin(), deps.end());
    for (const std::string& dependency : deps) visit(real_name(dependency));
    path_.pop_back();
    done_.insert(name);
    out_.elements.push_back(found->second);
  }

 private:
  std::string real_name(const std::string& name) const {
    const auto provider = closure_.provider.find(name);
    return provider == closure_.provider.end() ? name : provider->second;
  }
  const Closure& closure_;
  ElementSet& out_;
  std::vector<std::string> path_;
  std::set<std::string> done_;
};

}  // namespace

const Element* ElementSet::find(const std::string& name) const {
  const auto found = std::find_if(elements.begin(), elements.end(), [&](const Element& e) { return e.name == name; });
  return found == elements.end() ? nullptr : &*found;
}

std::vector<std::string> ElementSet::names() const {
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

ElementSet close_over_dependencies(const Catalog& catalog, const std::vector<std::string>& requested) {
  const Closure closure = follow_to_the_end(catalog, requested);
  refuse_double_provides(closure);
  refuse_repeated_providers(requested, closure);
  refuse_provided_requests(requested, closure);
  refuse_unmet_dependencies(catalog, requested, closure);
  if (closure.provider.count(k_operating_system) == 0) throw no_operating_system(catalog);
  ElementSet set;
  Sorter sorter(closure, set);
  for (const auto& [name, element] : closure.elements) sorter.visit(name);
  return set;
}

std::string describe_cycle(const std::vector<std::string>& cycle) { return join(cycle, " -> "); }

}  // namespace hearth::builder
