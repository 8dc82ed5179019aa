#include "builder/lint/variable_lint.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/text.hpp"
#include "builder/elements/phase.hpp"
#include "builder/lint/script_lint.hpp"
#include "builder/plan/builders_variables.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_variable_prefix = "DIB_";

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where a name begins and ends.
struct NamedAt {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<NamedAt> places_of_names(std::string_view text) {
  std::vector<NamedAt> found;
  for (std::size_t at = text.find(k_variable_prefix); at != std::string_view::npos;
       at = text.find(k_variable_prefix, at + 1)) {
    if (at > 0 && is_name_letter(text[at - 1])) continue;
    std::size_t end = at;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    if (end - at > k_variable_prefix.size() && text[end - 1] != '_') found.push_back({at, end});
  }
  return found;
}

/// Names that are put together: DIB_INSTALLTYPE_NAME, DIB_REPOREF_NAME.
bool is_composed(std::string_view name) { return name.starts_with("DIB_REPO") || name.starts_with("DIB_INSTALLTYPE_"); }

/// What one text says of its variables.
struct Uses {
  std::map<std::string, int> read;  ///< as if they were set, by the first line
  std::set<std::string> settled;    ///< given a value, or asked for with a default
};

void add_uses(std::string_view line, int number, Uses& uses) {
  for (const auto& [begin, end] : places_of_names(line)) {
    const std::string name(line.substr(begin, end - begin));
    const std::string_view before = line.substr(0, begin);
    const std::string_view after = line.substr(end);
    const bool is_braced = before.ends_with("${") || before.ends_with("${#");
    const bool has_default = is_braced && !after.empty() && std::string_view(":-=+?").find(after[0]) < 5;
    if (has_default || (!is_braced && !before.ends_with('$'))) {
      uses.settled.insert(name);  // or named in another way, as `-v NAME`
    } else {
      uses.read.emplace(name, number);
    }
  }
}

Uses uses_in(std::string_view text) {
  Uses uses;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (!trim(line).starts_with('#')) add_uses(line, number, uses);
  }
  return uses;
}

void add_named_in_readme(const FileReader& files, const Element& element, std::set<std::string>& names) {
  for (const char* readme : {"README.md", "README.rst"})
    add_variables_in(files.read(element.path / readme).value_or(""), names);
}

/// What the element and those that it depends on tell of.
std::set<std::string> told_by_readmes(const FileReader& files, const Catalog& catalog, const Element& element) {
  std::set<std::string> names;
  std::set<std::string> seen;
  std::vector<const Element*> ahead = {&element};
  while (!ahead.empty()) {
    const Element* const next = ahead.back();
    ahead.pop_back();
    if (!seen.insert(next->name).second) continue;
    add_named_in_readme(files, *next, names);
    for (const std::string& dependency : next->deps) {
      if (const Element* const other = catalog.find(dependency)) ahead.push_back(other);
    }
  }
  return names;
}

/// Names that an environment file gives a value or a default, or tells of in a comment.
void add_settled(std::string_view text, std::set<std::string>& names) {
  names.merge(uses_in(text).settled);
  for (const std::string& line : split_lines(text)) {
    if (trim(line).starts_with('#')) add_variables_in(line, names);
  }
}

/// What is beside the hooks: files that they source or copy.
void add_named_beside(const FileReader& files, const fs::path& directory, int depth, std::set<std::string>& names) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const bool is_phase =
        name == "environment.d" || (name.ends_with(".d") && parse_phase(name.substr(0, name.size() - 2)));
    if (is_regular_file(files, path)) add_variables_in(files.read(path).value_or(""), names);
    if (depth > 0 && !is_phase && is_directory(files, path)) add_named_beside(files, path, depth - 1, names);
  }
}

struct HookUses {
  fs::path file;
  bool is_strict = false;  ///< set -u
  Uses uses;
};

std::vector<HookUses> uses_of_hooks(const FileReader& files, const Element& element) {
  std::vector<HookUses> hooks;
  const auto add_below = [&](const fs::path& directory, bool is_environment) {
    for (const std::string& name : files.list(directory)) {
      if (!is_regular_file(files, directory / name)) continue;
      const std::string text = files.read(directory / name).value_or("");
      const bool is_strict = is_environment || sets_option(split_lines(text), 'u', "nounset");
      hooks.push_back({directory / name, is_strict, uses_in(text)});
    }
  };
  add_below(element.path / "environment.d", true);
  for (const PhaseInfo& phase : k_phases) add_below(element.path / directory_name(phase.phase), false);
  return hooks;
}

}  // namespace

void add_variables_in(std::string_view text, std::set<std::string>& names) {
  for (const auto& [begin, end] : places_of_names(text)) names.emplace(text.substr(begin, end - begin));
}

std::set<std::string> environment_variables(const FileReader& files, const Catalog& catalog) {
  std::set<std::string> names;
  for (const auto& [name, element] : catalog.elements()) {
    for (const std::string& file : files.list(element.path / "environment.d")) {
      if (is_regular_file(files, element.path / "environment.d" / file))
        add_settled(files.read(element.path / "environment.d" / file).value_or(""), names);
    }
  }
  return names;
}

std::vector<Finding> undeclared_variables(const FileReader& files, const Catalog& catalog, const Element& element,
                                          const std::set<std::string>& known) {
  const std::vector<HookUses> hooks = uses_of_hooks(files, element);
  std::set<std::string> declared = told_by_readmes(files, catalog, element);
  declared.insert(known.begin(), known.end());
  add_named_beside(files, element.path, 3, declared);
  for (const HookUses& hook : hooks) declared.insert(hook.uses.settled.begin(), hook.uses.settled.end());
  std::vector<Finding> found;
  for (const HookUses& hook : hooks) {
    for (const auto& [name, line] : hook.uses.read) {
      const bool is_builders = is_read_by_builder(name) || is_set_by_builder(name);
      if (!hook.is_strict || declared.contains(name) || is_builders || is_composed(name)) continue;
      const std::optional<std::string> near = nearest(name, {declared.begin(), declared.end()});
      found.push_back({hook.file, line, Severity::warning, "variable",
                       cat(name,
                           " has no value where its caller gives none: no environment.d has a default, no README "
                           "tells of it",
                           near ? cat("; did you mean ", *near, "?") : "")});
    }
  }
  return found;
}

}  // namespace hearth::builder
