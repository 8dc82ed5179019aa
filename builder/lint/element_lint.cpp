#include "builder/lint/element_lint.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "builder/elements/dependency_graph.hpp"
#include "builder/elements/phase.hpp"
#include "builder/lint/data_lint.hpp"
#include "builder/lint/left_out.hpp"
#include "builder/lint/node_scripts.hpp"
#include "builder/lint/node_templates.hpp"
#include "builder/lint/script_lint.hpp"
#include "builder/lint/source_check.hpp"
#include "builder/lint/variable_lint.hpp"
#include "builder/packages/package_installs.hpp"

namespace hearth::builder {

namespace {

/// The line of a name in an element-deps file.
int line_of(const std::string& text, const std::string& name) {
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trim(line) == name) return number;
  }
  return 0;
}

/// How scripts of Hearth's own tree look: a taste, not a fault.
const std::set<std::string> k_house_style = {"depsort", "indent",  "newline",   "setpipefail", "sete",
                                             "setu",    "shebang", "tabindent", "which"};

}  // namespace

void ElementLint::find(const fs::path& file, int line, const std::string& check, std::string what, Severity severity) {
  add({file, line, severity, check, std::move(what)});
}

void ElementLint::add(Finding finding) {
  if (disabled_here_.count(finding.check) == 0) findings_.push_back(std::move(finding));
}

std::vector<Finding> ElementLint::lint(const Element& element, Style style) {
  findings_.clear();
  disabled_here_ = disabled_;
  for (const char* name : {"README.rst", "README.md"}) {
    disabled_here_.merge(disabled_checks(files_.read(element.path / name).value_or(""), ""));
  }
  check_readme(element);
  check_places(element);
  check_dependencies(element);
  check_sorting(element);
  check_cycles(element);
  check_files(element, "");
  check_duplicates(element);
  check_variables(element);
  check_conditions(element);
  if (packages_ != nullptr) add_unless_off(packages_->unknown(element));
  for (Finding& finding : source_faults(files_, element)) add(std::move(finding));
  if (style == Style::anyones) forgive_style();
  return std::move(findings_);
}

/// Of other people's elements only what is wrong counts: DIB_DEBUG_TRACE is not asked for, taste is a warning.
void ElementLint::forgive_style() {
  std::erase_if(findings_, [](const Finding& finding) { return finding.check == "dibdebugtrace"; });
  for (Finding& finding : findings_) {
    const bool wrong_line = finding.check == "shebang" && finding.what.starts_with("a hook needs");
    if (k_house_style.count(finding.check) > 0 && !wrong_line) finding.severity = Severity::warning;
  }
}

void ElementLint::check_readme(const Element& element) {
  for (const char* name : {"README.rst", "README.md"}) {
    if (files_.status(element.path / name)) return;
  }
  find(element.path, 0, "readme", "README.md or README.rst is missing: what is it for, which variables does it read?");
}

void ElementLint::check_places(const Element& element) {
  std::vector<Element> others;
  for (const auto& [name, other] : catalog_.elements()) others.push_back(other);
  for (const auto& found : {unread_places(files_, element), idle_node_scripts(files_, element),
                            node_template_faults(files_, element, others), unknown_systems(files_, element),
                            foreign_line_ends(files_, element)}) {
    for (const Finding& finding : found) add(finding);
  }
  const fs::path layout = element.path / "block-device-default.yaml";
  const bool keeps_default_away = element.name.starts_with("block-device-") ||
                                  std::count(element.provides.begin(), element.provides.end(), "block-device") > 0;
  if (keeps_default_away || !files_.status(layout)) return;
  find(layout, 0, "layout",
       "the element vm brings a layout of its own, which may go before this one: write block-device into "
       "element-provides",
       Severity::warning);
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
    const std::optional<std::string> meant = name_before_comment(dependency);
    std::string what = meant ? std::string("element-deps knows no comments: each line is the name of an element")
                             : cat("depends on '", dependency, "', which no element is or provides");
    if (split_words(dependency).size() > 1 && !meant) {
      what = cat("each line is the name of one element: write those of '", dependency, "' each on its own");
    } else if (meant && catalog_.find(*meant) != nullptr) {
      what += cat("; write '", *meant, "' alone");
    } else if (const std::optional<std::string> near = nearest(meant.value_or(dependency), catalog_.names())) {
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
    for (Finding& wrong : lint_data(files_, path, place.string(), element.name)) add(std::move(wrong));
    const std::string text = files_.read(path).value_or("");
    const ScriptFile script{path, place.string(), text, (status->mode & 0111U) != 0};
    for (Finding& finding : lint_script(script, disabled_here_)) {
      // One that another script takes, as diskimage-builder's dhcp-all-interfaces has it, is no hook by mistake.
      const bool is_lost = finding.check == "hookname" && finding.what.starts_with(k_never_run);
      if (is_lost && is_mentioned(files_, element.path, name, 3, path)) continue;
      if (is_lost) finding.severity = Severity::error;
      findings_.push_back(std::move(finding));
    }
  }
}

void ElementLint::check_variables(const Element& element) {
  if (!set_somewhere_) set_somewhere_ = environment_variables(files_, catalog_);
  add_unless_off(undeclared_variables(files_, catalog_, element, *set_somewhere_));
}

/// Those that a comment of their own file does not switch off.
void ElementLint::add_unless_off(std::vector<Finding> findings) {
  for (Finding& finding : findings) {
    const bool is_off = disabled_checks(files_.read(finding.file).value_or("")).contains(finding.check);
    if (!is_off) add(std::move(finding));
  }
}

/// Whichever elements the image has beside this one.
void ElementLint::check_conditions(const Element& element) {
  std::vector<Element> all;
  for (const auto& [name, each] : catalog_.elements()) all.push_back(each);
  for (const char* name : {"package-installs.yaml", "package-installs.json"}) {
    const fs::path file = element.path / name;
    const std::optional<std::string> text = files_.read(file);
    if (!text) continue;
    const auto entries = parse_package_installs(*text, file.string(), element.name);
    if (!entries) continue;  // told with the data
    const char* const what = "which no environment.d sets: a build that is not given it ends there";
    for (Finding& finding : unset_conditions(files_, entries.value(), all, {}, what)) add(std::move(finding));
    for (Finding& finding : vain_conditions(entries.value())) add(std::move(finding));
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
