// What the orchestration API tells of the template language itself: resource types, versions, functions; and whether a
// template is valid. An interface, for the API knows no templates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::metadata::live {

class TemplateGuide {
 public:
  virtual ~TemplateGuide() = default;
  /// Sorted names of the types that can be used.
  [[nodiscard]] virtual std::vector<std::string> resource_types() const = 0;
  /// {"resource_type", "description", "properties", "attributes", "support_status"}.
  [[nodiscard]] virtual std::optional<Json> resource_type(const std::string& name) const = 0;
  /// A template with one resource of this type and a parameter for each property; `hot`: else in CloudFormation's form.
  [[nodiscard]] virtual std::optional<Json> type_template(const std::string& name, bool hot) const = 0;
  /// [{"version", "type", "aliases"}].
  [[nodiscard]] virtual Json versions() const = 0;
  /// [{"functions", "description"}] of "heat_template_version.2018-08-31"; nothing for an unknown version.
  [[nodiscard]] virtual std::optional<Json> functions(const std::string& version, bool conditions) const = 0;
  /// {"Description", "Parameters", "Environment", "NestedParameters"}. Throws Error for what is wrong; parameters may
  /// be missing.
  [[nodiscard]] virtual Json validate(const Json& request, bool nested) const = 0;
};

}  // namespace hearth::metadata::live
