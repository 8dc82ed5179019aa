// `hearth metadata validate --batch` and `registry --batch`: whole requests as Heat's API takes them, and registries.
#pragma once

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// A case has `body`: stack_name, template, files, environment, parameters. {"result": true, "status": 200}, or
/// {"error": KIND, "message": TEXT, "status": 400}.
[[nodiscard]] Value validate_case(const Value& test);

/// A case has `files` (registries in order) and `lookups` ([type, resource name or null, …]). The result is
/// {"result": {"merged": …, "lookups": [[type, name, "Class" | "Template" | "ERR", what]]}}.
[[nodiscard]] Value registry_case(const Value& test);

}  // namespace hearth::metadata
