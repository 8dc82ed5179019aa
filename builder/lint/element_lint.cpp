#include "builder/lint/element_lint.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "builder/elements/dependency_graph.hpp"
#include "builder/lint/data_lint.hpp"
#include "builder/lint/script_lint.hpp"
#include "builder/plan/phase.hpp"

namespace hearth::builder {

namespace {

/// Directories in ".d" that are no phases and that upstream's own elements or the core read.
const std::set<std::string> k_data_directories = {
    "environment.d", "init.d",      "udev.d",     "binary-deps.d", "ramdisk-install.d", "dracut-drivers.d",
    "modprobe.d",    "yum.repos.d", "apt.conf.d", "sysctl.d",      "cloud.cfg.d",       "dracut.conf.d"};

/// Phases of long ago.
const std::set<std::string> k_former_phases = {"block-device-size.d", "first-boot.d"};

bool is_suffixed(const std::string& name) { return name.size() > 2 && name.compare(name.size() - 2, 2, ".d") == 0; }

bool has_directory(const FileReader& files, const fs::path& path) {
  const std::optional<FileStatus> status = files.status(path);
  return status && status->type == FileStatus::Type::directory;
}

std::vector<std::string> phase_directories() {
  std::vector<std::string> names = {"environment.d"};
  for (const PhaseInfo& phase : k_phases) names.push_back(directory_name(phase.phase));
  return names;
}

/// The line of a name in an element-deps file.
int line_of(const std::string& text, const std::string& name) {
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trim(line) == name) return number;
  }
  return 0;
}

/// Whether a file of the element, hooks above all, mentions `name`: then it is data of its own.
bool is_mentioned(const FileReader& files, const fs::path& directory, const std::string& name, int depth) {
  for (const std::string& entry : files.list(directory)) {
    const fs::path path = directory / entry;
    const std::optional<FileStatus> status = files.status(path);
    if (!status) continue;
    if (status->type == FileStatus::Type::directory) {
      if (depth > 0 && is_mentioned(files, path, name, depth - 1)) return true;
    } else if (status->type == FileStatus::Type::regular && entry.compare(0, 6, "README") != 0) {
      if (files.read(path).value_or("").find(name) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

void ElementLint::find(const fs::path& file, int line, const std::string& check, std::string what, Severity severity) {
  if (disabled_here_.count(check) == 0) findings_.push_back({file, line, severity, check, std::move(what)});
}

std::vector<Finding> ElementLint::lint(const Element& element) {
  findings_.clear();
  disabled_here_ = disabled_;
  for (const char* name : {"README.rst", "README.md"}) {
    disabled_here_.merge(disabled_checks(files_.read(element.path / name).value_or(""), ""));
  }
  check_readme(element);
  check_directories(element);
  check_dependencies(element);
  check_sorting(element);
  check_cycles(element);
  check_files(element, "");
  check_duplicates(element);
  return std::move(findings_);
}

void ElementLint::check_readme(const Element& element) {
  for (const char* name : {"README.rst", "README.md"}) {
    if (files_.status(element.path / name)) return;
  }
  find(element.path, 0, "readme", "README.md or README.rst is missing: what is it for, which variables does it read?");
}

void ElementLint::check_directories(const Element& element) {
  for (const std::string& name : files_.list(element.path)) {
    const fs::path path = element.path / name;
    if (!is_suffixed(name) || !has_directory(files_, path) || k_data_directories.count(name) > 0) continue;
    if (parse_phase(name.substr(0, name.size() - 2))) continue;
    if (k_former_phases.count(name) > 0) {
      find(path, 0, "phase", cat(name, " was a phase once; nothing runs it any more"));
    } else if (!is_mentioned(files_, element.path, name, 2)) {
      std::string what = cat("unknown phase ", name);
      if (const std::optional<std::string> near = nearest(name, phase_directories())) {
        what += cat("; did you mean ", *near, "?");
      }
      find(path, 0, "phase", cat(what, " (phases: ", join(phase_directories(), " "), ")"));
    }
  }
}

void ElementLint::check_dependencies(const Element& element) {
  const fs::path file = element.path / "element-deps";
  const std::string text = files_.read(file).value_or("");
  for (const std::string& dependency : element.deps) {
    const DependencyGraph::Node node = [&] {
      DependencyGraph::Node found;
      found.known = catalog_.find(dependency) != nullptr;
      for (const auto& [name, other] : catalog_.elements()) {
        if (std::count(other.provides.begin(), other.provides.end(), dependency) > 0) found.providers.push_back(name);
      }
      return found;
    }();
    if (node.known || !node.providers.empty() || dependency == "operating-system") continue;
    std::string what = cat("depends on '", dependency, "', which no element is or provides");
    if (dependency.front() == '#') what = "element-deps knows no comments: each line is the name of an element";
    if (const std::optional<std::string> near = nearest(dependency, catalog_.names())) {
      what += cat("; did you mean '", *near, "'?");
    }
    find(file, line_of(text, dependency), "deps", std::move(what));
  }
}

void ElementLint::check_sorting(const Element& element) {
  const fs::path file = element.path / "element-deps";
  if (std::is_sorted(element.deps.begin(), element.deps.end())) return;
  const auto wrong = std::is_sorted_until(element.deps.begin(), element.deps.end());
  find(file, line_of(files_.read(file).value_or(""), *wrong), "depsort",
       cat("not in the order of the alphabet: ", *wrong));
}

void ElementLint::check_cycles(const Element& element) {
  for (const std::vector<std::string>& cycle : find_cycles(dependency_graph(catalog_, {element.name}))) {
    if (std::count(cycle.begin(), cycle.end(), element.name) == 0) continue;
    find(element.path / "element-deps", 0, "cycle", cat("element-deps form a cycle: ", join(cycle, " -> ")));
  }
}

void ElementLint::check_files(const Element& element, const fs::path& below) {
  for (const std::string& name : files_.list(element.path / below)) {
    const fs::path place = below.empty() ? fs::path(name) : below / name;
    const fs::path path = element.path / place;
    const std::optional<FileStatus> status = files_.status(path);
    const bool is_skipped = name == "test-elements" || name == "tests" || name == "__pycache__" || name == ".git";
    if (!status || is_skipped) continue;
    if (status->type == FileStatus::Type::directory) {
      check_files(element, place);
      continue;
    }
    if (status->type != FileStatus::Type::regular) continue;
    if (const std::optional<Finding> wrong = lint_data(files_, path, place.string(), element.name)) {
      find(wrong->file, wrong->line, wrong->check, wrong->what);
    }
    const std::string text = files_.read(path).value_or("");
    const ScriptFile script{path, place.string(), text, (status->mode & 0111U) != 0};
    for (Finding& finding : lint_script(script, disabled_here_)) findings_.push_back(std::move(finding));
  }
}

void ElementLint::check_duplicates(const Element& element) {
  for (const PhaseInfo& phase : k_phases) {
    const std::string directory = directory_name(phase.phase);
    for (const std::string& name : files_.list(element.path / directory)) {
      const fs::path path = element.path / directory / name;
      const std::optional<FileStatus> status = files_.status(path);
      if (!status || status->type != FileStatus::Type::regular) continue;
      const auto [known, is_new] = hook_owners_.emplace(cat(directory, "/", name), element.name);
      if (is_new || known->second == element.name) continue;
      find(path, 0, "duplicate",
           cat("the element ", known->second, " has a file of the same name: the two can't be in one image"),
           Severity::warning);
    }
  }
}

}  // namespace hearth::builder
