#include "metadata/batch/validate.hpp"

#include "base/text.hpp"
#include "metadata/compile/request.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/environment/registry.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

Value member(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? Value() : *found;
}

Value failure(const Fault& fault) {
  const std::string type =
      fault.type() == "InvalidTemplateSection" ? "StackValidationFailed" : fault.type();  // as its API says it
  return map_of(
      {{"error", Value::string(type)}, {"message", Value::string(fault.what())}, {"status", Value::integer(400)}});
}

Value lookup(const Registry& registry, const Value& test) {
  const Value type = test.items()[0];
  const Value name = test.items()[1];
  std::string kind;
  std::string what;
  try {
    const Implementation found = registry.find(python_str(type), name.is_null() ? "" : python_str(name));
    kind = found.kind == Implementation::Kind::nested ? "Template" : "Class";
    what = found.name;
  } catch (const Fault& fault) {
    kind = "ERR";
    what = fault.type() == "RecursionError" ? fault.type() : cat(fault.type(), ": ", fault.text());
  }
  return Value::list({type, name, Value::string(kind), Value::string(what)});
}

}  // namespace

Value validate_case(const Value& test) {
  try {
    StackModel model;
    const Value body = test.find("body") != nullptr ? member(test, "body") : test;
    StackRequest request = request_from_body(model, body);
    request.settings.opaque_types_allowed = true;
    request.settings.nested_attributes_checked = false;
    build_model(model, request);
    const std::vector<Fault> faults = validate_stack(*model.root);
    if (!faults.empty()) return failure(faults.front());
    return map_of({{"result", Value::boolean(true)}, {"status", Value::integer(200)}});
  } catch (const Fault& fault) {
    return failure(fault);
  }
}

Value registry_case(const Value& test) {
  try {
    const Value merged =
        merge_registries(member(test, "files").is_list() ? member(test, "files").items() : std::vector<Value>{});
    const Registry registry(merged);
    std::vector<Value> found;
    const Value lookups = member(test, "lookups");
    for (const Value& each : lookups.is_list() ? lookups.items() : std::vector<Value>{})
      found.push_back(lookup(registry, each));
    return map_of({{"result", map_of({{"merged", merged}, {"lookups", Value::list(std::move(found))}})}});
  } catch (const Fault& fault) {
    return map_of({{"error", Value::string(fault.type())}, {"message", Value::string(fault.what())}});
  }
}

}  // namespace hearth::metadata
