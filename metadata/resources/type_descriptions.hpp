// All that is known of Heat's resource types, told once: each family has a description, with a row for each of its
// types, in a file of types/. Names, properties, former names of properties, references, attributes and what a resource
// is in a live stack are read from there.
#pragma once

#include <string_view>
#include <vector>

#include "metadata/resources/types/family.hpp"

namespace hearth::metadata {

/// One for each Family, in their order.
[[nodiscard]] const std::vector<FamilyDescription>& families();
[[nodiscard]] const FamilyDescription& description_of(Family family);
/// Null for a type that has none: of no built-in type, or of one that only a cloud can make and whose properties nobody
/// checks.
[[nodiscard]] const TypeDescription* find_description(std::string_view type);
[[nodiscard]] Family family_of(std::string_view type);
/// The type's own, else its family's.
[[nodiscard]] ReferenceKind reference_kind(Family family, std::string_view type);

}  // namespace hearth::metadata
