#include "metadata/batch/validate.hpp"

#include "base/text.hpp"
#include "metadata/batch/request_body.hpp"
#include "metadata/compile/request.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/environment/registry.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

/// What Heat's API calls it.
std::string api_type(const std::string& type) {
  if (type == "InvalidTemplateSection") return "StackValidationFailed";
  return type == "TypeError" ? "HTTPBadRequest" : type;
}

Value failure(const Fault& fault) {
  return map_of({{"error", Value::string(api_type(fault.type()))},
                 {"message", Value::string(fault.what())},
                 {"status", Value::integer(400)}});
}

Value judged(const Value& body) {
  try {
    StackModel model;
    check_request_body(body);
    StackRequest request = request_from_body(model, body);
    request.settings.checked_as_heat_does = true;
    (void)request.source->parameters();  // Heat knows these before it looks at the environment
    check_environment_sections(request.environment);
    build_model(model, request);
    check_event_sinks(model.tree->environment.event_sinks);
    const std::vector<Fault> faults = validate_stack(*model.root);
    if (!faults.empty()) return failure(faults.front());
    return map_of({{"result", Value::boolean(true)}, {"status", Value::integer(200)}});
  } catch (const Fault& fault) {
    return failure(fault);
  }
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

Value validate_case(const Value& test) { return judged(test.find("body") != nullptr ? member(test, "body") : test); }

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
