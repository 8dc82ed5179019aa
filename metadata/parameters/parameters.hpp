// The parameters of one stack: what the template declares, what was given, the pseudo parameters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "metadata/model/fault.hpp"
#include "metadata/parameters/schema.hpp"

namespace hearth::metadata {

struct StackIdentity {
  std::string name;
  std::string id;
  std::string project = "admin";
  [[nodiscard]] std::string arn() const { return "arn:openstack:heat::" + project + ":stacks/" + name + "/" + id; }
};

class StackParameters {
 public:
  /// `given` wins over `defaults` (parameter_defaults), which win over the template's own; null is not given.
  StackParameters(std::vector<ParameterSchema> schemata, const Value& given, const Value& defaults,
                  const StackIdentity& stack, bool cfn);

  /// Values given for parameters that the template does not have.
  [[nodiscard]] std::vector<Fault> undeclared() const;
  /// Every schema and every value; throws the first fault. `values`: false checks the schemata only.
  void validate(PatternBudget& patterns, bool values = true) const;
  /// The same, but that values of undeclared ones are passed over.
  void validate_declared(PatternBudget& patterns, bool values = true) const;
  /// The converted value; nothing when there is no such parameter. Throws UserParameterMissing, ValueError.
  [[nodiscard]] std::optional<Value> value(std::string_view name) const;
  [[nodiscard]] bool declares(std::string_view name) const { return places_.count(std::string(name)) > 0; }
  [[nodiscard]] const std::vector<ParameterSchema>& schemata() const { return schemata_; }
  [[nodiscard]] const ParameterSchema* schema(std::string_view name) const;
  /// Where a parameter's value was said: given, parameter_defaults, the template's default.
  enum class Origin { given, parameter_defaults, template_default, pseudo, missing };
  [[nodiscard]] Origin origin(std::string_view name) const;
  /// As they were given, the undeclared among them.
  [[nodiscard]] const Value& given() const { return given_; }
  [[nodiscard]] std::vector<std::string> names() const;
  /// As `stack show` prints them: text values, hidden ones as ******.
  [[nodiscard]] Value shown() const;

 private:
  [[nodiscard]] Value raw(const ParameterSchema& schema) const;
  void validate_one(const ParameterSchema& schema, PatternBudget& patterns, bool values) const;
  [[nodiscard]] const Value* given_value(const ParameterSchema& schema) const;

  std::vector<ParameterSchema> schemata_;
  std::unordered_map<std::string, std::size_t> places_;
  Value given_;
  Value defaults_;
  std::map<std::string, Value, std::less<>> pseudo_;
  mutable std::unordered_map<std::string, Value> converted_;
};

/// A raw value in its parameter's type. Throws ValueError, TypeError.
[[nodiscard]] Value convert_parameter(const Value& raw, DataType type);

}  // namespace hearth::metadata
