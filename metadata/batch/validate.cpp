#include "metadata/batch/validate.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "metadata/batch/request_body.hpp"
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

/// `look`: validate_stack(), or the part of it that comes first.
Value judged(const Value& body, std::vector<Fault> (*look)(Stack&) = validate_stack) {
  try {
    StackModel model;
    check_request_body(body);
    StackRequest request = request_from_body(model, body);
    request.settings.checked_as_heat_does = true;
    build_model(model, request);
    check_event_sinks(model.tree->environment.event_sinks);
    const std::vector<Fault> faults = look(*model.root);
    if (!faults.empty()) return failure(faults.front());
    return map_of({{"result", Value::boolean(true)}, {"status", Value::integer(200)}});
  } catch (const Fault& fault) {
    return failure(fault);
  }
}

Value without(const Value& map, const std::vector<std::string_view>& keys) {
  MapBuilder kept;
  for (const Entry& entry : map.entries()) {
    const bool left_out = entry.key.is_string() && std::find(keys.begin(), keys.end(), entry.key.text()) != keys.end();
    if (!left_out) kept.set(entry.key, entry.value);
  }
  return Value::map(std::move(kept));
}

Value reduced(const Value& body, const std::vector<std::string_view>& sections) {
  MapBuilder members(body.entries());
  members.set("template", without(member(body, "template"), sections));
  return Value::map(std::move(members));
}

/// Heat reads the resources first; it is done with the parameters before it looks at their groups, and comes to outputs
/// last.
std::optional<Value> found_earlier(const Value& body) {
  if (!member(body, "template").is_map()) return std::nullopt;
  std::vector<std::string_view> later{"parameter_groups", "conditions", "Conditions", "resources",
                                      "Resources",        "outputs",    "Outputs"};
  Value verdict = judged(reduced(body, later), loading_faults);
  if (verdict.find("error") == nullptr)
    verdict = judged(reduced(body, {"parameter_groups", "outputs", "Outputs"}), loading_faults);
  for (const std::size_t sections : {1U, 4U, 2U}) {  // how many come next
    if (verdict.find("error") != nullptr) return verdict;
    verdict = judged(reduced(body, later));
    later.erase(later.begin(), later.begin() + static_cast<std::ptrdiff_t>(sections));
  }
  return verdict.find("error") != nullptr ? std::optional<Value>(verdict) : std::nullopt;
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
  const Value body = test.find("body") != nullptr ? member(test, "body") : test;
  const Value verdict = judged(body);
  return verdict.find("error") == nullptr ? verdict : found_earlier(body).value_or(verdict);
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
