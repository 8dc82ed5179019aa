// `hearth metadata eval --batch`: single snippets of templates, evaluated as the value of an output or as a condition.
#pragma once

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// A case has version and snippet; params, schema, cond, files, stub and env_defaults as they are needed. The result is
/// {"result": …} or {"error": KIND, "message": TEXT}.
[[nodiscard]] Value evaluate_case(const Value& test);

}  // namespace hearth::metadata
