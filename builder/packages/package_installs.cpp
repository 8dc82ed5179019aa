#include "builder/packages/package_installs.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_allowed =
    "phase, uninstall, build-only, arch, not-arch, installtype, dib_python_version, when";

Position position_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// Thrown inside the parser only; parse_package_installs turns it into a ParseError.
struct Fault {
  Position at;
  std::string what;
};

std::string scalar(const YAML::Node& node, const std::string& key) {
  if (!node.IsScalar()) throw Fault{position_of(node.Mark()), cat("'", key, "' must be a text")};
  return node.Scalar();
}

bool boolean(const YAML::Node& node, const std::string& key) {
  const std::string text = to_lower(scalar(node, key));
  if (text == "true" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "no" || text == "off") return false;
  throw Fault{position_of(node.Mark()), cat("'", key, "' must be true or false")};
}

std::vector<std::string> comma_words(const YAML::Node& node, const std::string& key) {
  std::vector<std::string> words;
  for (const std::string& word : split(scalar(node, key), ',')) words.emplace_back(trim(word));
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  return words;
}

Phase install_phase(const YAML::Node& node) {
  const std::string text = scalar(node, "phase");
  for (const Phase phase : {Phase::pre_install, Phase::install, Phase::post_install}) {
    if (text == directory_name(phase)) return phase;
  }
  throw Fault{position_of(node.Mark()), cat("'phase' is pre-install.d, install.d or post-install.d, not '", text, "'")};
}

std::vector<std::string> conditions(const YAML::Node& node) {
  std::vector<std::string> lines;
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) lines.push_back(scalar(item, "when"));
  } else {
    lines.push_back(scalar(node, "when"));
  }
  for (const std::string& line : lines) {
    if (line.find('=') == std::string::npos) {
      throw Fault{position_of(node.Mark()), cat("'when' is \"VAR = value\" or \"VAR != value\", not '", line, "'")};
    }
  }
  return lines;
}

void apply_parameter(PackageEntry& entry, const std::string& key, const YAML::Node& key_node, const YAML::Node& value) {
  if (key == "phase") {
    entry.phase = install_phase(value);
  } else if (key == "uninstall") {
    if (boolean(value, key)) entry.action = PackageEntry::Action::uninstall;
  } else if (key == "build-only") {
    if (boolean(value, key)) entry.action = PackageEntry::Action::build_only;
  } else if (key == "arch") {
    entry.arch = comma_words(value, key);
  } else if (key == "not-arch") {
    entry.not_arch = comma_words(value, key);
  } else if (key == "installtype") {
    entry.install_type = scalar(value, key);
  } else if (key == "dib_python_version") {
    entry.python_version = scalar(value, key);
  } else if (key == "when") {
    entry.when = conditions(value);
  } else {
    throw Fault{position_of(key_node.Mark()), cat("unknown key '", key, "'; allowed are ", k_allowed)};
  }
}

PackageEntry parse_parameters(PackageEntry entry, const YAML::Node& parameters) {
  if (parameters.IsNull()) return entry;
  if (!parameters.IsMap()) throw Fault{position_of(parameters.Mark()), "parameters of a package must be a mapping"};
  entry.at = position_of(parameters.Mark());
  for (const auto& pair : parameters) apply_parameter(entry, scalar(pair.first, "key"), pair.first, pair.second);
  if (!entry.arch.empty() && !entry.not_arch.empty()) {
    throw Fault{entry.at, cat("package ", entry.package, ": 'arch' and 'not-arch' exclude each other")};
  }
  return entry;
}

std::vector<PackageEntry> parse_root(const YAML::Node& root, const std::string& file, const std::string& element) {
  std::vector<PackageEntry> entries;
  if (root.IsNull()) return entries;
  if (!root.IsMap()) throw Fault{position_of(root.Mark()), "the file must map package names to parameters"};
  for (const auto& pair : root) {
    const PackageEntry entry{.package = scalar(pair.first, "package name"),
                             .element = element,
                             .at = position_of(pair.first.Mark()),
                             .file = file};
    if (pair.second.IsSequence()) {
      for (const YAML::Node& parameters : pair.second) entries.push_back(parse_parameters(entry, parameters));
    } else {
      entries.push_back(parse_parameters(entry, pair.second));
    }
  }
  return entries;
}

/// Upstream's rule: the variable's name is the element's, with "-" as "_".
std::string install_type_of(const std::string& element, const Environment& env) {
  const auto own = env.find(cat("DIB_INSTALLTYPE_", replace_all(element, "-", "_")));
  if (own != env.end()) return own->second;
  const auto fallback = env.find("DIB_DEFAULT_INSTALLTYPE");
  return fallback == env.end() ? "source" : fallback->second;
}

bool condition_holds(const std::string& line, const PackageEntry& entry, const Environment& env) {
  const std::size_t equals = line.find('=');
  const bool negated = equals > 0 && line[equals - 1] == '!';
  const std::string name(trim(line.substr(0, negated ? equals - 1 : equals)));
  const std::string wanted(trim(line.substr(equals + 1)));
  const auto found = env.find(name);
  if (found == env.end()) {
    throw Error(ErrorKind::input, ParseError{entry.file, entry.at, cat("The variable <", name, "> is not set")}.text());
  }
  return (found->second == wanted) != negated;
}

bool applies(const PackageEntry& entry, const Environment& env) {
  const auto get = [&](const char* name) {
    const auto found = env.find(name);
    return found == env.end() ? std::string() : found->second;
  };
  const auto names_it = [](const std::vector<std::string>& list, const std::string& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  const std::string arch = get("ARCH");
  if (!entry.arch.empty() && !names_it(entry.arch, arch)) return false;
  if (names_it(entry.not_arch, arch)) return false;
  if (!entry.install_type.empty() && entry.install_type != install_type_of(entry.element, env)) return false;
  if (!entry.python_version.empty() && entry.python_version != get("DIB_PYTHON_VERSION")) return false;
  return std::all_of(entry.when.begin(), entry.when.end(),
                     [&](const std::string& line) { return condition_holds(line, entry, env); });
}

}  // namespace

Result<std::vector<PackageEntry>> parse_package_installs(std::string_view text, std::string_view file,
                                                         const std::string& element) {
  try {
    return parse_root(YAML::Load(std::string(text)), std::string(file), element);
  } catch (const Fault& fault) {
    return ParseError{std::string(file), fault.at, fault.what};
  } catch (const YAML::Exception& error) {
    return ParseError{std::string(file), position_of(error.mark), error.msg};
  }
}

std::vector<PackageEntry> load_package_installs(const FileReader& files, const ElementSet& elements) {
  std::vector<PackageEntry> all;
  for (const Element& element : elements.elements) {
    for (const char* name : {"package-installs.yaml", "package-installs.json"}) {
      const fs::path path = element.path / name;
      const std::optional<std::string> text = files.read(path);
      if (!text) continue;
      for (PackageEntry& entry : parse_package_installs(*text, path.string(), element.name).value_or_throw()) {
        all.push_back(std::move(entry));
      }
    }
  }
  return all;
}

std::map<Phase, PhasePackages> choose_packages(const std::vector<PackageEntry>& entries,
                                               const Environment& environment) {
  std::map<Phase, PhasePackages> chosen;
  std::map<Phase, std::set<std::string>> plainly_installed;
  for (const PackageEntry& entry : entries) {
    if (!applies(entry, environment)) continue;
    PhasePackages& packages = chosen[entry.phase];
    if (entry.action != PackageEntry::Action::uninstall) packages.install.emplace_back(entry.package, entry.element);
    if (entry.action == PackageEntry::Action::install) plainly_installed[entry.phase].insert(entry.package);
    if (entry.action != PackageEntry::Action::install) packages.uninstall.emplace_back(entry.package, entry.element);
  }
  for (auto& [phase, packages] : chosen) {
    const std::set<std::string>& kept = plainly_installed[phase];
    const auto is_kept = [&](const auto& item) { return kept.count(item.first) > 0; };
    packages.uninstall.erase(std::remove_if(packages.uninstall.begin(), packages.uninstall.end(), is_kept),
                             packages.uninstall.end());
  }
  return chosen;
}

}  // namespace hearth::builder
