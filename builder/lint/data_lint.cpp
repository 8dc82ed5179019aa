#include "builder/lint/data_lint.hpp"

#include "builder/packages/package_installs.hpp"
#include "builder/packages/package_map_check.hpp"
#include "builder/packages/service_map.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

template <class T>
std::optional<ParseError> error_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error();
}

struct Verdict {
  const char* check;
  std::optional<ParseError> error;
};

std::optional<Verdict> judge(const FileReader& files, const fs::path& file, const std::string& place,
                             const std::string& element) {
  const std::string source = file.string();
  const auto text = [&] { return files.read(file).value_or(""); };
  if (place == "package-installs.yaml" || place == "package-installs.json") {
    return Verdict{"yaml", error_of(parse_package_installs(text(), source, element))};
  }
  if (place == "svc-map") return Verdict{"yaml", error_of(parse_service_map(text(), source))};
  if (place == "pkg-map") {
    if (!is_package_map_data(files, file)) return std::nullopt;
    return Verdict{"pkgmap", check_package_map(text(), source)};
  }
  const bool is_template = place.compare(0, 16, "os-apply-config/") == 0;  // YAML once it is rendered
  if (is_template || (!place.ends_with(".yaml") && !place.ends_with(".yml"))) return std::nullopt;
  const auto parsed = read_yaml<bool>(text(), source, [](const YAML::Node&) { return true; });
  return Verdict{"yaml", error_of(parsed)};
}

}  // namespace

std::optional<Finding> lint_data(const FileReader& files, const fs::path& file, const std::string& place,
                                 const std::string& element) {
  const std::optional<Verdict> verdict = judge(files, file, place, element);
  if (!verdict || !verdict->error) return std::nullopt;
  const ParseError& error = *verdict->error;
  const std::string column = error.at.column > 0 ? cat("column ", error.at.column, ": ") : "";
  return Finding{file, error.at.line, Severity::error, verdict->check, cat(column, error.what)};
}

}  // namespace hearth::builder
