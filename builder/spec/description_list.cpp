#include "builder/spec/description_list.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_name_key = "imagename";
constexpr const char* k_first_name = "image";
constexpr std::size_t k_most_extended = 100;  // one over the other

std::vector<YAML::Node> extended(const DescriptionEntry& entry) {
  const YAML::Node extends = entry.node[k_extends_key];
  if (!extends.IsDefined()) return {};
  if (!extends.IsSequence()) return {extends};
  return {extends.begin(), extends.end()};
}

}  // namespace

std::string DescriptionEntry::place() const { return cat(file, ":", at.line, ":", at.column); }

void DescriptionList::add(const std::string& file, const std::string& text) {
  faults_.now_reading(file);
  const YAML::Node root = load_yaml(text);
  if (!root.IsSequence()) {
    throw YamlFault{position_of(root.Mark()), "the file must be a list of images, each a map (\"- imagename: …\")"};
  }
  if (root.size() == 0) throw YamlFault{position_of(root.Mark()), "the list is empty: it describes no image"};
  for (const YAML::Node& node : root) faults_.gather([&] { add_entry(file, node); });
}

void DescriptionList::add_entry(const std::string& file, const YAML::Node& node) {
  const Position at = position_of(node.Mark());
  if (!node.IsMap()) throw YamlFault{at, "an image must be a map"};
  const YAML::Node name = node[k_name_key];
  const YAML::Node of_template = node[k_template_key];
  const bool has_name = name.IsDefined() && name.IsScalar();
  if (of_template.IsDefined()) {
    const std::string text = yaml_text(of_template, k_template_key);
    for (const DescriptionEntry& entry : entries_) {
      if (entry.is_template && entry.name == text)
        throw YamlFault{position_of(of_template.Mark()),
                        cat("the template '", text, "' is described twice, first at ", entry.place())};
    }
    entries_.push_back({node, file, at, text, true});
    if (has_name)
      throw YamlFault{position_of(name.Mark()),
                      cat("'", text, "' is a template, which is no image and has no 'imagename'")};
    return;
  }
  if (has_name) {
    entries_.push_back({node, file, at, name.Scalar(), false});
    return;
  }
  const auto before = std::find_if(entries_.rbegin(), entries_.rend(),
                                   [](const DescriptionEntry& entry) { return !entry.is_template; });
  if (node[k_extends_key].IsDefined())
    throw YamlFault{at, "an image that extends another needs an 'imagename' of its own"};
  if (before != entries_.rend() && before->node[k_matrix_key].IsDefined())
    throw YamlFault{at,
                    cat("the entry has no 'imagename', and the one before it describes many images, ", before->name)};
  entries_.push_back({node, file, at, before == entries_.rend() ? k_first_name : before->name, false});
}

std::vector<const DescriptionEntry*> DescriptionList::named(const std::string& name, const YAML::Node& at) const {
  std::vector<const DescriptionEntry*> found;
  for (const DescriptionEntry& entry : entries_) {
    if (entry.name == name) found.push_back(&entry);
  }
  if (!found.empty()) return found;
  std::vector<std::string> names;
  for (const DescriptionEntry& entry : entries_) names.push_back(entry.name);
  throw YamlFault{position_of(at.Mark()),
                  cat("there is no image or template '", name, "' to extend", did_you_mean(name, names),
                      "; those of a matrix go by its 'imagename' as it is written")};
}

void DescriptionList::refuse_cycle(std::vector<std::string> names) const {
  const auto is_of_cycle = [&](const DescriptionEntry& entry) {
    return std::find(names.begin(), names.end(), entry.name) != names.end();
  };
  const auto first = std::find_if(entries_.begin(), entries_.end(), is_of_cycle);
  std::rotate(names.begin(), std::find(names.begin(), names.end(), first->name), names.end());
  for (const DescriptionEntry& entry : entries_) {
    if (entry.name != names.back()) continue;
    now_reading(entry);
    for (const YAML::Node& node : extended(entry)) {
      if (node.IsScalar() && node.Scalar() == names.front())
        throw YamlFault{position_of(node.Mark()),
                        cat("'", join(names, "' extends '"), "' extends '", names.front(), "': that is a cycle")};
    }
  }
}

void DescriptionList::add_parts(const DescriptionEntry& entry, std::vector<std::string>& path,
                                std::vector<const DescriptionEntry*>& parts) const {
  if (std::find(parts.begin(), parts.end(), &entry) != parts.end()) return;  // and so are those that it extends
  if (path.size() >= k_most_extended)
    throw YamlFault{entry.at, cat("'", entry.name, "' is extended over more than ", k_most_extended, " others")};
  path.push_back(entry.name);
  for (const YAML::Node& node : extended(entry)) {
    now_reading(entry);
    const std::string name = yaml_text(node, k_extends_key);
    if (const auto begin = std::find(path.begin(), path.end(), name); begin != path.end())
      refuse_cycle({begin, path.end()});
    for (const DescriptionEntry* base : named(name, node)) add_parts(*base, path, parts);
  }
  path.pop_back();
  parts.push_back(&entry);
}

void DescriptionList::check_extended(const DescriptionEntry& entry) const {
  now_reading(entry);
  for (const YAML::Node& node : extended(entry))
    faults_.gather([&] { (void)named(yaml_text(node, k_extends_key), node); });
}

std::vector<const DescriptionEntry*> DescriptionList::parts_of(const DescriptionEntry& entry) const {
  std::vector<std::string> path;
  std::vector<const DescriptionEntry*> parts;
  add_parts(entry, path, parts);
  return parts;
}

YAML::Node DescriptionList::matrix_of(const std::vector<const DescriptionEntry*>& parts) const {
  YAML::Node all;
  bool is_own = true;  // one part's node keeps its place in the file
  for (const DescriptionEntry* part : parts) {
    const YAML::Node matrix = part->node[k_matrix_key];
    if (!matrix.IsDefined()) continue;
    now_reading(*part);
    if (!all.IsDefined() || all.IsNull()) {
      all.reset(matrix);
      continue;
    }
    if (!matrix.IsMap())
      throw YamlFault{position_of(matrix.Mark()), "'matrix' must be a map of variables to lists of values"};
    if (std::exchange(is_own, false)) all.reset(YAML::Clone(all));
    for (const auto& pair : matrix) all[pair.first.Scalar()] = pair.second;
  }
  return all;
}

}  // namespace hearth::builder
