#include "base/cli/print.hpp"
#include "builder/commands.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/stoppable_runner.hpp"
#include "base/text.hpp"
#include "builder/element_info.hpp"
#include "builder/elements/closure.hpp"
#include "builder/elements/dependency_graph.hpp"
#include "builder/elements/phase.hpp"
#include "builder/elements/skeleton.hpp"
#include "builder/elements/tree_fetch.hpp"
#include "builder/elements/upstream_tree.hpp"
#include "builder/guestfs/appliance_settings.hpp"
#include "builder/installation.hpp"
#include "builder/lint/element_lint.hpp"
#include "builder/lint/fixes.hpp"
#include "builder/lint/left_out.hpp"

namespace hearth::builder {

namespace {

std::vector<fs::path> search_path() {
  const Environment environment = current_environment();
  const auto set = environment.find("ELEMENTS_PATH");
  std::vector<fs::path> path;
  if (set == environment.end() || set->second.empty()) return path;
  for (const std::string& entry : split(set->second, ':')) path.emplace_back(entry);
  return path;
}

/// Of `path`, Hearth's own elements and diskimage-builder's, as a build looks for them.
Catalog scan_behind(std::vector<fs::path> path, const fs::path& executable) {
  const Environment environment = current_environment();
  const RealFileSystem files;
  std::vector<fs::path> fallback;
  if (const auto tree = find_upstream_tree(files, environment))
    (tree->first ? path : fallback).push_back(tree->elements);
  return Catalog::scan(files, path, find_installation(environment, executable).elements, fallback);
}

Catalog scan_all(const fs::path& executable) { return scan_behind(search_path(), executable); }

const Element& element_named(const Catalog& catalog, const std::string& name) {
  if (const Element* element = catalog.find(name)) return *element;
  (void)dependency_graph(catalog, {name});  // throws for unknown names, with the nearest known one
  throw Error(ErrorKind::input, cat("'", name, "' is provided by others, not an element itself"));
}

/// What the element is for in a column of its own, as help texts have it.
std::string list_row(const std::string& name, const std::string& summary) {
  constexpr std::size_t indent = 28;
  if (summary.empty()) return cat(name, "\n");
  const std::string label = cli::padded(cat(name, "  "), indent);
  const std::size_t width = cli::terminal_width(STDOUT_FILENO, std::getenv("COLUMNS"));
  return cat(label, cli::wrapped(summary, width, indent, cli::columns(label)), "\n");
}

cli::Command list_command(const fs::path& executable) {
  return {.words = "element list",
          .operands = "",
          .summary = "list the elements that ELEMENTS_PATH, Hearth and diskimage-builder offer",
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
                  cli::print(list_row(name, summary));
                }
                if (arguments.has("json")) cli::print(json_document(list));
                return 0;
              },
          .first = true};
}

Json page_json(const ElementPage& page) {
  return {{"name", page.element.name},   {"path", page.element.path.string()},  {"summary", page.summary},
          {"deps", page.element.deps},   {"provides", page.element.provides},   {"needed_by", page.needed_by},
          {"packages", page.packages},   {"package_notes", page.package_notes}, {"variables", page.variables},
          {"hooks", page.hooks},         {"not_run", page.idle_hooks},          {"files", page.files},
          {"templates", page.templates}, {"node_scripts", page.node_scripts},   {"readme", page.readme}};
}

/// Without the slash that completion puts behind a name: boost takes "elements/" for another path than "elements".
fs::path without_slash(std::string operand) {
  while (operand.size() > 1 && operand.back() == '/') operand.pop_back();
  return operand;
}

fs::path directory_named(const std::string& operand) { return fs::canonical(without_slash(operand)); }

bool is_element(const fs::path& directory) {
  const auto has = [&](const std::string& name) { return fs::exists(directory / name); };
  return has("element-deps") || has("element-provides") ||
         std::any_of(k_phases.begin(), k_phases.end(),
                     [&](const PhaseInfo& each) { return has(directory_name(each.phase)); });
}

bool holds_elements(const fs::path& directory) {
  const std::vector<std::string> names = RealFileSystem().list(directory);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return fs::exists(directory / name / "README.rst") || fs::exists(directory / name / "README.md") ||
           is_element(directory / name);
  });
}

/// Where dependencies are looked for: ELEMENTS_PATH, ours, and around the directories that are given.
Catalog catalog_around(const fs::path& executable, const std::vector<std::string>& operands) {
  std::vector<fs::path> path;
  for (const std::string& operand : operands) {
    if (operand.find('/') == std::string::npos && !fs::is_directory(operand)) continue;
    if (!fs::is_directory(operand)) throw Error(ErrorKind::not_found, cat(operand, " is not a directory"));
    const fs::path directory = directory_named(operand);
    path.push_back(holds_elements(directory) ? directory : directory.parent_path());
  }
  for (fs::path& entry : search_path()) path.push_back(std::move(entry));
  return scan_behind(std::move(path), executable);
}

/// By its name, or by its directory.
const Element& element_meant(const Catalog& catalog, const std::string& operand) {
  if (catalog.find(operand) == nullptr && fs::is_directory(operand)) {
    for (const auto& [name, element] : catalog.elements()) {
      if (element.path == directory_named(operand)) return element;
    }
  }
  return element_named(catalog, operand);
}

cli::Command info_command(const fs::path& executable) {
  return {.words = "element info",
          .operands = "ELEMENT|DIRECTORY…",
          .summary = "tell what an element is for, needs, installs and runs, and which variables it reads",
          .details = "The program element-info, which prints what a list of elements expands to, is another one.",
          .options = {{"json", 0, "", "print as JSON"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                if (arguments.operands().empty()) throw Error(ErrorKind::usage, "no element is named");
                std::vector<std::string> directories = arguments.operands();
                std::erase_if(directories, [](const std::string& operand) {
                  const bool is_path = operand.find('/') != std::string::npos || operand == ".";
                  return !is_path || !fs::is_directory(operand);
                });
                const Catalog catalog = catalog_around(executable, directories);
                const std::size_t width = cli::table_room();
                Json pages = Json::array();
                std::string text;
                for (const std::string& name : arguments.operands()) {
                  const ElementPage page = describe_element(RealFileSystem(), catalog, element_meant(catalog, name));
                  pages.push_back(page_json(page));
                  text += cat(text.empty() ? "" : "\n", page_text(page, width));
                }
                if (arguments.has("json")) {
                  cli::print(json_document(pages));
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
                  cli::print(json_document(graph_json(graph)));
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
    for (const auto& [name, element] : catalog.elements()) {
      if (!element.fallback) chosen.push_back(element);
    }
  }
  for (const std::string& operand : operands) {
    if (operand.find('/') == std::string::npos && catalog.find(operand) != nullptr) {
      chosen.push_back(*catalog.find(operand));
      continue;
    }
    if (!fs::is_directory(operand)) (void)element_named(catalog, operand);  // throws
    const fs::path directory = directory_named(operand);
    const std::size_t before = chosen.size();
    for (const auto& [name, element] : catalog.elements()) {
      if (element.path == directory) chosen.push_back(element);
    }
    if (chosen.size() == before) add_below(directory);
    if (chosen.size() == before) throw Error(ErrorKind::input, cat("there are no elements in ", operand));
  }
  return chosen;
}

constexpr const char* k_lint_details =
    "An operand is the name of an element, its directory, or a directory of elements; without one, all elements are\n"
    "checked. Makes the checks of dib-lint and more; each has a name, which the output shows in brackets. A comment\n"
    "'# dib-lint: disable=NAME…' at the beginning of a line switches checks off for its file, in a README for the\n"
    "element; [dib-lint] ignore= in tox.ini for all. Names of packages are looked up in lists of Debian and Ubuntu\n"
    "that are here: an earlier build's, this machine's apt's.\n\n"
    "What is only a matter of taste is an error in Hearth's own tree, and with --house-style; elsewhere it is a "
    "warning,\n"
    "and DIB_DEBUG_TRACE is not asked for. --fix mends x bits, line ends, last lines and the order of element-deps.\n\n"
    "Exit codes: 0 nothing but warnings, 1 errors (with --strict: warnings too), 2 wrong usage.";

/// Paths as the operands have them: "elements/web/svc-map" of what was asked for as "elements".
void name_as_given(std::vector<Finding>& findings, const std::vector<std::string>& operands) {
  for (const std::string& operand : operands) {
    if (!fs::is_directory(operand)) continue;
    const std::string found = directory_named(operand).string();
    const fs::path given = without_slash(operand).lexically_normal();
    for (Finding& finding : findings) {
      const std::string file = finding.file.string();
      if (file == found) finding.file = given;
      if (file.starts_with(found + "/")) finding.file = given / file.substr(found.size() + 1);
    }
  }
}

/// Findings of one run, over all elements chosen, in the order of files.
std::vector<Finding> lint_all(const std::vector<Element>& elements, const Catalog& catalog, PackageLint& packages,
                              const cli::Arguments& arguments) {
  Disabled disabled = globally_disabled_checks(RealFileSystem().read("tox.ini").value_or(""));
  for (const std::string& list : arguments.values("disable")) {
    for (std::string& check : split(list, ',')) disabled.insert(std::move(check));
  }
  const RealFileSystem files;
  ElementLint lint(files, catalog, disabled, &packages);
  std::vector<Finding> all;
  for (const Element& element : elements) {
    const bool house = element.built_in || arguments.has("house-style");
    for (Finding& finding : lint.lint(element, house ? Style::house : Style::anyones))
      all.push_back(std::move(finding));
  }
  const SystemClock clock;
  RealRunner runner(clock);
  std::vector<std::string> known;
  for (Finding& finding : syntax_faults(files, elements, runner, known)) {
    finding.severity = Severity::error;
    const Disabled here = disabled_checks(files.read(finding.file).value_or(""));
    if (disabled.count("syntax") + here.count("syntax") == 0) all.push_back(std::move(finding));
  }
  name_as_given(all, arguments.operands());
  std::stable_sort(all.begin(), all.end(), [](const Finding& one, const Finding& other) {
    return std::tuple(one.file.string(), one.line, one.column) <
           std::tuple(other.file.string(), other.line, other.column);
  });
  return all;
}

/// "76 elements", and where none is the caller's own, that: a pipeline that forgot to say where those are is green.
std::string what_was_checked(const std::vector<Element>& elements, const cli::Arguments& arguments) {
  const std::string count = cat(elements.size(), elements.size() == 1 ? " element" : " elements");
  const bool has_own =
      std::any_of(elements.begin(), elements.end(), [](const Element& each) { return !each.built_in; });
  if (has_own || !arguments.operands().empty()) return count;
  const std::string why = search_path().empty() ? "ELEMENTS_PATH is not set" : "there is none in ELEMENTS_PATH";
  const bool is_beside = is_element(".") || holds_elements(".");
  return cat(count, " of Hearth's, none of yours (", why,
             is_beside ? "; hearth element lint . checks those that are here" : "", ")");
}

/// Behind that, where names of packages were looked up nowhere.
std::string unseen_names(const std::vector<Element>& elements) {
  const bool has_names = std::any_of(elements.begin(), elements.end(), [](const Element& each) {
    return !each.built_in && (fs::exists(each.path / "package-installs.yaml") ||
                              fs::exists(each.path / "package-installs.json") || fs::exists(each.path / "pkg-map"));
  });
  return has_names ? ", names of packages not looked up (no lists of a release are here: apt-get update, or a build, "
                     "brings some)"
                   : "";
}

int report_findings(const std::vector<Finding>& all, const std::string& checked, const cli::Arguments& arguments) {
  std::size_t errors = 0;
  for (const Finding& finding : all) {
    if (!arguments.has("json")) cli::print(cat(finding_text(finding), "\n"));
    errors += finding.severity == Severity::error ? 1 : 0;
  }
  const std::size_t warnings = all.size() - errors;
  if (arguments.has("json")) {
    cli::print(json_document(findings_json(all)));
    if (checked.find(',') != std::string::npos) cli::tell(cat("checked: ", checked, "\n"));
  } else if (all.empty()) {
    cli::print(cat(checked, ": nothing found\n"));
  } else {
    cli::print(cat(checked, ": ", errors, errors == 1 ? " error, " : " errors, ", warnings,
                   warnings == 1 ? " warning\n" : " warnings\n"));
  }
  return errors > 0 || (arguments.has("strict") && !all.empty()) ? 1 : 0;
}

/// Says what it changed; what is left needs a person.
void mend_all(std::vector<Finding>& all) {
  const std::size_t found = all.size();
  std::erase_if(all, [](const Finding& finding) {
    const std::optional<std::string> done = mend(finding);
    if (done) cli::tell(cat("mended: ", finding.file.string(), ": ", *done, " [", finding.check, "]\n"));
    return done.has_value();
  });
  cli::tell(cat(found - all.size(), found - all.size() == 1 ? " thing is" : " things are", " mended, ", all.size(),
                " left for you\n"));
}

cli::Command lint_command(const fs::path& executable) {
  return {.words = "element lint",
          .operands = "[ELEMENT|DIRECTORY…]",
          .summary = "check elements for mistakes",
          .details = k_lint_details,
          .options = {{"json", 0, "", "print findings as JSON"},
                      {"disable", 0, "CHECK,…", "switch checks off"},
                      {"house-style", 0, "", "ask of all elements what is asked of Hearth's own"},
                      {"fix", 0, "", "mend what can be mended without a doubt, and say so"},
                      {"strict", 0, "", "warnings count as errors"}},
          .run =
              [executable](const cli::Arguments& arguments) {
                const Catalog catalog = catalog_around(executable, arguments.operands());
                const std::vector<Element> elements = elements_to_lint(catalog, arguments.operands());
                const RealFileSystem files;
                PackageLint packages(files, catalog, image_cache(current_environment()), host_architecture());
                const std::string checked =
                    cat(what_was_checked(elements, arguments), packages.is_blind() ? unseen_names(elements) : "");
                std::vector<Finding> all = lint_all(elements, catalog, packages, arguments);
                if (!arguments.has("fix")) return report_findings(all, checked, arguments);
                mend_all(all);
                return report_findings(all, checked, arguments);
              },
          .names = element_names(executable)};
}

cli::Command fetch_command() {
  return {
      .words = "element fetch",
      .operands = "SOURCE",
      .summary = "keep an element tree of others for this user, with its origin",
      .details =
          "SOURCE is diskimage-builder (Debian's package python3-diskimage-builder, from the archive that this\n"
          "machine's apt uses; --ref names another suite), the URL of a git repository, or a directory. The tree is\n"
          "kept below ~/.local/share/hearth/elements (XDG_DATA_HOME), in place of an earlier one of the name. Its\n"
          "file .origin.json says where it came from, its commit or version, digest and licence; provenance and\n"
          "bundles carry that on. diskimage-builder's is found by itself, others by ELEMENTS_PATH.\n\n"
          "Example: hearth element fetch https://opendev.org/openstack/octavia.git",
      .options = {{"name", 0, "NAME", "what it is kept as (default: by the source)"},
                  {"ref", 0, "REF", "branch or tag of a repository; suite of Debian"},
                  {"below", 0, "DIR", "where in the source its elements are (default: looked for)"},
                  {"json", 0, "", "print path and origin as JSON"}},
      .run = [](const cli::Arguments& arguments) {
        if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "give one source");
        const SystemClock clock;
        StoppableRunner runner(clock);
        const KeptTree tree = fetch_tree({.source = arguments.operands().front(),
                                          .name = arguments.value_or("name", ""),
                                          .ref = arguments.value_or("ref", ""),
                                          .below = arguments.value_or("below", "")},
                                         kept_trees(current_environment()), runner);
        if (arguments.has("json")) {
          cli::print(json_document({{"path", tree.elements.string()}, {"origin", tree.origin}}));
          return 0;
        }
        const Json& origin = tree.origin;
        cli::print(cat(tree.elements.string(), ": ", origin.at("elements").get<std::size_t>(), " elements, ",
                       origin.value("commit", origin.value("version", "")), " ", origin.value("licence", ""), "\n"));
        const bool is_upstreams = tree.elements.parent_path().filename() == "diskimage-builder";
        cli::print(
            is_upstreams
                ? std::string("They are searched behind Hearth's own (HEARTH_UPSTREAM_ELEMENTS=first: before).\n")
                : cat("export ELEMENTS_PATH=", shell_quote(tree.elements.string()), "\n"));
        return 0;
      }};
}

cli::Command new_command(const fs::path& executable) {
  return {.words = "element new",
          .operands = "NAME",
          .summary = "lay down the files of a new element, commented",
          .details = "",
          .options = {{"directory", 'd', "DIR", "where to (default: the current directory)"}},
          .run = [executable](const cli::Arguments& arguments) {
            if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "give one name");
            const std::string& name = arguments.operands().front();
            if (const Catalog catalog = scan_all(executable); const Element* same = catalog.find(name))
              cli::tell(cat("warning: there is an element ", name, " already, ", same->path.string(),
                            ": where ELEMENTS_PATH finds the new one, all images get that in its place\n"));
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
            const std::string found_in = shell_quote(fs::absolute(directory).lexically_normal().parent_path().string());
            cli::tell(cat("It is found where ELEMENTS_PATH names its folder: ELEMENTS_PATH=", found_in,
                          " hearth image plan debian-minimal ", name, "\n"));
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

namespace {

/// None of one whose files are wrong: lint says why.
std::vector<std::string> variables_of(const FileReader& files, const Catalog& catalog, const Element& element) try {
  return describe_element(files, catalog, element).variables;
} catch (const Error&) {
  return {};
}

}  // namespace

std::map<std::string, std::vector<std::string>> variables_of_elements(const fs::path& executable) {
  const RealFileSystem files;
  const Catalog catalog = scan_all(executable);
  std::map<std::string, std::vector<std::string>> readers;
  for (const auto& [name, element] : catalog.elements()) {
    for (const std::string& variable : variables_of(files, catalog, element)) readers[variable].push_back(name);
  }
  return readers;
}

std::optional<cli::Topic> element_topic(const std::string& name, const fs::path& executable) {
  const Catalog catalog = scan_all(executable);
  const Element* const element = catalog.find(name);
  if (element == nullptr) return std::nullopt;
  const RealFileSystem files;
  const fs::path readme = readme_of(files, *element);
  std::string text = files.read(readme).value_or("It has no README.\n");
  if (readme.extension() == ".rst") text = cat("    ", replace_all(text, "\n", "\n    "));  // as it is
  return cli::Topic{readme.string(),
                    cat("The element ", name, ", ", readme.empty() ? element->path.string() : readme.string(),
                        "\n'hearth element info ", name, "' tells what it needs, installs and runs."),
                    text};
}

namespace {

/// The item of a README's list that tells of the variable; empty where none does.
std::string item_of(const std::string& readme, const std::string& variable) {
  std::string item;
  for (const std::string& line : split_lines(readme)) {
    const bool is_its = line.starts_with("- ") && (line.find(cat("`", variable, "`")) != std::string::npos ||
                                                   line.find(cat("`", variable, "=")) != std::string::npos);
    if (item.empty() ? is_its : line.starts_with("  "))
      item += cat(item.empty() ? "" : " ", trim(item.empty() ? line.substr(2) : line));
    else if (!item.empty())
      break;
  }
  return item;
}

}  // namespace

std::optional<cli::Topic> variable_topic(const std::string& name, const fs::path& executable) {
  const bool is_one = name.find('_') != std::string::npos &&
                      name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  if (!is_one) return std::nullopt;
  const RealFileSystem files;
  const Catalog catalog = scan_all(executable);
  std::string text;
  for (const auto& [name_of_one, element] : catalog.elements()) {
    const std::vector<std::string> variables = variables_of(files, catalog, element);
    if (std::find(variables.begin(), variables.end(), name) == variables.end()) continue;
    const std::string item = item_of(files.read(readme_of(files, element)).value_or(""), name);
    text += cat("- ", name_of_one, item.empty() ? "" : cat(": ", item), "\n");
  }
  if (text.empty()) return std::nullopt;
  return cli::Topic{
      "", cat("The variable ", name, " is read or set by"),
      cat(text, "\n`hearth help ELEMENT` has the README of one, `hearth help variables` all variables.\n")};
}

std::vector<cli::Command> element_commands(const fs::path& executable) {
  return {list_command(executable), info_command(executable), graph_command(executable),
          lint_command(executable), fetch_command(),          new_command(executable)};
}

cli::Command element_info(const fs::path& executable) {
  return {
      .words = "element-info",
      .operands = "ELEMENT…",
      .summary = "print the elements that a list of elements expands to",
      .details =
          "Elements are found in ELEMENTS_PATH, then among Hearth's own and diskimage-builder's. Exit codes: 0 ok, "
          "1 the list has no image, 2 wrong usage.",
      .options = {{"env", 'e', "", "print variables for bash to evaluate"}},
      .run =
          [executable](const cli::Arguments& arguments) {
            if (arguments.operands().empty()) throw Error(ErrorKind::usage, "no element is named");
            const Catalog catalog = scan_all(executable);
            for (const std::string& note : catalog.notes()) cli::tell(cat(note, "\n"));
            const ElementSet elements = close_over_dependencies(catalog, arguments.operands());
            cli::print_exact(arguments.has("env") ? element_variables_text(elements) : element_names_text(elements));
            return 0;
          },
      .names = element_names(executable)};
}

namespace {

/// Those of upstream's; the others are ours, and no reason for a tree of upstream's to fail.
const Disabled k_dib_lints = {"depsort", "dibdebugtrace", "environment", "executable", "export", "indent",
                              "newline", "pkgmap",        "readme",      "safe_sudo",  "sete",   "setpipefail",
                              "setu",    "shebang",       "tabindent",   "which",      "yaml"};

/// ELEMENTS_DIR, as upstream's repositories set it; else upstream's own place, or "elements".
std::string linted_directory(const Environment& environment) {
  const auto set = environment.find("ELEMENTS_DIR");
  if (set != environment.end() && !set->second.empty()) return set->second;
  return fs::is_directory("diskimage_builder/elements") ? "diskimage_builder/elements" : "elements";
}

}  // namespace

cli::Command dib_lint(const fs::path& executable) {
  return {.words = "dib-lint",
          .operands = "[DIRECTORY]",
          .summary = "check the elements in a directory (ELEMENTS_DIR) as diskimage-builder does",
          .details = "`hearth element lint` checks more. Exit codes: 0 nothing was found, 1 something was.",
          .options = {},
          .run = [executable](const cli::Arguments& arguments) {
            if (arguments.operands().size() > 1) throw Error(ErrorKind::usage, "give one directory");
            const std::string directory =
                arguments.operands().empty() ? linted_directory(current_environment()) : arguments.operands().front();
            const Catalog catalog = catalog_around(executable, {directory + "/"});
            cli::print(cat("Running dib-lint in ", fs::current_path().string(), "\n"));
            const RealFileSystem files;
            ElementLint lint(files, catalog, globally_disabled_checks(files.read("tox.ini").value_or("")));
            bool failed = false;
            for (const Element& element : elements_to_lint(catalog, {directory + "/"})) {
              cli::print(cat("Checking ", element.path.string(), "\n"));
              for (const Finding& finding : lint.lint(element)) {
                if (k_dib_lints.count(finding.check) == 0 || finding.severity != Severity::error) continue;
                cli::print(cat("ERROR: ", finding.file.string(), finding.line > 0 ? cat(":", finding.line) : "", " ",
                               finding.what, " [", finding.check, "]\n"));
                failed = true;
              }
            }
            cli::print(failed ? "*** FAIL: Some tests failed!\n" : "PASS\n");
            return failed ? 1 : 0;
          }};
}

}  // namespace hearth::builder
