#include "builder/packages/service_map.hpp"

#include <map>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/packages/package_map.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_allowed_services =
    "allowed are default, a family (debian, redhat, suse, gentoo) and names of distributions, each with a name as text";

void read_service(const std::string& service, const YAML::Node& names, YamlFaults& faults,
                  std::vector<ServiceName>& out) {
  if (!names.IsMap()) {
    throw YamlFault{position_of(names.Mark()), cat("service '", service, "' must be a mapping; ", k_allowed_services)};
  }
  if (names.size() == 0) out.push_back({service, "", "", position_of(names.Mark())});
  for (const auto& pair : names) {
    faults.gather([&] {
      const Position at = position_of(pair.first.Mark());
      const bool is_text = pair.first.IsScalar() && pair.second.IsScalar() && !pair.second.Scalar().empty();
      if (!is_text || pair.first.Scalar().find('\t') != std::string::npos) {
        throw YamlFault{at, cat("service '", service, "' has a wrong entry; ", k_allowed_services)};
      }
      out.push_back({service, pair.first.Scalar(), pair.second.Scalar(), at});
    });
  }
}

std::vector<ServiceName> read_root(const YAML::Node& root, YamlFaults& faults) {
  std::vector<ServiceName> names;
  if (root.IsNull()) return names;
  if (!root.IsMap()) throw YamlFault{position_of(root.Mark()), "a svc-map must map services to their names"};
  for (const auto& pair : root)
    faults.gather([&] { read_service(yaml_text(pair.first, "service"), pair.second, faults, names); });
  return names;
}

}  // namespace

Result<std::vector<ServiceName>, ParseFaults> parse_service_map(std::string_view text, std::string_view file) {
  return read_all_yaml<std::vector<ServiceName>>(text, file, read_root);
}

std::vector<ServiceName> load_service_maps(const FileReader& files, const ElementSet& elements) {
  std::vector<ServiceName> all;
  ParseFaults faults;
  std::map<std::string, std::string> owner;  // service -> file that names it
  for (const Element& element : elements.elements) {
    const std::string file = (element.path / "svc-map").string();
    const std::optional<FileStatus> status = files.status(file);
    if (!status || status->type != FileStatus::Type::regular) continue;
    const auto names = parse_service_map(files.read(file).value_or(""), file);
    if (!names) {
      faults.add(names.error());
      continue;
    }
    for (const ServiceName& name : *names) {
      const auto [known, is_new] = owner.emplace(name.service, file);
      if (!is_new && known->second != file) {
        const std::string what = cat(name.service, " already found in services list, from ", known->second);
        throw Error(ErrorKind::input, ParseError{file, name.at, what}.text())
            .hint("Each service may stand in one element's svc-map only; take it out of one of the two.");
      }
      all.push_back(name);
    }
  }
  if (!faults.all.empty()) throw faults.to_error();
  return all;
}

std::string service_map_schema() {
  const Json name = {{"type", {"string", "number", "boolean"}}, {"minLength", 1}};
  std::vector<std::string> systems = {"default"};
  systems.insert(systems.end(), map_families().begin(), map_families().end());
  systems.insert(systems.end(), map_distributions().begin(), map_distributions().end());
  Json known = Json::object();
  for (const std::string& system : systems) known[system] = name;
  return json_document(
      {{"$schema", "http://json-schema.org/draft-07/schema#"},
       {"title", "What the services of an element are called"},
       {"type", {"object", "null"}},
       {"additionalProperties", {{"type", "object"}, {"properties", known}, {"additionalProperties", name}}}});
}

std::string service_table(const std::vector<ServiceName>& names) {
  std::string text;
  for (const ServiceName& name : names) text += cat(name.service, "\t", name.system, "\t", name.name, "\n");
  return text;
}

}  // namespace hearth::builder
