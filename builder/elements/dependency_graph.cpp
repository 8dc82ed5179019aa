#include "builder/elements/dependency_graph.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "builder/elements/unknown_element.hpp"

namespace hearth::builder {

namespace {

std::vector<std::string> providers_of(const Catalog& catalog, const std::string& name) {
  std::vector<std::string> providers;
  for (const auto& [candidate, element] : catalog.elements()) {
    const bool provides = std::count(element.provides.begin(), element.provides.end(), name) > 0;
    if (provides && candidate != name) providers.push_back(candidate);
  }
  return providers;
}

void add_element(const Catalog& catalog, const std::string& root, DependencyGraph& graph) {
  std::vector<std::string> stack = {root};
  while (!stack.empty()) {
    const std::string name = std::move(stack.back());
    stack.pop_back();
    if (graph.nodes.count(name) > 0) continue;
    const Element* element = catalog.find(name);
    DependencyGraph::Node& node = graph.nodes[name];
    node.known = element != nullptr;
    node.providers = providers_of(catalog, name);
    if (element == nullptr) continue;
    node.deps = element->deps;
    stack.insert(stack.end(), node.deps.begin(), node.deps.end());
  }
}

class Tree {
 public:
  explicit Tree(const DependencyGraph& graph) : graph_(graph) {}

  std::string text() {
    for (const std::string& root : graph_.roots) show(root, 0);
    return std::move(text_);
  }

 private:
  void show(const std::string& name, std::size_t depth) {
    const DependencyGraph::Node& node = graph_.nodes.at(name);
    text_ += cat(std::string(depth * 2, ' '), name);
    const bool cycle = std::count(path_.begin(), path_.end(), name) > 0;
    const bool again = !shown_.insert(name).second;
    if (!node.known) {
      text_ += node.providers.empty() ? " (unknown)" : cat(" (one of: ", join(node.providers, " "), ")");
    } else if (cycle) {
      text_ += " (cycle)";
    } else if (again && !node.deps.empty()) {
      text_ += " …";
    }
    text_ += "\n";
    if (again) return;
    path_.push_back(name);
    for (const std::string& dependency : node.deps) show(dependency, depth + 1);
    path_.pop_back();
  }

  const DependencyGraph& graph_;
  std::string text_;
  std::set<std::string> shown_;
  std::vector<std::string> path_;
};

/// Depth first from each node in turn; each node is finished once, so each back edge is met once.
class CycleFinder {
 public:
  explicit CycleFinder(const DependencyGraph& graph) : graph_(graph) {}

  std::vector<std::vector<std::string>> find() {
    for (const auto& [name, node] : graph_.nodes) visit(name);
    return {cycles_.begin(), cycles_.end()};
  }

 private:
  void visit(const std::string& name) {
    const auto open = std::find(path_.begin(), path_.end(), name);
    if (open != path_.end()) {
      add_element({open, path_.end()});
      return;
    }
    if (!done_.insert(name).second) return;
    path_.push_back(name);
    for (const std::string& dependency : graph_.nodes.at(name).deps) visit(dependency);
    path_.pop_back();
  }

  void add_element(std::vector<std::string> cycle) {
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    cycle.push_back(cycle.front());
    cycles_.insert(std::move(cycle));
  }

  const DependencyGraph& graph_;
  std::vector<std::string> path_;
  std::set<std::string> done_;
  std::set<std::vector<std::string>> cycles_;
};

}  // namespace

DependencyGraph dependency_graph(const Catalog& catalog, const std::vector<std::string>& roots) {
  DependencyGraph graph;
  graph.roots = roots;
  for (const std::string& root : roots) {
    add_element(catalog, root, graph);
    const DependencyGraph::Node& node = graph.nodes.at(root);
    if (node.known || !node.providers.empty()) continue;
    throw unknown_element(catalog, root, "");
  }
  return graph;
}

std::string graph_dot(const DependencyGraph& graph) {
  std::string text = "digraph elements {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const auto& [name, node] : graph.nodes) {
    text += cat("  \"", name, "\"");
    if (!node.known) text += node.providers.empty() ? " [color=red]" : " [style=dashed]";
    text += ";\n";
    for (const std::string& dependency : node.deps) text += cat("  \"", name, "\" -> \"", dependency, "\";\n");
    for (const std::string& provider : node.providers) {
      if (graph.nodes.count(provider) > 0) text += cat("  \"", name, "\" -> \"", provider, "\" [style=dashed];\n");
    }
  }
  return cat(text, "}\n");
}

std::string graph_tree(const DependencyGraph& graph) { return Tree(graph).text(); }

std::vector<std::vector<std::string>> find_cycles(const DependencyGraph& graph) { return CycleFinder(graph).find(); }

}  // namespace hearth::builder
