#include "builder/packages/package_installs.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/elements/condition_values.hpp"
#include "builder/packages/package_list.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

bool boolean(const YAML::Node& node, const std::string& key) {
  const std::string text = to_lower(yaml_text(node, key));
  if (text == "true" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "no" || text == "off") return false;
  throw YamlFault{position_of(node.Mark()), cat("'", key, "' must be true or false")};
}

std::vector<std::string> comma_words(const YAML::Node& node, const std::string& key) {
  std::vector<std::string> words;
  for (const std::string& word : split(yaml_text(node, key), ',')) words.emplace_back(trim(word));
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  return words;
}

Phase install_phase(const YAML::Node& node) {
  const std::string text = yaml_text(node, "phase");
  for (const Phase phase : {Phase::pre_install, Phase::install, Phase::post_install}) {
    if (text == directory_name(phase)) return phase;
  }
  throw YamlFault{position_of(node.Mark()),
                  cat("'phase' is pre-install.d, install.d or post-install.d, not '", text, "'",
                      did_you_mean(text, {"pre-install.d", "install.d", "post-install.d"}))};
}

/// "NAME = value" or "NAME != value", where NAME is a variable's.
bool is_condition(const std::string& line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string::npos) return false;
  const bool negated = equals > 0 && line[equals - 1] == '!';
  const std::string_view name = trim(std::string_view(line).substr(0, negated ? equals - 1 : equals));
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

std::vector<std::string> conditions(const YAML::Node& node) {
  std::vector<std::string> lines;
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) lines.push_back(yaml_text(item, "when"));
  } else {
    lines.push_back(yaml_text(node, "when"));
  }
  for (const std::string& line : lines) {
    if (!is_condition(line)) {
      throw YamlFault{position_of(node.Mark()), cat("'when' is \"VAR = value\" or \"VAR != value\", not '", line, "'")};
    }
  }
  return lines;
}

struct ParameterKey {
  std::string_view name;
  enum class Shape { flag, text, phase, conditions, architectures, install_type } shape;
  const char* meaning;
  void (*apply)(PackageEntry& entry, const std::string& key, const YAML::Node& value);
};

const std::vector<ParameterKey>& parameter_keys() {
  using Shape = ParameterKey::Shape;
  using Entry = PackageEntry;
  using Text = const std::string&;
  using Node = const YAML::Node&;
  static const std::vector<ParameterKey> keys = {
      {"phase", Shape::phase, "when it is installed (install.d)",
       [](Entry& entry, Text, Node value) { entry.phase = install_phase(value); }},
      {"uninstall", Shape::flag, "it is removed, not installed",
       [](Entry& entry, Text key, Node value) {
         if (boolean(value, key)) entry.action = Entry::Action::uninstall;
       }},
      {"build-only", Shape::flag, "it is removed again at the end",
       [](Entry& entry, Text key, Node value) {
         if (boolean(value, key)) entry.action = Entry::Action::build_only;
       }},
      {"arch", Shape::architectures, "only for these architectures: amd64, arm64",
       [](Entry& entry, Text key, Node value) { entry.arch = comma_words(value, key); }},
      {"not-arch", Shape::text, "for all but these architectures",
       [](Entry& entry, Text key, Node value) { entry.not_arch = comma_words(value, key); }},
      {"installtype", Shape::install_type, "only where the element is installed so: source, package, repo or any",
       [](Entry& entry, Text key, Node value) { entry.install_type = yaml_text(value, key); }},
      {"dib_python_version", Shape::text, "only with this Python: 2 or 3",
       [](Entry& entry, Text key, Node value) { entry.python_version = yaml_text(value, key); }},
      {"when", Shape::conditions, "only where these hold: VAR = value, VAR != value",
       [](Entry& entry, Text, Node value) { entry.when = conditions(value); }}};
  return keys;
}

void apply_parameter(PackageEntry& entry, const std::string& key, const YAML::Node& key_node, const YAML::Node& value) {
  std::vector<std::string> names;
  for (const ParameterKey& known : parameter_keys()) {
    if (known.name == key) return known.apply(entry, key, value);
    names.emplace_back(known.name);
  }
  throw YamlFault{position_of(key_node.Mark()),
                  cat("unknown key '", key, "'", did_you_mean(key, names), "; allowed are ", join(names, ", "))};
}

Json parameter_schema(const ParameterKey& key) {
  using Shape = ParameterKey::Shape;
  const Json text = {{"type", {"string", "number", "boolean"}}};
  const Json condition = {{"type", "string"},
                          {"pattern", "^\\s*[A-Za-z0-9_]+\\s*(!=|=(?!=)(?!\\s*(['\"]).*\\2\\s*$))"}};
  Json schema = text;
  if (key.shape == Shape::flag) {
    schema = {{"anyOf", {{{"type", "boolean"}}, {{"type", "string"}, {"pattern", k_flag_pattern}}}}};
  } else if (key.shape == Shape::phase) {
    schema = {
        {"enum",
         {directory_name(Phase::pre_install), directory_name(Phase::install), directory_name(Phase::post_install)}}};
  } else if (key.shape == Shape::architectures) {  // one of them is enough
    schema = {{"type", "string"}, {"pattern", cat("(^|,)\\s*(", join(known_architectures(), "|"), ")\\s*(,|$)")}};
  } else if (key.shape == Shape::install_type) {
    schema = {{"enum", known_install_types()}};
  } else if (key.shape == Shape::conditions) {
    schema = {{"anyOf", {condition, {{"type", "array"}, {"items", condition}}}}};
  }
  schema["description"] = key.meaning;
  return schema;
}

PackageEntry parse_parameters(PackageEntry entry, const YAML::Node& parameters, YamlFaults& faults) {
  if (parameters.IsNull() || (parameters.IsScalar() && parameters.Scalar().empty())) return entry;
  if (!parameters.IsMap()) throw YamlFault{position_of(parameters.Mark()), "parameters of a package must be a mapping"};
  entry.at = position_of(parameters.Mark());
  for (const auto& pair : parameters)
    faults.gather([&] { apply_parameter(entry, yaml_text(pair.first, "key"), pair.first, pair.second); });
  if (!entry.arch.empty() && !entry.not_arch.empty()) {
    throw YamlFault{entry.at, cat("package ", entry.package, ": 'arch' and 'not-arch' exclude each other")};
  }
  return entry;
}

void parse_package(const PackageEntry& entry, const YAML::Node& value, YamlFaults& faults,
                   std::vector<PackageEntry>& entries) {
  // A name that stands there twice counts as PyYAML has it: the last one.
  std::erase_if(entries, [&](const PackageEntry& earlier) { return earlier.package == entry.package; });
  if (!value.IsSequence() || value.size() == 0) {
    entries.push_back(value.IsSequence() ? entry : parse_parameters(entry, value, faults));
    return;
  }
  for (const YAML::Node& parameters : value)
    faults.gather([&] { entries.push_back(parse_parameters(entry, parameters, faults)); });
}

std::vector<PackageEntry> parse_root(const YAML::Node& root, const std::string& file, const std::string& element,
                                     YamlFaults& faults) {
  std::vector<PackageEntry> entries;
  if (root.IsNull()) return entries;
  if (!root.IsMap()) throw YamlFault{position_of(root.Mark()), "the file must map package names to parameters"};
  for (const auto& pair : root) {
    faults.gather([&] {
      const PackageEntry entry{.package = yaml_text(pair.first, "package name"),
                               .element = element,
                               .at = position_of(pair.first.Mark()),
                               .file = file};
      parse_package(entry, pair.second, faults, entries);
    });
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

Result<std::vector<PackageEntry>, ParseFaults> parse_package_installs(std::string_view text, std::string_view file,
                                                                      const std::string& element) {
  return read_all_yaml<std::vector<PackageEntry>>(text, file, [&](const YAML::Node& root, YamlFaults& faults) {
    return parse_root(root, std::string(file), element, faults);
  });
}

std::vector<PackageEntry> load_package_installs(const FileReader& files, const ElementSet& elements) {
  std::vector<PackageEntry> all;
  ParseFaults faults;
  for (const Element& element : elements.elements) {
    for (const char* name : {"package-installs.yaml", "package-installs.json"}) {
      const fs::path path = element.path / name;
      const std::optional<std::string> text = files.read(path);
      if (!text) continue;
      const auto entries = parse_package_installs(*text, path.string(), element.name);
      if (!entries) {
        faults.add(entries.error());
      } else {
        all.insert(all.end(), entries->begin(), entries->end());
      }
    }
    for (PackageEntry& entry : load_package_lists(files, element)) all.push_back(std::move(entry));
  }
  if (!faults.all.empty()) throw faults.to_error();
  return all;
}

PackageEntry for_any_build(PackageEntry entry) {
  entry.install_type.clear();
  entry.python_version.clear();
  std::erase_if(entry.when, [](const std::string& line) {
    return !line.starts_with("DISTRO_NAME") && !line.starts_with("DIB_RELEASE") && !line.starts_with("ARCH");
  });
  return entry;
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

std::string package_installs_schema() {
  Json keys = Json::object();
  for (const ParameterKey& key : parameter_keys()) keys[std::string(key.name)] = parameter_schema(key);
  const Json parameters = {{"type", "object"},
                           {"properties", std::move(keys)},
                           {"additionalProperties", false},
                           {"not", {{"required", {"arch", "not-arch"}}}}};
  const Json nothing = {{"enum", {Json(), ""}}};
  const Json one = {{"anyOf", {nothing, parameters}}};
  return json_document(
      {{"$schema", "http://json-schema.org/draft-07/schema#"},
       {"title", "The packages that an element wants"},
       {"type", {"object", "null"}},
       {"additionalProperties", {{"anyOf", {nothing, parameters, {{"type", "array"}, {"items", one}}}}}}});
}

}  // namespace hearth::builder
