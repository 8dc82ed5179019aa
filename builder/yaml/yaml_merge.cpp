#include "builder/yaml/yaml_merge.hpp"

#include <vector>

#include "base/text.hpp"
#include "base/yaml_opening.hpp"

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

[[noreturn]] void refuse(const YamlOpening& opening) {
  YAML::Mark mark;
  mark.line = opening.at.line - 1;
  mark.column = opening.at.column - 1;
  throw YAML::ParserException(mark, opening.what);
}

/// "web" above "  default: x": yaml-cpp reads both as one text, and notices at the colon of the second line.
std::optional<YamlOpening> missing_colon(const std::string& text, const YAML::Exception& error) {
  if (error.msg != YAML::ErrorMsg::MAP_VALUE || error.mark.line < 1) return std::nullopt;
  const std::vector<std::string> lines = split_lines(text);
  const auto at = static_cast<std::size_t>(error.mark.line);
  if (at >= lines.size()) return std::nullopt;
  const std::size_t indent = lines[at].find_first_not_of(' ');
  for (std::size_t i = at; i-- > 0;) {
    const std::string_view name = trim(lines[i]);
    if (name.empty() || name.front() == '#') continue;
    const std::size_t begin = lines[i].find_first_not_of(' ');
    if (begin >= indent || name.front() == '-' || name.find(':') != std::string_view::npos) return std::nullopt;
    const std::size_t end = lines[i].find_last_not_of(" \t\r") + 1;
    return YamlOpening{{static_cast<int>(i) + 1, static_cast<int>(end) + 1},
                       cat("a colon is missing behind '", name, "'")};
  }
  return std::nullopt;
}

/// yaml-cpp takes a text that ends within a quote; then even what can stand nowhere may follow.
bool ends_in_quote(const std::string& text) {
  try {
    (void)YAML::Load(text + "\n]\n");
    return true;
  } catch (const YAML::Exception&) {
    return false;
  }
}

}  // namespace

YAML::Node load_yaml(const std::string& text) {
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    if (const auto opening = yaml_opening_of(text, {error.mark.line + 1, error.mark.column + 1})) refuse(*opening);
    if (const auto colon = missing_colon(text, error)) refuse(*colon);
    throw;
  }
  if (const auto opening = open_yaml_quote(text); opening && ends_in_quote(text)) refuse(*opening);
  if (text.find("<<") != std::string::npos) Merger().merge(root);
  return root;
}

}  // namespace hearth::builder
