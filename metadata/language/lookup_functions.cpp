// get_param, get_resource, get_attr, get_file, resource_facade: what the stack knows.
#include "metadata/language/arguments.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/characters.hpp"

namespace hearth::metadata {

namespace {

Value get_param(const Expression& call, Scope& scope) {
  Value arguments = resolved(call, scope);
  if (!truth(arguments)) throw value_fault(cat("Function ", in_quotes(call.function->name), " must have arguments"));
  if (arguments.is_waiting()) return arguments;
  if (!arguments.is_string() && !arguments.is_list()) {
    throw type_fault(cat("Argument to ", in_quotes(call.function->name), " must be string or list"));
  }
  Value name = arguments.is_list() ? arguments.items().front() : arguments;
  if (name.is_waiting()) return name;
  if (!name.is_string()) throw type_fault(cat("Parameter name in ", in_quotes(call.function->name), " must be string"));
  std::optional<Value> value = scope.parameter(name.text());
  if (!value)
    throw Fault("UserParameterMissing", cat("The Parameter (", name.text(), ") was not provided."), name.mark())
        .suggest(name.text(), scope.parameter_names());
  if (!arguments.is_list()) return *value;
  for (std::size_t i = 1; i < arguments.items().size(); ++i) {
    const Value& key = arguments.items()[i];
    if (value->is_waiting()) return *value;
    if (key.is_waiting()) return key;
    value = step_into(*value, key);
    if (!value) return Value::string("");
  }
  return *value;
}

Value get_resource(const Expression& call, Scope& scope) {
  Value name = resolved(call, scope);
  if (name.is_waiting()) return name;
  if (!name.is_string()) {
    if (name.is_list() || name.is_map()) throw type_fault(cat("unhashable type: '", type_name(name), "'"));
    throw Fault("InvalidTemplateReference",
                cat("The specified reference \"", python_str(name), "\" (in unknown) is incorrect."));
  }
  return scope.reference(name.text());
}

/// What names something is no map or list.
void refuse_collection(const Value& name) {
  if (name.is_list() || name.is_map()) throw type_fault(cat("unhashable type: '", type_name(name), "'"), name.mark());
}

/// The name and attribute as far as get_attr's forms go.
std::vector<Value> attribute_arguments(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  return arguments.is_list() ? arguments.items() : std::vector<Value>{arguments};
}

Value get_attr(const Expression& call, Scope& scope) {
  std::vector<Value> parts = attribute_arguments(call, scope);
  for (const Value& part : parts) {
    if (part.is_waiting()) return part;
  }
  refuse_collection(parts[0]);
  const std::string resource = python_str(parts[0]);
  parts.erase(parts.begin());
  return scope.attribute(resource, parts);
}

/// The old form: the attribute is taken whole, the path is followed in its value.
Value get_attr_then_select(const Expression& call, Scope& scope) {
  const std::vector<Value> parts = attribute_arguments(call, scope);
  for (const Value& part : parts) {
    if (part.is_waiting()) return part;
  }
  return select_attribute(scope.attribute(python_str(parts[0]), {parts[1]}), parts, 2);
}

void check_attr_pair(const Expression& call) {
  if (!is_list_expression(call.arguments())) throw type_fault("Argument to \"get_attr\" must be a list");
  if (length_of(call.arguments()) < 2) {
    throw value_fault("Arguments to \"get_attr\" must be of the form [resource_name, attribute, (path), ...]");
  }
}

void check_attr_all(const Expression& call) {
  const Expression& arguments = call.arguments();
  const bool list = is_list_expression(arguments);
  if ((list && length_of(arguments) == 0) ||
      (arguments.type == Expression::Type::constant && !truth(arguments.constant))) {
    throw value_fault(
        "Arguments to \"get_attr\" can be of the next forms: [resource_name] or "
        "[resource_name, attribute, (path), ...]");
  }
  // A text is a sequence of characters: one of them is the name of a resource.
  const bool text = arguments.type == Expression::Type::constant && arguments.constant.is_string() &&
                    characters(arguments.constant.text()).size() == 1;
  if (!list && !text) throw type_fault("Argument to \"get_attr\" must be a list");
}

void validate_attr(const Expression& call, Scope& scope) {
  const std::vector<Value> parts = attribute_arguments(call, scope);
  if (parts.empty() || parts[0].is_waiting()) return;
  refuse_collection(parts[0]);
  const std::string resource = python_str(parts[0]);
  if (!scope.has_resource(resource)) {
    throw Fault("InvalidTemplateReference",
                cat("The specified reference \"", resource, "\" (in unknown) is incorrect."), parts[0].mark())
        .suggest(resource, scope.resource_names());
  }
  if (parts.size() < 2 || parts[1].is_waiting()) return;
  refuse_collection(parts[1]);
  const std::string attribute = python_str(parts[1]);
  if (!scope.has_attribute(resource, attribute)) {
    throw Fault("InvalidTemplateAttribute",
                cat("The Referenced Attribute (", resource, " ", attribute, ") is incorrect."), parts[1].mark())
        .suggest(attribute, scope.attribute_names(resource));
  }
}

Value get_file(const Expression& call, Scope& scope) {
  const Value name = resolved(call, scope);
  if (!name.is_string()) throw type_fault("Argument to \"get_file\" must be a string");
  if (std::optional<Value> content = scope.file(name.text())) return *content;
  const std::string advice = scope.advice_of_file(name.text());
  throw value_fault(cat("No content found in the \"files\" section for get_file path: ", name.text()), name.mark())
      .hint(cat("It is looked for beside the template that names it.", advice.empty() ? "" : " ", advice));
}

void check_facade(const Expression& call) {
  const Value& which = written(call);
  const bool cfn = call.function->name != "resource_facade";
  const std::vector<std::string> allowed =
      cfn ? std::vector<std::string>{"Metadata", "DeletionPolicy", "UpdatePolicy"}
          : std::vector<std::string>{"metadata", "deletion_policy", "update_policy"};
  for (const std::string& name : allowed) {
    if (which.is_string() && which.text() == name) return;
  }
  throw value_fault(
      cat("Incorrect arguments to ", in_quotes(call.function->name), " should be one of: ", join(allowed, ", ")));
}

Value facade(const Expression& call, Scope& scope) { return scope.facade(written(call).text()); }

void refuse_removed(const Expression& call, Scope&) {
  throw Fault("InvalidTemplateVersion",
              cat("The template version is invalid: The function ", call.function->name,
                  " is not supported in this version of HOT."),
              call.mark);
}

Value removed(const Expression& call, Scope&) { return map_of({{std::string(call.function->name), written(call)}}); }

}  // namespace

const std::vector<Function>& lookup_functions() {
  using V = Version;
  using enum Function::Waits;
  static const std::vector<Function> table = {
      {"get_param", V::v2013_05_23, V::hot_end, by_itself, nullptr, nullptr, get_param},
      {"get_resource", V::v2013_05_23, V::hot_end, strictly, nullptr, nullptr, get_resource},
      {"get_attr", V::v2013_05_23, V::v2014_10_16, by_itself, check_attr_pair, validate_attr, get_attr_then_select},
      {"get_attr", V::v2014_10_16, V::v2015_10_15, by_itself, check_attr_pair, validate_attr, get_attr},
      {"get_attr", V::v2015_10_15, V::hot_end, by_itself, check_attr_all, validate_attr, get_attr},
      {"get_file", V::v2013_05_23, V::hot_end, strictly, nullptr, nullptr, get_file},
      {"resource_facade", V::v2013_05_23, V::hot_end, by_itself, check_facade, nullptr, facade},
      {"Fn::ResourceFacade", V::v2013_05_23, V::v2014_10_16, by_itself, check_facade, nullptr, facade},
      {"Fn::ResourceFacade", V::aws_2010_09_09, V::cfn_end, by_itself, check_facade, nullptr, facade},
      {"Fn::GetAZs", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::Join", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::Split", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::Replace", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::Base64", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::MemberListToMap", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::ResourceFacade", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Ref", V::v2014_10_16, V::hot_end, by_itself, nullptr, refuse_removed, removed},
      {"Fn::Select", V::v2015_10_15, V::hot_end, by_itself, nullptr, refuse_removed, removed},
  };
  return table;
}

}  // namespace hearth::metadata
