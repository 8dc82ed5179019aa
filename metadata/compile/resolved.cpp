#include "metadata/compile/resolved.hpp"

#include <algorithm>

namespace hearth::metadata {

namespace {

Value value_or_error(const std::function<Value()>& evaluate) {
  try {
    return evaluate();
  } catch (const Fault& fault) {
    return map_of({{"error", Value::string(fault.what())}, {"type", Value::string(fault.type())}});
  }
}

Value required(Stack& stack, Resource& resource) {
  std::vector<std::string> names = stack.needs(resource);
  std::sort(names.begin(), names.end());
  std::vector<Value> texts;
  for (const std::string& name : names) texts.push_back(Value::string(name));
  return Value::list(std::move(texts));
}

Value resolved_resource(Stack& stack, Resource& resource) {
  MapBuilder made;
  made.set("type", Value::string(resource.type));
  made.set("properties", value_or_error([&] { return stack.raw_properties(resource); }));
  if (resource.table != nullptr && resource.family != Family::none)
    made.set("typed", value_or_error([&] { return stack.properties(resource); }));
  if (resource.definition->metadata) made.set("metadata", value_or_error([&] { return stack.metadata_of(resource); }));
  made.set("requires", value_or_error([&] { return required(stack, resource); }));
  made.set("ref", value_or_error([&] { return stack.reference_of(resource); }));
  made.set("id", Value::string(resource.uuid));
  made.set("name", Value::string(resource.physical_name));
  const Value nested = value_or_error([&]() -> Value {
    Stack* inner = stack.nested_of(resource);
    return inner == nullptr ? Value() : resolved_stack(*inner);
  });
  if (!nested.is_null()) made.set("nested", nested);
  return Value::map(std::move(made));
}

}  // namespace

Value resolved_stack(Stack& stack) {
  MapBuilder parameters;
  MapBuilder resources;
  MapBuilder outputs;
  if (stack.source() != nullptr) {
    for (const ParameterSchema& schema : stack.source()->parameters()) {
      parameters.set(schema.name, value_or_error([&] { return stack.parameter(schema.name).value_or(Value()); }));
    }
  }
  for (Resource* resource : stack.resources()) resources.set(resource->name, resolved_resource(stack, *resource));
  if (stack.source() != nullptr) {
    for (const OutputDefinition& output : stack.source()->outputs())
      outputs.set(output.name, value_or_error([&] { return stack.output(output.name); }));
  }
  return map_of({{"name", Value::string(stack.identity().name)},
                 {"id", Value::string(stack.identity().id)},
                 {"parameters", Value::map(std::move(parameters))},
                 {"resources", Value::map(std::move(resources))},
                 {"outputs", Value::map(std::move(outputs))}});
}

}  // namespace hearth::metadata
