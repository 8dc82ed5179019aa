#include "builder/element_info.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/cli/layout.hpp"
#include "base/run_parts.hpp"
#include "base/text.hpp"
#include "builder/lint/left_out.hpp"
#include "builder/lint/variable_lint.hpp"
#include "builder/packages/package_installs.hpp"
#include "builder/packages/package_map.hpp"
#include "builder/packages/package_map_check.hpp"

namespace hearth::builder {

namespace {

std::string real_path(const fs::path& path) {
  boost::system::error_code missing;
  const fs::path resolved = fs::canonical(path, missing);
  return (missing ? path : resolved).string();
}

/// A plain YAML scalar where that is safe, else a single-quoted one.
std::string yaml_scalar(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/._+-").find(c) != std::string::npos;
  };
  const bool starts_plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '/');
  if (starts_plain && std::all_of(text.begin(), text.end(), is_plain)) return text;
  return cat("'", replace_all(text, "'", "''"), "'");
}

/// The text between single quotes of a shell.
std::string quotable(const std::string& text) { return replace_all(text, "'", "'\\''"); }

/// Files of an element that are worth looking into for variables: those of its first two levels.
std::vector<fs::path> files_below(const FileReader& files, const fs::path& directory, int depth) {
  std::vector<fs::path> found;
  for (const std::string& name : files.list(directory)) {
    const std::optional<FileStatus> status = files.status(directory / name);
    if (!status) continue;
    if (status->type == FileStatus::Type::regular) found.push_back(directory / name);
    const bool is_link = fs::is_symlink(fs::symlink_status(directory / name));  // which may lead anywhere, or back
    if (status->type != FileStatus::Type::directory || is_link || depth == 0) continue;
    for (fs::path& below : files_below(files, directory / name, depth - 1)) found.push_back(std::move(below));
  }
  return found;
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Those that a file of environment.d gives a value, whatever they are called.
void collect_assigned(std::string_view text, std::set<std::string>& out) {
  for (const std::string& line : split_lines(text)) {
    std::string_view rest = trim(line);
    if (rest.starts_with("export ")) rest = trim(rest.substr(7));
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character);
    const bool is_set = end != rest.end() && (*end == '=' || *end == '+');
    if (is_set && end != rest.begin() && std::isupper(static_cast<unsigned char>(rest.front())) != 0)
      out.emplace(rest.begin(), end);
  }
}

std::vector<std::string> hooks_of(const FileReader& files, const Element& element) {
  std::vector<std::string> hooks;
  for (const PhaseInfo& phase : k_phases) {
    const std::string directory = directory_name(phase.phase);
    std::vector<std::string> names;
    for (const std::string& name : files.list(element.path / directory)) {
      const std::optional<FileStatus> status = files.status(element.path / directory / name);
      const bool runs = status && status->type == FileStatus::Type::regular && (status->mode & 0111U) != 0;
      if (runs && is_run_parts_name(name)) names.push_back(name);
    }
    sort_run_parts(names);
    for (const std::string& name : names) hooks.push_back(cat(directory, "/", name));
  }
  return hooks;
}

std::vector<std::string> needed_by(const Catalog& catalog, const Element& element) {
  std::vector<std::string> names;
  for (const auto& [name, other] : catalog.elements()) {
    const bool needs = std::any_of(other.deps.begin(), other.deps.end(), [&](const std::string& dependency) {
      return dependency == element.name || std::count(element.provides.begin(), element.provides.end(), dependency) > 0;
    });
    if (needs) names.push_back(name);
  }
  return names;
}

std::vector<PackageEntry> packages_of(const FileReader& files, const Element& element) {
  ElementSet alone;
  alone.elements.push_back(element);
  return load_package_installs(files, alone);
}

std::vector<std::string> names_of(const std::vector<PackageEntry>& entries) {
  std::vector<std::string> names;
  for (const PackageEntry& entry : entries) {
    if (std::count(names.begin(), names.end(), entry.package) == 0) names.push_back(entry.package);
  }
  return names;
}

/// In which case it is installed, where that is not always and in install.d.
std::string case_of(const PackageEntry& entry) {
  std::vector<std::string> parts;
  if (entry.phase != Phase::install) parts.push_back(cat("in ", directory_name(entry.phase)));
  if (entry.action == PackageEntry::Action::uninstall) parts.emplace_back("removed, not installed");
  if (entry.action == PackageEntry::Action::build_only) parts.emplace_back("removed again at the end");
  if (!entry.arch.empty()) parts.push_back(cat("only on ", join(entry.arch, ", ")));
  if (!entry.not_arch.empty()) parts.push_back(cat("not on ", join(entry.not_arch, ", ")));
  if (!entry.install_type.empty()) parts.push_back(cat("with installtype ", entry.install_type));
  if (!entry.python_version.empty()) parts.push_back(cat("with Python ", entry.python_version));
  if (!entry.when.empty()) parts.push_back(cat("when ", join(entry.when, " and ")));
  return join(parts, ", ");
}

/// What is not said by a package's name: its case, and what the element's pkg-map makes of it where Debian is built.
std::vector<std::string> package_notes(const FileReader& files, const Element& element,
                                       const std::vector<PackageEntry>& entries) {
  constexpr const char* system = "debian";
  std::vector<std::string> notes;
  for (const PackageEntry& entry : entries) {
    if (const std::string its = case_of(entry); !its.empty()) notes.push_back(cat(entry.package, ": ", its));
  }
  const fs::path file = element.path / "pkg-map";
  if (!is_package_map_data(files, file)) return notes;
  const auto map = PackageMap::parse(files.read(file).value_or(""), file.string(), system, "").value_or_throw();
  for (const std::string& name : names_of(entries)) {
    const auto mapped = map.find(name);
    if (!mapped || *mapped == std::vector<std::string>{name}) continue;
    notes.push_back(cat(name, ": ", mapped->empty() ? "nothing" : join(*mapped, " "), " on ", system, " (pkg-map)"));
  }
  return notes;
}

std::vector<std::string> idle_hooks_of(const FileReader& files, const Element& element) {
  std::vector<std::string> idle;
  for (const Finding& finding : idle_hooks(files, element)) {
    const std::string place = fs::path(finding.file).lexically_relative(element.path).string();
    idle.push_back(cat(place, ": ", finding.what));
  }
  return idle;
}

/// Files below a directory of the element, each with what is put before its path there.
std::vector<std::string> paths_below(const FileReader& files, const fs::path& directory, const std::string& before) {
  constexpr int k_deepest = 20;
  std::vector<std::string> paths;
  if (!is_directory(files, directory)) return paths;
  for (const fs::path& file : files_below(files, directory, k_deepest))
    paths.push_back(cat(before, file.lexically_relative(directory).string()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> templates_of(const FileReader& files, const Element& element) {
  std::vector<std::string> paths = paths_below(files, element.path / "os-apply-config", "/");
  std::erase_if(paths, [](const std::string& path) { return path.ends_with(".oac"); });  // owner and mode of another
  return paths;
}

constexpr std::size_t k_indent = 12;
constexpr std::size_t k_most_files = 20;  ///< of each kind that a page shows

std::string page_row(std::string_view title, const std::string& value, std::size_t width) {
  if (value.empty()) return "";
  const std::string label = cli::padded(title.empty() ? "" : cat(title, ":"), k_indent);
  return cat(label, width == 0 ? value : cli::wrapped(value, width, k_indent, k_indent), "\n");
}

/// What upstream's READMEs mark for Sphinx is told as it reads there: ":doc:`../manifests/README`" is "manifests".
std::string without_roles(std::string text) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t mark = text.find(":`"); mark != std::string::npos; mark = text.find(":`", mark)) {
    const std::size_t name = mark == 0 ? std::string::npos : text.find_last_not_of(k_letters, mark - 1);
    const std::size_t end = text.find('`', mark + 2);
    if (name == std::string::npos || text[name] != ':' || name + 1 == mark || end == std::string::npos) {
      ++mark;
      continue;
    }
    fs::path said = text.substr(mark + 2, end - mark - 2);
    if (said.filename() == "README") said = said.parent_path().filename();
    text.replace(name, end + 1 - name, said.string());
    mark = name;
  }
  return text;
}

}  // namespace

std::string element_names_text(const ElementSet& elements) { return cat(join(elements.names(), " "), "\n"); }

std::string element_variables_text(const ElementSet& elements) {
  std::map<std::string, std::string> yaml;  // PyYAML sorts keys
  std::string array;
  for (const Element& element : elements.elements) {
    const std::string path = real_path(element.path);
    yaml[element.name] = path;
    array += cat("[", element.name, "]=", path, " ");
  }
  std::string lines;
  for (const auto& [name, path] : yaml) lines += cat(yaml_scalar(name), ": ", yaml_scalar(path), "\n");
  return cat("export IMAGE_ELEMENT='", join(elements.names(), " "), "'\n", "export IMAGE_ELEMENT_YAML='",
             quotable(lines), "'\n", "function get_image_element_array {\n  echo \"", array, "\"\n};\n",
             "export -f get_image_element_array;\n");
}

fs::path readme_of(const FileReader& files, const Element& element) {
  for (const char* name : {"README.md", "README.rst"}) {
    if (is_regular_file(files, element.path / name)) return element.path / name;
  }
  return {};
}

/// Of the README's first paragraph its first sentence; an indented one is a synopsis.
std::string summary_of(const FileReader& files, const Element& element) {
  std::string paragraph;
  for (const char* name : {"README.md", "README.rst"}) {
    for (const std::string& line : split_lines(files.read(element.path / name).value_or(""))) {
      const bool decoration =
          line.find_first_not_of("=-~# ") == std::string::npos || line[0] == '#' || line == element.name;
      const bool is_synopsis = line.starts_with("    ");
      if (!decoration && !is_synopsis) paragraph += cat(paragraph.empty() ? "" : " ", trim(line));
      if ((decoration || is_synopsis) && !paragraph.empty()) break;
    }
  }
  paragraph = paragraph.substr(0, paragraph.find(". "));
  if (!paragraph.empty() && (paragraph.back() == '.' || paragraph.back() == ':')) paragraph.pop_back();
  return without_roles(paragraph);
}

ElementPage describe_element(const FileReader& files, const Catalog& catalog, const Element& element) {
  std::set<std::string> variables;
  for (const fs::path& file : files_below(files, element.path, 2)) {
    const std::string text = files.read(file).value_or("");
    add_variables_in(text, variables);
    if (file.parent_path() == element.path / "environment.d") collect_assigned(text, variables);
  }
  variables.erase("DIB_DEBUG_TRACE");
  const std::vector<PackageEntry> packages = packages_of(files, element);
  return {.element = element,
          .summary = summary_of(files, element),
          .needed_by = needed_by(catalog, element),
          .hooks = hooks_of(files, element),
          .idle_hooks = idle_hooks_of(files, element),
          .files = paths_below(files, element.path / "static", "/"),
          .templates = templates_of(files, element),
          .node_scripts = paths_below(files, element.path / "os-refresh-config", ""),
          .packages = names_of(packages),
          .package_notes = package_notes(files, element, packages),
          .variables = {variables.begin(), variables.end()},
          .readme = readme_of(files, element).string()};
}

std::string page_text(const ElementPage& page, std::size_t width) {
  std::string text = cat(page.element.name, page.summary.empty() ? "" : " - ", page.summary, "\n\n");
  const auto add = [&](std::string_view title, const std::string& value) { text += page_row(title, value, width); };
  add("path", page.element.path.string());
  if (!page.readme.empty()) add("manual", cat(page.readme, " (hearth help ", page.element.name, ")"));
  add("depends on", join(page.element.deps, " "));
  add("provides", join(page.element.provides, " "));
  add("needed by", join(page.needed_by, " "));
  add("packages", join(page.packages, " "));
  for (const std::string& note : page.package_notes) add("", note);
  add("variables", join(page.variables, " "));
  add("hooks", join(page.hooks, " "));
  for (const std::string& hook : page.idle_hooks) add("not run", hook);
  const auto add_files = [&](std::string_view title, const std::vector<std::string>& paths) {
    add(title, join_first(paths, k_most_files, " "));
  };
  add_files("files", page.files);
  add_files("templates", page.templates);
  add_files("on nodes", page.node_scripts);
  return text;
}

}  // namespace hearth::builder
