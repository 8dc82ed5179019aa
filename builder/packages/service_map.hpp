// svc-map: what a service is called on which system. Parsed and checked before the first hook runs; the element svc-map
// chooses the names of the system that is built, by the table that is laid beside its hooks.
// Source of the format: diskimage-builder's element svc-map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/sys/file.hpp"
#include "builder/elements/closure.hpp"
#include "builder/yaml/parse_faults.hpp"

namespace hearth::builder {

struct ServiceName {
  std::string service;
  std::string system;  ///< a distribution, a family ("redhat"), or "default"; empty: the service has no names
  std::string name;
  Position at;
  bool operator==(const ServiceName&) const = default;
};

/// One file.
[[nodiscard]] Result<std::vector<ServiceName>, ParseFaults> parse_service_map(std::string_view text,
                                                                              std::string_view file);

/// All files of all elements. Throws one error with all faults; a service in the maps of two elements is one, as
/// upstream has it.
[[nodiscard]] std::vector<ServiceName> load_service_maps(const FileReader& files, const ElementSet& elements);

/// "SERVICE<tab>SYSTEM<tab>NAME" lines, for the element's hook.
[[nodiscard]] std::string service_table(const std::vector<ServiceName>& names);

/// For editors (JSON schema, draft 7).
[[nodiscard]] std::string service_map_schema();

}  // namespace hearth::builder
