// roles_data.yaml and network_data.yaml of a TripleO tree, checked.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata {

struct Role {
  std::string name;
  Value data;
};

/// An enabled network; `data` has its name_lower.
struct RoleNetwork {
  std::string name;
  std::string name_lower;
  Value data;
};

struct RoleSet {
  std::vector<Role> roles;
  std::vector<RoleNetwork> networks;
  Value all_roles;     ///< as templates see `roles`
  Value all_networks;  ///< as templates see `networks`: disabled ones, too
};

/// The lists as read from YAML; `networks` may be null. Throws Fault: not a list of maps, no or twice the same name.
[[nodiscard]] RoleSet role_set(const Value& roles, const Value& networks);

/// The YAML file; null when there is none and `optional`. Throws Fault.
[[nodiscard]] Value read_yaml_file(const FileReader& reader, const std::string& name, Sources& sources,
                                   bool optional = false);

}  // namespace hearth::metadata
