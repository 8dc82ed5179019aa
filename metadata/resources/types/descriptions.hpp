// The families, one function each; type_descriptions.cpp gathers them.
#pragma once

#include "metadata/resources/types/family.hpp"

namespace hearth::metadata::types {

[[nodiscard]] FamilyDescription configs();
[[nodiscard]] FamilyDescription deployments();
[[nodiscard]] FamilyDescription deployment_groups();
[[nodiscard]] FamilyDescription groups();
[[nodiscard]] FamilyDescription chains();
[[nodiscard]] FamilyDescription nested_templates();
[[nodiscard]] FamilyDescription values();
[[nodiscard]] FamilyDescription random_strings();
[[nodiscard]] FamilyDescription nothings();
[[nodiscard]] FamilyDescription servers();
[[nodiscard]] FamilyDescription networks();
[[nodiscard]] FamilyDescription subnets();
[[nodiscard]] FamilyDescription ports();
[[nodiscard]] FamilyDescription wait_handles();
[[nodiscard]] FamilyDescription wait_conditions();
[[nodiscard]] FamilyDescription key_pairs();
[[nodiscard]] FamilyDescription external_resources();
[[nodiscard]] FamilyDescription clouds();

}  // namespace hearth::metadata::types
