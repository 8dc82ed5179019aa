// Properties that were renamed: what stands under a former name goes to the present one, as in Heat's translation
// rules.
#pragma once

#include <string_view>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// The properties of a resource of this type by their present names. Throws StackValidationFailed where a property is
/// given by both of its names; what waits is judged when it is known.
[[nodiscard]] Value translated_properties(std::string_view type, const Value& given);

}  // namespace hearth::metadata
