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

/// The stack around a snippet; its resources are stubs: {"name": {"ref": …, "attrs": {…}, "action": …, "status": …}}.
class SnippetScope final : public Scope {
 public:
  SnippetScope(const TemplatePtr& source, const StackParameters& parameters, const Value& test)
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
    const Value attributes = member(stub(resource), "attrs");
    return std::any_of(attributes.entries().begin(), attributes.entries().end(),
                       [&](const Entry& entry) { return split(python_str(entry.key), '/').front() == attribute; });
  }
  Value attribute(std::string_view resource, const std::vector<Value>& path) override {
    const Value& found = stub(resource);
    if (!is_ready(found, path.empty())) return {};
    const Value attributes = member(found, "attrs");
    if (path.empty()) {
      MapBuilder all;
      for (const Entry& entry : attributes.entries()) {
        const std::string name = python_str(entry.key);
        if (name != "show" && name.find('/') == std::string::npos) all.set(entry.key, entry.value);
      }
      return Value::map(std::move(all));
    }
    if (const Value* value = attributes.find(stub_key(path))) return *value;
    throw Fault("InvalidTemplateAttribute",
                cat("The Referenced Attribute (", resource, " ",
                    path.size() == 1 ? python_str(path[0]) : python_tuple(path), ") is incorrect."));
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
  /// Whether a resource has attributes to give: `all` of them a failed one has not.
  static bool is_ready(const Value& resource, bool all) {
    static const std::vector<std::string> actions{"CREATE", "ADOPT", "SUSPEND",  "RESUME",
                                                  "UPDATE", "CHECK", "SNAPSHOT", "ROLLBACK"};
    const auto word = [&](std::string_view key, std::string_view fallback) {
      const Value found = member(resource, key);
      return found.is_null() ? std::string(fallback) : python_str(found);
    };
    const std::string action = word("action", "CREATE");
    if (all && (action == "ROLLBACK" || word("status", "COMPLETE") == "FAILED")) return false;
    return std::find(actions.begin(), actions.end(), action) != actions.end();
  }

  /// Stubs name a path "attribute/key/…", and only paths of texts: as the engine, which remembers what was asked for.
  static std::string stub_key(const std::vector<Value>& path) {
    std::vector<std::string> words;
    for (const Value& step : path) {
      if (step.is_list() || step.is_map()) throw type_fault(cat("unhashable type: '", type_name(step), "'"));
      words.push_back(step.is_string() ? step.text() : "/");  // no stub has such a key
    }
    return join(words, "/");
  }

  static std::string python_tuple(const std::vector<Value>& path) {
    std::vector<std::string> words;
    for (const Value& step : path) words.push_back(python_repr(step));
    return cat("(", join(words, ", "), ")");
  }

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
  source->check();
  const Value params = member(test, "params");
  const StackParameters parameters(
      source->parameters(), params.is_null() ? Value::map({}) : params, member(test, "env_defaults"),
      {"tstack", "11111111-2222-4333-8444-555555555555", "test_project"}, is_cfn(source->version()));
  PatternBudget patterns;
  parameters.validate(patterns);
  SnippetScope scope(source, parameters, test);
  scope.validate_conditions();
  const Expression& value = *source->outputs().front().value;
  check(value, scope);
  try {
    validate(value, scope, "Value");
  } catch (const Fault& fault) {  // of an output, what it refers to is looked at only here
    if (fault.type() == "InvalidTemplateReference") throw validation_fault(fault.what(), fault.mark(), "Value");
    throw;
  }
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
