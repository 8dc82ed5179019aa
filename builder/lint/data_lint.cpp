#include "builder/lint/data_lint.hpp"

#include "builder/disk/layout/block_config.hpp"
#include "builder/packages/package_installs.hpp"
#include "builder/packages/package_map_check.hpp"
#include "builder/packages/service_map.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

template <class T>
ParseFaults faults_of(const Result<T, ParseFaults>& result) {
  return result ? ParseFaults{} : result.error();
}

/// block-device-default.yaml, or that of an architecture.
bool is_layout(const std::string& place) {
  return place.starts_with("block-device-") && place.ends_with(".yaml") && place.find('/') == std::string::npos;
}

struct Verdict {
  const char* check = "yaml";
  ParseFaults faults = {};
};

Verdict judge(const FileReader& files, const fs::path& file, const std::string& place, const std::string& element) {
  const std::string source = file.string();
  const auto text = [&] { return files.read(file).value_or(""); };
  if (place == "package-installs.yaml" || place == "package-installs.json")
    return {"yaml", faults_of(parse_package_installs(text(), source, element))};
  if (place == "svc-map") return {"yaml", faults_of(parse_service_map(text(), source))};
  if (place == "pkg-map") {
    if (!is_package_map_data(files, file)) return {};
    return {"pkgmap", check_package_map(text(), source)};
  }
  if (is_layout(place)) return {"layout", faults_of(parse_block_config(text(), source, {}))};
  const bool is_template = place.compare(0, 16, "os-apply-config/") == 0;  // YAML once it is rendered
  if (is_template || (!place.ends_with(".yaml") && !place.ends_with(".yml"))) return {};
  return {"yaml", faults_of(read_all_yaml<bool>(text(), source, [](const YAML::Node&, YamlFaults&) { return true; }))};
}

}  // namespace

std::vector<Finding> lint_data(const FileReader& files, const fs::path& file, const std::string& place,
                               const std::string& element) {
  const Verdict verdict = judge(files, file, place, element);
  std::vector<Finding> findings;
  for (const ParseError& fault : verdict.faults.all)
    findings.push_back({file, fault.at.line, Severity::error, verdict.check, fault.what, fault.at.column});
  return findings;
}

}  // namespace hearth::builder
