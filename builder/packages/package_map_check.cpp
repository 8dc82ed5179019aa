#include "builder/packages/package_map_check.hpp"

#include "base/json.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_allowed_maps = "allowed are default, family, distro, release";

void check_map(const YAML::Node& node, const std::string& path) {
  if (!node.IsMap()) throw YamlFault{position_of(node.Mark()), cat(path, " must be an object")};
}

/// "NAME": "packages", at the leaves.
void check_names(const YAML::Node& node, const std::string& path) {
  check_map(node, path);
  for (const auto& pair : node) {
    if (pair.second.IsScalar()) continue;
    throw YamlFault{position_of(pair.second.Mark()),
                    cat(path, ".", pair.first.Scalar(), " must be a text: names of packages, separated by blanks")};
  }
}

void check_section(const YAML::Node& node, const std::string& name) {
  check_map(node, name);
  for (const auto& pair : node) {
    const std::string path = cat(name, ".", pair.first.Scalar());
    if (name != "release") {
      check_names(pair.second, path);
      continue;
    }
    check_map(pair.second, path);
    for (const auto& release : pair.second) check_names(release.second, cat(path, ".", release.first.Scalar()));
  }
}

std::optional<ParseError> check_root(const YAML::Node& root) {
  if (!root.IsMap()) throw YamlFault{position_of(root.Mark()), "a pkg-map must be a JSON object"};
  for (const auto& pair : root) {
    const std::string name = pair.first.Scalar();
    if (name == "default") {
      check_names(pair.second, name);
    } else if (name == "family" || name == "distro" || name == "release") {
      check_section(pair.second, name);
    } else {
      throw YamlFault{position_of(pair.first.Mark()),
                      cat("unknown key '", name, "'", did_you_mean(name, {"default", "family", "distro", "release"}),
                          "; ", k_allowed_maps)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ParseError> check_package_map(std::string_view text, std::string_view file) {
  if (const Result<Json> json = parse_json(text, file); !json) return json.error();
  // JSON is YAML, whose reader knows where a value stands.
  const auto checked = read_yaml<std::optional<ParseError>>(text, file, check_root);
  return checked ? *checked : checked.error();
}

bool is_package_map_data(const FileReader& files, const fs::path& file) {
  const std::optional<FileStatus> status = files.status(file);
  return status && status->type == FileStatus::Type::regular && (status->mode & 0111U) == 0;
}

void check_package_maps(const FileReader& files, const ElementSet& elements) {
  for (const Element& element : elements.elements) {
    const fs::path file = element.path / "pkg-map";
    if (!is_package_map_data(files, file)) continue;
    const std::optional<ParseError> error = check_package_map(files.read(file).value_or(""), file.string());
    if (error) throw error->to_error();
  }
}

}  // namespace hearth::builder
