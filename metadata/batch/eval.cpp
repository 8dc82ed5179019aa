#include "metadata/batch/eval.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/parameters/parameters.hpp"
#include "metadata/template/conditions.hpp"
#include "metadata/template/template.hpp"

namespace hearth::metadata {

namespace {

Value member(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? Value() : *found;
}

/// The stack around a snippet; its resources are stubs: {"name": {"ref": …, "attrs": {…}, "action": …, "status": …}}.
class SnippetScope final : public Scope {
 public:
  SnippetScope(TemplatePtr source, const StackParameters& parameters, const Value& test)
      : template_(source),
        conditions_(source),
        parameters_(parameters),
        stub_(member(test, "stub")),
        files_(member(test, "files")) {}

  std::optional<Value> parameter(std::string_view name) override { return parameters_.value(name); }
  bool has_resource(std::string_view name) override { return stub_.find(name) != nullptr; }
  Value reference(std::string_view resource) override {
    const Value reference = member(stub(resource), "ref");
    return reference.is_null() ? Value::string(std::string(resource)) : reference;
  }
  bool has_attribute(std::string_view resource, std::string_view attribute) override {
    return attribute == "show" || member(stub(resource), "attrs").find(attribute) != nullptr;
  }
  Value attribute(std::string_view resource, const std::vector<Value>& path) override {
    const Value& found = stub(resource);
    const Value attributes = member(found, "attrs");
    const Value action = member(found, "action");
    if (action.is_string() && (action.text() == "INIT" || action.text() == "DELETE")) return {};
    if (path.empty()) {
      MapBuilder all;
      for (const Entry& entry : attributes.entries()) {
        if (python_str(entry.key).find('/') == std::string::npos) all.set(entry.key, entry.value);
      }
      return Value::map(std::move(all));
    }
    return select_attribute(member(attributes, python_str(path.front())), path, 1);
  }
  Value condition(const Value& name) override { return conditions_.enabled(name, *this); }
  std::optional<Value> file(std::string_view name) override {
    const Value* found = files_.find(name);
    return found == nullptr ? std::nullopt : std::optional<Value>(*found);
  }
  Value facade(std::string_view) override {
    throw Fault("AttributeError",
                "a root stack has no parent resource: 'NoneType' object has no attribute 'metadata_get'");
  }
  Value mappings() override { return template_->section("", "Mappings"); }
  void validate_conditions() { conditions_.validate(*this); }

 private:
  const Value& stub(std::string_view name) {
    if (const Value* found = stub_.find(name)) return *found;
    throw Fault("InvalidTemplateReference", cat("The specified reference \"", name, "\" (in unknown) is incorrect."));
  }

  TemplatePtr template_;
  Conditions conditions_;
  const StackParameters& parameters_;
  Value stub_;
  Value files_;
};

std::string_view guessed_type(const Value& value, bool cfn) {
  if (value.is_bool()) return type_text(DataType::boolean, cfn);
  if (value.is_number()) return type_text(DataType::number, cfn);
  const bool texts = value.is_list() && std::all_of(value.items().begin(), value.items().end(),
                                                    [](const Value& v) { return v.is_string(); });
  if (texts) return type_text(DataType::list, cfn);
  return type_text(value.is_list() || value.is_map() ? DataType::map : DataType::string, cfn);
}

Value template_around(const Value& test) {
  const std::string version = python_str(member(test, "version"));
  const bool cfn = version == "2010-09-09" || version == "2012-12-12";
  const Value params = member(test, "params");
  const Value schema = member(test, "schema");
  const bool condition = truth(member(test, "cond"));
  MapBuilder parameters;
  if (params.is_map()) {
    for (const Entry& entry : params.entries()) {
      const Value* own = schema.find(entry.key);
      parameters.set(
          entry.key,
          own != nullptr && !cfn
              ? *own
              : map_of({{cfn ? "Type" : "type", Value::string(std::string(guessed_type(entry.value, cfn)))}}));
    }
  }
  if (schema.is_map() && !cfn) {
    for (const Entry& entry : schema.entries()) parameters.set(entry.key, entry.value);
  }
  Value value = member(test, "snippet");
  MapBuilder document;
  document.set(version == "2010-09-09" ? "AWSTemplateFormatVersion"
               : cfn                   ? "HeatTemplateFormatVersion"
                                       : "heat_template_version",
               Value::string(version));
  document.set(cfn ? "Parameters" : "parameters", Value::map(std::move(parameters)));
  if (condition) {
    document.set(cfn ? "Conditions" : "conditions", map_of({{"c", value}}));
    value = map_of(
        {{cfn ? "Fn::If" : "if", Value::list({Value::string("c"), Value::boolean(true), Value::boolean(false)})}});
  }
  document.set(cfn ? "Outputs" : "outputs", map_of({{"o", map_of({{cfn ? "Value" : "value", value}})}}));
  return Value::map(std::move(document));
}

Value evaluated(const Value& test) {
  const auto source = std::make_shared<const Template>(template_around(test), "snippet");
  const Value params = member(test, "params");
  const StackParameters parameters(
      source->parameters(), params.is_null() ? Value::map({}) : params, member(test, "env_defaults"),
      {"tstack", "11111111-2222-4333-8444-555555555555", "test_project"}, is_cfn(source->version()));
  parameters.validate();
  SnippetScope scope(source, parameters, test);
  scope.validate_conditions();
  const Expression& value = *source->outputs().front().value;
  check(value, scope);
  validate(value, scope, "Value");
  return resolve(value, scope);
}

}  // namespace

Value evaluate_case(const Value& test) {
  try {
    return map_of({{"result", evaluated(test)}});
  } catch (const Fault& fault) {
    return map_of({{"error", Value::string(fault.type())}, {"message", Value::string(fault.what())}});
  }
}

}  // namespace hearth::metadata
