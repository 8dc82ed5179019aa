// What a template says of a parameter, in HOT and in CloudFormation form.
#pragma once

#include <string>
#include <vector>

#include "metadata/language/version.hpp"
#include "metadata/parameters/constraint.hpp"

namespace hearth::metadata {

struct ParameterSchema {
  std::string name{};
  DataType type = DataType::string;
  Value default_value{};
  std::vector<Constraint> constraints{};
  std::string description{};
  std::string label{};
  bool hidden = false;
  bool immutable = false;
  std::vector<std::string> tags{};
  Mark mark{};
};

/// Throws InvalidSchemaError.
[[nodiscard]] ParameterSchema parse_parameter_schema(const Value& name, const Value& schema, Version version);
/// The constraints fit the type and the default obeys them. Throws InvalidSchemaError with "Parameter 'x' is invalid".
void check_parameter_schema(const ParameterSchema& schema, PatternBudget& patterns);
/// The keys of a parameter, and of one of its constraints (HOT).
[[nodiscard]] std::vector<std::string> parameter_keywords(Version version);
[[nodiscard]] const std::vector<std::string>& constraint_keywords();
/// "string", "number", …; "String", "Number", … in CloudFormation templates.
[[nodiscard]] std::vector<std::string> parameter_type_names(bool cfn);
/// "comma_delimited_list", or "CommaDelimitedList" in CloudFormation templates.
[[nodiscard]] std::string_view type_text(DataType type, bool cfn);
/// Its type and constraints for people: "number; range from 1 to 4".
[[nodiscard]] std::string kind_text(const ParameterSchema& schema);

}  // namespace hearth::metadata
