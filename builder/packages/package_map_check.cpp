#include "builder/packages/package_map_check.hpp"

#include "base/json.hpp"
#include "builder/packages/package_map.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_allowed_maps = "allowed are default, family, distro, release";

void check_map(const YAML::Node& node, const std::string& path) {
  if (!node.IsMap()) throw YamlFault{position_of(node.Mark()), cat(path, " must be an object")};
}

/// "NAME": "packages", at the leaves.
void check_names(const YAML::Node& node, const std::string& path, YamlFaults& faults) {
  check_map(node, path);
  for (const auto& pair : node) {
    faults.gather([&] {
      if (pair.second.IsScalar()) return;
      throw YamlFault{position_of(pair.second.Mark()),
                      cat(path, ".", pair.first.Scalar(), " must be a text: names of packages, separated by blanks")};
    });
  }
}

void check_section(const YAML::Node& node, const std::string& name, YamlFaults& faults) {
  check_map(node, name);
  for (const auto& pair : node) {
    const std::string path = cat(name, ".", pair.first.Scalar());
    faults.gather([&] {
      if (name != "release") return check_names(pair.second, path, faults);
      check_map(pair.second, path);
      for (const auto& release : pair.second)
        faults.gather([&] { check_names(release.second, cat(path, ".", release.first.Scalar()), faults); });
    });
  }
}

void check_key(const YAML::Node& key, const YAML::Node& value, YamlFaults& faults) {
  const std::string name = key.Scalar();
  if (name == "default") return check_names(value, name, faults);
  if (name == "family" || name == "distro" || name == "release") return check_section(value, name, faults);
  throw YamlFault{position_of(key.Mark()),
                  cat("unknown key '", name, "'", did_you_mean(name, {"default", "family", "distro", "release"}), "; ",
                      k_allowed_maps)};
}

bool check_root(const YAML::Node& root, YamlFaults& faults) {
  if (!root.IsMap()) throw YamlFault{position_of(root.Mark()), "a pkg-map must be a JSON object"};
  for (const auto& pair : root) faults.gather([&] { check_key(pair.first, pair.second, faults); });
  return true;
}

}  // namespace

ParseFaults check_package_map(std::string_view text, std::string_view file) {
  if (const Result<Json> json = parse_json(text, file); !json) return {{json.error()}};
  // JSON is YAML, whose reader knows where a value stands.
  const auto checked = read_all_yaml<bool>(text, file, check_root);
  return checked ? ParseFaults{} : checked.error();
}

std::string package_map_schema() {
  const Json names = {{"type", "object"},
                      {"additionalProperties",
                       {{"type", "string"}, {"description", "packages, separated by blanks; none where it is empty"}}}};
  const auto by = [](const std::vector<std::string>& known, const Json& value) {
    Json properties = Json::object();
    for (const std::string& name : known) properties[name] = value;
    return Json({{"type", "object"}, {"properties", properties}, {"additionalProperties", value}});
  };
  const Json releases = {{"type", "object"}, {"additionalProperties", names}};
  return json_document({{"$schema", "http://json-schema.org/draft-07/schema#"},
                        {"title", "What the packages of an element are called"},
                        {"type", "object"},
                        {"properties",
                         {{"default", names},
                          {"family", by(map_families(), names)},
                          {"distro", by(map_distributions(), names)},
                          {"release", by(map_distributions(), releases)}}},
                        {"additionalProperties", false}});
}

bool is_package_map_data(const FileReader& files, const fs::path& file) {
  const std::optional<FileStatus> status = files.status(file);
  return status && status->type == FileStatus::Type::regular && (status->mode & 0111U) == 0;
}

void check_package_maps(const FileReader& files, const ElementSet& elements) {
  ParseFaults faults;
  for (const Element& element : elements.elements) {
    const fs::path file = element.path / "pkg-map";
    if (is_package_map_data(files, file)) faults.add(check_package_map(files.read(file).value_or(""), file.string()));
  }
  if (!faults.all.empty()) throw faults.to_error();
}

}  // namespace hearth::builder
