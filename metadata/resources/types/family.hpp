// What can be told of a family of Heat's resource types.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "metadata/resources/types/live_role.hpp"

namespace hearth::metadata {

/// Types that a stack treats alike.
enum class Family {
  config,
  deployment,
  deployment_group,
  group,
  chain,
  nested,
  value,
  random_string,
  none,
  server,
  network,
  subnet,
  port,
  wait_handle,
  wait_condition,
  key_pair,
  external,  ///< somebody else's, whatever its type: nothing of it is made or checked
  opaque
};

/// What get_resource gives.
enum class ReferenceKind {
  id,
  name,         ///< the physical one
  own_name,     ///< its property "name"
  text,         ///< the one that was drawn
  url,          ///< where signals go; the id until that is known
  stack,        ///< its output OS::stack_id, else its ARN
  external_id,  ///< what the template says
};

/// Where the values of get_attr come from.
enum class Attributes {
  none,
  learned,     ///< what the run, or an inventory, tells
  properties,  ///< those of the same name; else what the run tells
  config,
  value,
  random_text,
  server,
  key_pair,
  network,
  deployment,
  members,  ///< of each member of a group
  outputs,  ///< of the stack inside
};

/// What it takes as update_policy.
enum class UpdatePolicy { none, group, deployments };

/// A property's name in older templates.
struct FormerName {
  std::string_view list;  ///< whose items have the property; empty = the resource itself
  std::string_view former;
  std::string_view present;
};

struct TypeDescription {
  std::string_view name;
  std::optional<ReferenceKind> reference = std::nullopt;  ///< where another one than its family's
  UpdatePolicy update_policy = UpdatePolicy::none;
  std::vector<FormerName> former = {};
  /// Properties and attributes, as JSON (Heat 19): t type, d default, r required, u may be updated, c constraints, s
  /// the schema inside. Of two names for one type the second names the first.
  std::string_view schema = {};
  std::string_view schema_of = {};
};

struct FamilyDescription {
  Family family;
  ReferenceKind reference;
  Attributes attributes;
  live::Role role;
  bool known_by_name = false;      ///< its physical id is its physical name
  std::size_t longest_name = 255;  ///< of a physical one
  std::vector<TypeDescription> types;
};

}  // namespace hearth::metadata
