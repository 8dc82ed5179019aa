#include "builder/lint/hook_installs.hpp"

#include <set>

#include "base/text.hpp"
#include "builder/lint/package_lists.hpp"
#include "builder/lint/shell_commands.hpp"

namespace hearth::builder {

namespace {

/// They may speak of programs that install, and run none.
const std::set<std::string_view> k_not_run = {
    ".git",    "test-elements", "element-deps",          "element-provides",
    "pkg-map", "svc-map",       "package-installs.yaml", "package-installs.json"};

/// How often one text has another.
std::size_t times_in(std::string_view text, std::string_view word) {
  std::size_t times = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++times;
  return times;
}

/// How often the text speaks of programs that install.
std::size_t installers_in(std::string_view text) {
  std::size_t times = 0;
  for (const char* word : {"apt-get", "apt install", "dpkg -i", "dpkg --install", "dpkg --unpack", "install-packages",
                           "bootstrap", "aptitude"})
    times += times_in(text, word);
  return times;
}

/// Adds what the commands of one hook install. False where that can't be told of its text: a variable, a file, a
/// program's argument.
bool add_installed(const std::string& script, std::vector<std::string>& packages) {
  std::size_t understood = 0;
  for (const ShellCommand& command : shell_commands(script)) {
    const std::string action = apt_action(command);
    if (action.empty()) continue;
    understood += installers_in(join(command.words, " "));
    if (action != "install" && action != "build-dep") continue;
    for (const std::string& word : apt_operands(command)) {
      const std::string name = plain_package(word);
      if (name.empty() || word.ends_with(".deb")) return false;
      packages.push_back(name);
    }
    if (action == "build-dep") return false;
  }
  std::size_t spoken = 0;
  for (const std::string& line : split_lines(script)) {
    if (!trim(line).starts_with('#')) spoken += installers_in(line);
  }
  return understood == spoken;
}

bool add_installed_below(const FileReader& files, const fs::path& directory, int depth,
                         std::vector<std::string>& packages) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files.status(path);
    if (!status || k_not_run.contains(name) || name.starts_with("README")) continue;
    if (status->type == FileStatus::Type::directory && depth > 0 &&
        !add_installed_below(files, path, depth - 1, packages))
      return false;
    if (status->type == FileStatus::Type::regular && !add_installed(files.read(path).value_or(""), packages))
      return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> installed_by_hooks(const FileReader& files, const BuildPlan& plan) {
  std::vector<std::string> packages;
  for (const Element& element : plan.elements.elements) {
    if (!element.built_in && !add_installed_below(files, element.path, 2, packages)) return std::nullopt;
  }
  return packages;
}

}  // namespace hearth::builder
