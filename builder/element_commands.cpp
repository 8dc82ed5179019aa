#include "builder/element_commands.hpp"

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/elements/closure.hpp"
#include "builder/elements/dependency_graph.hpp"
#include "builder/elements/info.hpp"
#include "builder/elements/skeleton.hpp"
#include "builder/installation.hpp"
#include "builder/lint/element_lint.hpp"

namespace hearth::builder {

namespace {

void print_json(const Json& json) { cli::print(cat(format_json(json, {.indent = 2}), "\n")); }

std::vector<fs::path> search_path() {
  const Environment environment = current_environment();
  const auto set = environment.find("ELEMENTS_PATH");
  std::vector<fs::path> path;
  if (set == environment.end() || set->second.empty()) return path;
  for (const std::string& entry : split(set->second, ':')) path.emplace_back(entry);
  return path;
}

Catalog scan_all(const fs::path& executable) {
  const Installation installation = find_installation(current_environment(), executable);
  return Catalog::scan(RealFileSystem(), search_path(), installation.elements);
}

const Element& element_named(const Catalog& catalog, const std::string& name) {
  if (const Element* element = catalog.find(name)) return *element;
  (void)dependency_graph(catalog, {name});  // throws for unknown names, with the nearest known one
  throw Error(ErrorKind::input, cat("'", name, "' is provided by others, not an element itself"));
}

cli::Command list_command(const fs::path& executable) {
  return {.words = "element list",
          .operands = "",
          .summary = "list the elements that ELEMENTS_PATH and Hearth offer",
          .details = "",
          .options = {{"json", 0, "", "print as JSON"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                const Catalog catalog = scan_all(executable);
                Json list = Json::array();
                for (const auto& [name, element] : catalog.elements()) {
                  const std::string summary = summary_of(RealFileSystem(), element);
                  list.push_back({{"name", name}, {"path", element.path.string()}, {"summary", summary}});
                  if (arguments.has("json")) continue;
                  std::string line = name;
                  line.resize(std::max<std::size_t>(line.size() + 2, 28), ' ');
                  cli::print(cat(line, summary, "\n"));
                }
                if (arguments.has("json")) print_json(list);
                return 0;
              },
          .first = true};
}

Json page_json(const ElementPage& page) {
  return {{"name", page.element.name}, {"path", page.element.path.string()}, {"summary", page.summary},
          {"deps", page.element.deps}, {"provides", page.element.provides},  {"needed_by", page.needed_by},
          {"packages", page.packages}, {"variables", page.variables},        {"hooks", page.hooks}};
}

cli::Command info_command(const fs::path& executable) {
  return {.words = "element info",
          .operands = "ELEMENT…",
          .summary = "tell what an element is for, needs, installs and runs, and which variables it reads",
          .details = "The program element-info, which prints what a list of elements expands to, is another one.",
          .options = {{"json", 0, "", "print as JSON"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                if (arguments.operands().empty()) throw Error(ErrorKind::usage, "no element is named");
                const Catalog catalog = scan_all(executable);
                Json pages = Json::array();
                std::string text;
                for (const std::string& name : arguments.operands()) {
                  const ElementPage page = describe_element(RealFileSystem(), catalog, element_named(catalog, name));
                  pages.push_back(page_json(page));
                  text += cat(text.empty() ? "" : "\n", page_text(page));
                }
                if (arguments.has("json")) {
                  print_json(pages);
                } else {
                  cli::print(text);
                }
                return 0;
              },
          .names = element_names(executable)};
}

Json graph_json(const DependencyGraph& graph) {
  Json nodes = Json::array();
  for (const auto& [name, node] : graph.nodes) {
    nodes.push_back({{"name", name}, {"known", node.known}, {"deps", node.deps}, {"provided_by", node.providers}});
  }
  return {{"roots", graph.roots}, {"elements", nodes}, {"cycles", find_cycles(graph)}};
}

cli::Command graph_command(const fs::path& executable) {
  return {.words = "element graph",
          .operands = "[ELEMENT…]",
          .summary = "show what elements depend on, for Graphviz (default: all elements)",
          .details = "Example: hearth element graph vm debian-minimal | dot -Tsvg > elements.svg",
          .options = {{"tree", 0, "", "print as an indented tree"}, {"json", 0, "", "print as JSON, with cycles"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                const Catalog catalog = scan_all(executable);
                const bool all = arguments.operands().empty();
                const DependencyGraph graph = dependency_graph(catalog, all ? catalog.names() : arguments.operands());
                if (arguments.has("json")) {
                  print_json(graph_json(graph));
                } else {
                  cli::print(arguments.has("tree") ? graph_tree(graph) : graph_dot(graph));
                }
                return 0;
              },
          .names = element_names(executable)};
}

/// An operand of lint: a directory that is an element, one that holds elements, or a name.
std::vector<Element> elements_to_lint(const Catalog& catalog, const std::vector<std::string>& operands) {
  std::vector<Element> chosen;
  const auto add_below = [&](const fs::path& directory) {
    for (const auto& [name, element] : catalog.elements()) {
      const bool is_cache = name.compare(0, 2, "__") == 0;  // __pycache__, which counts as an element otherwise
      if (element.path.parent_path() == directory && !is_cache) chosen.push_back(element);
    }
  };
  if (operands.empty()) {
    for (const auto& [name, element] : catalog.elements()) chosen.push_back(element);
  }
  for (const std::string& operand : operands) {
    if (operand.find('/') == std::string::npos && catalog.find(operand) != nullptr) {
      chosen.push_back(*catalog.find(operand));
      continue;
    }
    if (!fs::is_directory(operand)) (void)element_named(catalog, operand);  // throws
    const fs::path directory = fs::canonical(operand);
    const std::size_t before = chosen.size();
    for (const auto& [name, element] : catalog.elements()) {
      if (element.path == directory) chosen.push_back(element);
    }
    if (chosen.size() == before) add_below(directory);
  }
  return chosen;
}

/// Where lint looks for dependencies: ELEMENTS_PATH, ours, and around the directories that it was given.
Catalog catalog_for_lint(const fs::path& executable, const std::vector<std::string>& operands) {
  std::vector<fs::path> path;
  for (const std::string& operand : operands) {
    if (operand.find('/') == std::string::npos && !fs::is_directory(operand)) continue;
    if (!fs::is_directory(operand)) throw Error(ErrorKind::not_found, cat(operand, " is not a directory"));
    const fs::path directory = fs::canonical(operand);
    const std::vector<std::string> names = RealFileSystem().list(directory);
    const bool holds_elements = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return fs::exists(directory / name / "README.rst") || fs::exists(directory / name / "README.md") ||
             fs::exists(directory / name / "element-deps");
    });
    path.push_back(holds_elements ? directory : directory.parent_path());
  }
  for (fs::path& entry : search_path()) path.push_back(std::move(entry));
  const Installation installation = find_installation(current_environment(), executable);
  return Catalog::scan(RealFileSystem(), path, installation.elements);
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"file", finding.file.string()},
                    {"line", finding.line},
                    {"severity", finding.severity == Severity::error ? "error" : "warning"},
                    {"check", finding.check},
                    {"what", finding.what}});
  }
  return list;
}

constexpr const char* k_lint_details =
    "An operand is the name of an element, its directory, or a directory of elements; without one, all elements are\n"
    "checked. Makes the checks of dib-lint and more; each has a name, which the output shows in brackets. A comment\n"
    "'# dib-lint: disable=NAME…' at the beginning of a line switches checks off for its file, in a README for the\n"
    "element; [dib-lint] ignore= in tox.ini for all.\n\n"
    "Exit codes: 0 nothing but warnings, 1 errors (with --strict: warnings too), 2 wrong usage.";

cli::Command lint_command(const fs::path& executable) {
  return {.words = "element lint",
          .operands = "[ELEMENT|DIRECTORY…]",
          .summary = "check elements for mistakes",
          .details = k_lint_details,
          .options = {{"json", 0, "", "print findings as JSON"},
                      {"disable", 0, "CHECK,…", "switch checks off"},
                      {"strict", 0, "", "warnings count as errors"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                const Catalog catalog = catalog_for_lint(executable, arguments.operands());
                Disabled disabled = globally_disabled_checks(RealFileSystem().read("tox.ini").value_or(""));
                for (const std::string& list : arguments.values("disable")) {
                  for (std::string& check : split(list, ',')) disabled.insert(std::move(check));
                }
                const RealFileSystem files;
                ElementLint lint(files, catalog, disabled);
                std::vector<Finding> all;
                for (const Element& element : elements_to_lint(catalog, arguments.operands())) {
                  for (Finding& finding : lint.lint(element)) all.push_back(std::move(finding));
                }
                if (arguments.has("json")) print_json(findings_json(all));
                bool failed = false;
                for (const Finding& finding : all) {
                  if (!arguments.has("json")) cli::print(cat(finding_text(finding), "\n"));
                  failed = failed || finding.severity == Severity::error || arguments.has("strict");
                }
                return failed ? 1 : 0;
              },
          .names = element_names(executable)};
}

cli::Command new_command() {
  return {.words = "element new",
          .operands = "NAME",
          .summary = "lay down the files of a new element, commented",
          .details = "",
          .options = {{"directory", 'd', "DIR", "where to (default: the current directory)"}},
          .run = [](const cli::Arguments& arguments) {
            if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "give one name");
            const std::string& name = arguments.operands().front();
            const std::vector<SkeletonFile> skeleton = element_skeleton(name);
            const fs::path directory = fs::path(arguments.value_or("directory", ".")) / name;
            if (fs::exists(directory)) {
              throw Error(ErrorKind::input, cat(directory.string(), " exists already")).hint("Take another name.");
            }
            RealFileSystem files;
            for (const SkeletonFile& file : skeleton) {
              const fs::path path = directory / file.path;
              files.make_directories(path.parent_path(), 0777);
              files.write(path, file.text, {.mode = file.is_executable ? 0755U : 0644U});
              cli::print(cat(path.string(), "\n"));
            }
            return 0;
          }};
}

}  // namespace

std::function<std::vector<std::string>()> element_names(const fs::path& executable) {
  return [executable]() -> std::vector<std::string> {
    try {
      std::vector<std::string> names;
      const Catalog catalog = scan_all(executable);
      for (const auto& [name, element] : catalog.elements()) names.push_back(name);
      return names;
    } catch (const Error&) {
      return {};
    }
  };
}

std::vector<cli::Command> element_commands(const fs::path& executable) {
  return {list_command(executable), info_command(executable), graph_command(executable), lint_command(executable),
          new_command()};
}

cli::Command element_info(const fs::path& executable) {
  return {.words = "element-info",
          .operands = "ELEMENT…",
          .summary = "print the elements that a list of elements expands to",
          .details = "Elements are found in ELEMENTS_PATH. Exit codes: 0 ok, 1 the list has no image, 2 wrong usage.",
          .options = {{"env", 'e', "", "print variables for bash to evaluate"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                if (arguments.operands().empty()) throw Error(ErrorKind::usage, "no element is named");
                std::vector<fs::path> path = search_path();
                if (path.empty()) path.push_back(find_installation(current_environment(), executable).elements);
                const fs::path last = path.back();
                path.pop_back();
                const Catalog catalog = Catalog::scan(RealFileSystem(), path, last);
                for (const std::string& note : catalog.notes()) std::fprintf(stderr, "%s\n", note.c_str());
                const ElementSet elements = close_over_dependencies(catalog, arguments.operands());
                cli::print(arguments.has("env") ? element_variables_text(elements) : element_names_text(elements));
                return 0;
              },
          .names = element_names(executable)};
}

}  // namespace hearth::builder
