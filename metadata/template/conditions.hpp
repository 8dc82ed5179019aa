// The conditions of one stack, decided once each.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "metadata/template/template.hpp"

namespace hearth::metadata {

class Conditions {
 public:
  explicit Conditions(TemplatePtr source) : template_(std::move(source)) {}

  /// A condition by name, or a bool as it is; null counts as true. A waiting value where it is not known yet.
  /// Throws ValueError for other names, StackValidationFailed for circles and definitions that are no conditions.
  [[nodiscard]] Value enabled(const Value& condition, Scope& scope);
  /// Looks at the definition of every condition; throws the first fault.
  void validate(Scope& scope);

 private:
  [[nodiscard]] Value as_written(const std::string& name) const;

  TemplatePtr template_;
  std::map<std::string, Value> known_;  ///< null while being decided
  std::size_t deciding_ = 0;
  std::optional<Fault> too_long_{};  ///< a chain of them: each in it would be found to be so anew
};

}  // namespace hearth::metadata
