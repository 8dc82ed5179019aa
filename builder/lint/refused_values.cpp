#include "builder/lint/refused_values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/hash.hpp"
#include "base/run_parts.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/elements/condition_values.hpp"
#include "builder/lint/variable_lint.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_environment_folder = "environment.d";
constexpr std::string_view k_before_file = "Sourcing environment file ";

Finding refused(const fs::path& file, std::string what) { return {file, 0, Severity::error, "value", std::move(what)}; }

/// What the hook of debootstrap refuses before it asks a mirror.
std::vector<Finding> refused_by_debootstrap(const ImageRequest& request, const BuildPlan& plan) {
  const Element* const element = plan.elements.find("debootstrap");
  if (element == nullptr || !element->built_in) return {};
  std::vector<Finding> found;
  const std::string& given = request.architecture;
  if (const std::string own = debian_architecture(given); own != given)
    found.push_back(refused("environment", cat("-a ", given, ": Debian calls that architecture ", own)));
  for (const char* name : {"DIB_DISTRIBUTION_MIRROR", "DIB_DEBIAN_DISTRIBUTION_MIRROR"}) {
    const std::string mirror = variable(request.environment, name);
    if (!mirror.empty() && mirror.find(":/") == std::string::npos)
      found.push_back(
          refused("environment", cat(name, ": '", mirror, "' is no URL; did you mean http://", mirror, "?")));
  }
  return found;
}

/// By their names, as a build sources them. Empty where others have such files, too.
std::map<std::string, fs::path> environment_files(const FileReader& files, const BuildPlan& plan) {
  std::map<std::string, fs::path> found;
  for (const Element& element : plan.elements.elements) {
    for (const std::string& name : files.list(element.path / k_environment_folder)) {
      if (!is_environment_file_name(name)) continue;
      if (!element.built_in) return {};
      found.emplace(name, element.path / k_environment_folder / name);
    }
  }
  return found;
}

Environment environment_for(const ImageRequest& request) {
  Environment environment = request.environment;
  environment["ARCH"] = request.architecture;
  environment["IMAGE_NAME"] = request.image_name;
  for (const char* name : {"SHELLOPTS", "BASHOPTS", "BASH_ENV"}) environment.erase(name);
  return environment;
}

/// All that decides: the files, and the variables that they speak of.
std::string digest_of(const FileReader& files, const std::map<std::string, fs::path>& sources,
                      const Environment& environment) {
  std::string all;
  std::set<std::string> names = {"ARCH"};
  for (const auto& [name, path] : sources) {
    const std::string text = files.read(path).value_or("");
    add_variables_in(text, names);
    all += cat(name, "\n", text, "\n");
  }
  for (const std::string& name : names) all += cat(name, "=", variable(environment, name), "\n");
  return cat("values ", hex_digest(HashKind::sha256, all));
}

/// "Please set X", said by the file that ended the shell; nothing where it said nothing.
std::optional<Finding> said_at_the_end(const std::string& output) {
  fs::path file;
  std::string said;
  for (const std::string& line : split_lines(output)) {
    if (line.starts_with(k_before_file)) {
      file = line.substr(k_before_file.size());
      said.clear();
    } else if (!trim(line).empty()) {
      said = trim(line);
    }
  }
  if (file.empty() || said.empty()) return std::nullopt;
  return refused(file, said);
}

}  // namespace

std::vector<Finding> refused_values(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                    CommandRunner& runner, std::vector<std::string>& known) {
  std::vector<Finding> found = refused_by_debootstrap(request, plan);
  const std::map<std::string, fs::path> sources = environment_files(files, plan);
  if (sources.empty()) return found;
  const Environment environment = environment_for(request);
  const std::string digest = digest_of(files, sources, environment);
  if (std::find(known.begin(), known.end(), digest) != known.end()) return found;
  std::vector<std::string> argv = {"bash", "-c",
                                   "set -eu -o pipefail\nexec 2>&1\nfor file in \"$@\"; do\n"
                                   "  echo \"Sourcing environment file $file\"\n  . \"$file\"\ndone\n",
                                   "environment.d"};
  for (const auto& [name, path] : sources) argv.push_back(path.string());
  const CommandResult result = runner.run({.argv = argv, .env = environment});
  if (succeeded(result.status)) {
    known.push_back(digest);
  } else if (std::optional<Finding> refusal = said_at_the_end(result.out)) {
    found.push_back(std::move(*refusal));
  }
  return found;
}

}  // namespace hearth::builder
