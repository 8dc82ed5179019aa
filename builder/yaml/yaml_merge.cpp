#include "builder/yaml/yaml_merge.hpp"

#include <vector>

namespace hearth::builder {

namespace {

constexpr int k_most_nested = 100;
constexpr int k_most_visits = 100000;  // aliases of aliases double with each line

class Merger {
 public:
  void merge(YAML::Node node, int depth = 0) {
    if (depth > k_most_nested || ++visits_ > k_most_visits) {
      throw YAML::ParserException(node.Mark(), "aliases and merges make too much of this");
    }
    if (node.IsSequence()) {
      for (const YAML::Node& item : node) merge(item, depth + 1);
    } else if (node.IsMap()) {
      merge_map(node, depth);
    }
  }

 private:
  /// A plain one: quoted it is a text like others.
  static bool is_merge(const YAML::Node& key) { return key.IsScalar() && key.Scalar() == "<<" && key.Tag() == "?"; }

  static bool has(const YAML::Node& map, const YAML::Node& key) {
    if (!key.IsScalar()) return false;
    for (const auto& pair : map) {
      if (pair.first.IsScalar() && pair.first.Scalar() == key.Scalar()) return true;
    }
    return false;
  }

  void merge_map(YAML::Node node, int depth) {
    std::vector<std::pair<YAML::Node, YAML::Node>> merges;
    for (const auto& pair : node) {
      if (is_merge(pair.first)) {
        merges.emplace_back(pair.first, pair.second);
      } else {
        merge(pair.second, depth + 1);
      }
    }
    for (const auto& [key, value] : merges) node.remove(key);
    for (const auto& [key, value] : merges) {
      if (!value.IsSequence()) {
        add(node, key, value, depth);
        continue;
      }
      for (const YAML::Node& each : value) add(node, key, each, depth);  // the first one wins
    }
  }

  void add(YAML::Node& node, const YAML::Node& key, const YAML::Node& from, int depth) {
    if (!from.IsMap()) {
      throw YAML::ParserException(key.Mark(), "'<<' must name a mapping, or a list of mappings, to be merged");
    }
    merge(from, depth + 1);
    for (const auto& pair : from) {
      if (!has(node, pair.first)) node.force_insert(pair.first, pair.second);
    }
  }

  int visits_ = 0;
};

}  // namespace

YAML::Node load_yaml(const std::string& text) {
  YAML::Node root = YAML::Load(text);
  if (text.find("<<") != std::string::npos) Merger().merge(root);
  return root;
}

}  // namespace hearth::builder
