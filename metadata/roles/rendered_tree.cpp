#include "metadata/roles/rendered_tree.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/jinja/renderer.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::string_view k_jinja = ".j2.yaml";
constexpr std::string_view k_role = ".role.j2.yaml";
constexpr std::string_view k_network = ".network.j2.yaml";
constexpr int k_rendered_tree_deepest = 20;

std::string in_directory(const fs::path& directory, const std::string& name) {
  return directory.empty() ? name : (directory / name).string();
}

void gather(const FileReader& reader, const fs::path& root, const fs::path& below, int depth,
            std::vector<std::string>& found) {
  if (depth > k_rendered_tree_deepest) return;
  for (const std::string& name : reader.list(below.empty() ? root : root / below)) {
    if (name.empty() || name.front() == '.') continue;
    const std::string path = in_directory(below, name);
    if (has_suffix(name, k_jinja)) {
      found.push_back(path);
    } else if (name.find('.') == std::string::npos || !has_suffix(name, ".yaml")) {
      const auto status = reader.status(root / path);
      if (status && status->type == FileStatus::Type::directory) gather(reader, root, path, depth + 1, found);
    }
  }
}

/// The name of a role's own network configuration, where the role keeps an old one.
std::string role_output(const fs::path& source, const Role& role) {
  const std::string file = source.filename().string();
  const std::string base = file.substr(0, file.size() - k_role.size());
  const fs::path directory = source.parent_path();
  if (source.string().find("network/config") != std::string::npos) {
    const Value* old = role.data.find("deprecated_nic_config_name");
    return in_directory(directory, old != nullptr && truth(*old) ? python_str(*old) : to_lower(role.name) + ".yaml");
  }
  return in_directory(directory, cat(to_lower(role.name), "-", base, ".yaml"));
}

std::string network_output(const fs::path& source, const RoleNetwork& network) {
  const std::string file = source.filename().string();
  const std::string base = file.substr(0, file.size() - k_network.size()) + ".yaml";
  const bool port = source.parent_path().filename() == "ports";
  return in_directory(source.parent_path(), replace_all(base, port ? "port" : "network", network.name_lower));
}

std::vector<std::string> excluded(const Value& excludes) {
  std::vector<std::string> names;
  const Value* list = excludes.find("name");
  if (list == nullptr || !list->is_list()) return names;
  for (const Value& name : list->items()) names.push_back(python_str(name));
  return names;
}

}  // namespace

std::vector<std::string> jinja_files(const FileReader& reader, const fs::path& root) {
  std::vector<std::string> found;
  gather(reader, root, {}, 0, found);
  return found;
}

RenderingRules rendering_rules(const std::vector<std::string>& sources, const RoleSet& set,
                               const std::vector<std::string>& excludes) {
  RenderingRules rules;
  const auto add = [&](const std::string& output, RenderingRule rule) {
    const bool left_out = std::find(excludes.begin(), excludes.end(), output) != excludes.end();
    // As upstream, excludes are for roles and networks only.
    if (!left_out || rule.kind == RenderingRule::Kind::plain) rules[output] = std::move(rule);
  };
  for (const std::string& source : sources) {
    if (has_suffix(source, k_role)) {
      for (std::size_t i = 0; i < set.roles.size(); ++i)
        add(role_output(source, set.roles[i]), {source, RenderingRule::Kind::role, i});
    } else if (has_suffix(source, k_network)) {
      for (std::size_t i = 0; i < set.networks.size(); ++i)
        add(network_output(source, set.networks[i]), {source, RenderingRule::Kind::network, i});
    } else {
      add(source.substr(0, source.size() - k_jinja.size()) + ".yaml", {source});
    }
  }
  return rules;
}

std::string without_jinja(const std::string& name) {
  const bool jinja = has_suffix(name, k_jinja);
  return jinja ? name.substr(0, name.size() - k_jinja.size()) + ".yaml" : name;
}

fs::path tree_root(const FileReader& reader, const fs::path& file) {
  fs::path own = file.parent_path().empty() ? fs::path(".") : file.parent_path();
  for (fs::path directory = own;; directory = directory.parent_path()) {
    for (const char* name : {"j2_excludes.yaml", "network_data.yaml"}) {
      if (reader.status(directory / name)) return directory;
    }
    if (directory.parent_path() == directory || directory.empty() || directory == ".") return own;
  }
}

RenderedFiles::RenderedFiles(const FileReader& reader, fs::path root, RoleSet set, Sources& sources)
    : reader_(reader), disk_(reader), root_(std::move(root)), set_(std::move(set)), sources_(sources) {
  const Value excludes = read_yaml_file(reader, (root_ / "j2_excludes.yaml").string(), sources, true);
  rules_ = rendering_rules(jinja_files(reader, root_), set_, excluded(excludes));
}

std::string RenderedFiles::resolve(const std::string& from, const std::string& reference) {
  return disk_.resolve(from, reference);
}

/// The name below the root, whichever way it is written; empty when it is elsewhere.
std::string RenderedFiles::below_root(const std::string& name) const {
  const fs::path absolute = fs::absolute(root_).lexically_normal();
  const std::string root = absolute.filename() == "." ? absolute.parent_path().string() : absolute.string();
  const std::string file = fs::absolute(name).lexically_normal().string();
  const std::string prefix = root.back() == '/' ? root : root + "/";
  return file.rfind(prefix, 0) == 0 ? file.substr(prefix.size()) : "";
}

std::optional<std::string> RenderedFiles::read(const std::string& name) {
  const std::string below = below_root(name);
  if (rules_.count(below) == 0) return disk_.read(name);
  const auto known = rendered_.find(below);
  if (known != rendered_.end()) return known->second;
  return rendered_[below] = render_output(below);
}

std::vector<std::pair<std::string, Value>> RenderedFiles::variables(const RenderingRule& rule,
                                                                    const std::string& text) const {
  if (rule.kind == RenderingRule::Kind::plain) return {{"roles", set_.all_roles}, {"networks", set_.all_networks}};
  if (rule.kind == RenderingRule::Kind::network) return {{"network", set_.networks[rule.index].data}};
  const Role& role = set_.roles[rule.index];
  if (text.find("{{role.name}}") != std::string::npos) return {{"role", role.data}, {"networks", set_.all_networks}};
  std::vector<std::pair<std::string, Value>> plain = {{"role", Value::string(role.name)},
                                                      {"networks", set_.all_networks}};
  const Value* unchecked = role.data.find("disable_constraints");
  if (unchecked != nullptr && truth(*unchecked)) plain.emplace_back("disable_constraints", Value::boolean(true));
  return plain;
}

std::string RenderedFiles::render_output(const std::string& output) {
  const RenderingRule& rule = rules_.at(output);
  const fs::path source = root_ / rule.source;
  const std::optional<std::string> text = reader_.read(source);
  if (!text) throw Fault("not_found", cat("there is no template ", source.string()));
  jinja::RenderRequest request{.text = *text, .name = source.string(), .variables = variables(rule, *text)};
  request.load = [&](const std::string& name) -> std::optional<std::pair<std::string, std::string>> {
    for (const fs::path& directory : {source.parent_path(), root_}) {
      const fs::path candidate = (directory / name).lexically_normal();
      if (std::optional<std::string> found = reader_.read(candidate)) return std::pair(*found, candidate.string());
    }
    return std::nullopt;
  };
  return jinja::render(request, sources_);
}

}  // namespace hearth::metadata
