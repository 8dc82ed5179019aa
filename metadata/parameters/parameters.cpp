#include "metadata/parameters/parameters.hpp"

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

Fault missing(const ParameterSchema& schema) {
  Fault fault("UserParameterMissing", cat("The Parameter (", schema.name, ") was not provided."), schema.mark);
  return fault.hint(cat("It is a ", kind_text(schema),
                        schema.description.empty() ? "" : cat(" (", schema.description, ")"),
                        "; `hearth metadata parameters` writes all that is asked for as an environment to fill in."));
}

/// Keys become texts, as a JSON round trip makes them.
Value json_round_trip(const Value& value) {
  if (value.is_list()) {
    bool changed = false;
    std::vector<Value> items;
    for (const Value& item : value.items()) {
      items.push_back(json_round_trip(item));
      changed = changed || !items.back().same(item);
    }
    return changed ? Value::list(std::move(items)).with_mark(value.mark()) : value;
  }
  if (!value.is_map()) return value;
  bool changed = false;
  MapBuilder members;
  for (const Entry& entry : value.entries()) {
    const Value inner = json_round_trip(entry.value);
    changed = changed || !inner.same(entry.value) || !entry.key.is_string();
    const Value key =
        entry.key.is_string() ? entry.key : Value::string(json_text(entry.key)).with_mark(entry.key.mark());
    members.set(key, inner);
  }
  return changed ? Value::map(std::move(members)).with_mark(value.mark()) : value;
}

Value convert_json(const Value& raw) {
  if (!raw.is_string()) return json_round_trip(raw);
  if (raw.text().empty()) return raw;
  Result<Value> read = parse_json_value(raw.text(), "");
  if (!read)
    throw value_fault(cat("Value must be valid JSON: ", json_error_text(read.error(), raw.text())), raw.mark());
  return read->with_mark(raw.mark());
}

Value convert_list(const Value& raw) {
  std::vector<Value> items;
  if (raw.is_list()) {
    for (const Value& item : raw.items()) {
      items.push_back(item.is_string() || item.is_waiting() ? item
                                                            : Value::string(python_str(item)).with_mark(item.mark()));
    }
  } else if (!raw.is_string()) {
    throw value_fault(
        cat("Value must be a comma-delimited list string: '", type_name(raw), "' object has no attribute 'split'"),
        raw.mark());
  } else if (!raw.text().empty()) {
    for (std::string& item : split(raw.text(), ','))
      items.push_back(Value::string(std::move(item)).with_mark(raw.mark()));
  }
  return Value::list(std::move(items)).with_mark(raw.mark());
}

}  // namespace

Value convert_parameter(const Value& raw, DataType type) {
  if (raw.is_waiting()) return raw;
  switch (type) {
    case DataType::map: return convert_json(raw);
    case DataType::list: return convert_list(raw);
    case DataType::number: return to_number(raw);
    default: return to_type(raw, type);
  }
}

StackParameters::StackParameters(std::vector<ParameterSchema> schemata, const Value& given, const Value& defaults,
                                 const StackIdentity& stack, bool cfn)
    : schemata_(std::move(schemata)), given_(given), defaults_(defaults) {
  for (std::size_t i = 0; i < schemata_.size(); ++i) places_[schemata_[i].name] = i;
  if (cfn) {
    pseudo_["AWS::StackId"] = Value::string(stack.arn());
    pseudo_["AWS::StackName"] = Value::string(stack.name);
    pseudo_["AWS::Region"] = Value::string("ap-southeast-1");
  } else {
    pseudo_["OS::stack_id"] = Value::string(stack.id);
    pseudo_["OS::project_id"] = Value::string(stack.project);
    pseudo_["OS::stack_name"] = Value::string(stack.name);
  }
}

const ParameterSchema* StackParameters::schema(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  return found == places_.end() ? nullptr : &schemata_[found->second];
}

const Value* StackParameters::given_value(const ParameterSchema& schema) const {
  const Value* value = given_.find(schema.name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

StackParameters::Origin StackParameters::origin(std::string_view name) const {
  if (pseudo_.find(name) != pseudo_.end()) return Origin::pseudo;
  const ParameterSchema* declared = schema(name);
  if (declared == nullptr) return Origin::missing;
  if (given_value(*declared) != nullptr) return Origin::given;
  const Value* value = defaults_.find(name);
  if (value != nullptr && !value->is_null()) return Origin::parameter_defaults;
  return declared->default_value.is_null() ? Origin::missing : Origin::template_default;
}

Value StackParameters::raw(const ParameterSchema& schema) const {
  if (const Value* value = given_value(schema)) return *value;
  const Value* value = defaults_.find(schema.name);
  return value != nullptr && !value->is_null() ? *value : schema.default_value;
}

std::optional<Value> StackParameters::value(std::string_view name) const {
  const auto pseudo = pseudo_.find(name);
  if (pseudo != pseudo_.end()) return pseudo->second;
  const ParameterSchema* declared = schema(name);
  if (declared == nullptr) return std::nullopt;
  const auto known = converted_.find(declared->name);
  if (known != converted_.end()) return known->second;
  const Value value = raw(*declared);
  if (value.is_null()) {
    if (declared->type == DataType::boolean) return Value::boolean(to_boolean(value));
    throw missing(*declared);
  }
  return converted_[declared->name] = convert_parameter(value, declared->type);
}

void StackParameters::validate_one(const ParameterSchema& schema, PatternBudget& patterns, bool values) const {
  check_parameter_schema(schema, patterns);
  if (!values) return;
  const Value value = raw(schema);
  if (value.is_null()) throw missing(schema);
  if (value.has_waiting()) return;
  const auto invalid = [&](const Fault& fault) {
    return validation_fault(cat("Parameter '", schema.name, "' is invalid: ", fault.text()),
                            value.mark().known() ? value.mark() : schema.mark)
        .advised_as(fault);
  };
  Value converted = value;
  try {
    if (schema.type == DataType::boolean && !value.is_bool()) (void)to_boolean(value);
    if (schema.type == DataType::number) (void)to_number(value);
    if (schema.type == DataType::list || schema.type == DataType::map)
      converted = convert_parameter(value, schema.type);
  } catch (const Fault& fault) {
    throw invalid(fault);
  }
  for (const Constraint& constraint : schema.constraints) {
    try {
      constraint.check(converted, schema.type, patterns);
    } catch (const Fault& fault) {
      if (fault.type() == "ValueError") throw invalid(fault);
      throw fault.as(fault.type()).below(cat("parameters.", schema.name)).at(value.mark());  // of the wrong type for it
    }
  }
}

std::vector<Fault> StackParameters::undeclared() const {
  constexpr std::size_t most_suggestions = 100;  // each looks at all names
  std::vector<Fault> found;
  const std::vector<std::string> declared = names();
  for (const Entry& entry : given_.is_map() ? given_.entries() : std::vector<Entry>{}) {
    if (declares(python_str(entry.key))) continue;
    Fault fault("UnknownUserParameter", cat("The Parameter (", python_str(entry.key), ") was not defined in template."),
                entry.key.mark());
    found.push_back(found.size() < most_suggestions ? fault.suggest(python_str(entry.key), declared) : fault);
  }
  return found;
}

void StackParameters::validate_declared(PatternBudget& patterns, bool values) const {
  for (const ParameterSchema& schema : schemata_) validate_one(schema, patterns, values);
}

void StackParameters::validate(PatternBudget& patterns, bool values) const {
  for (const Fault& fault : undeclared()) throw fault;
  validate_declared(patterns, values);
}

std::vector<std::string> StackParameters::names() const {
  std::vector<std::string> all;
  for (const ParameterSchema& schema : schemata_) all.push_back(schema.name);
  return all;
}

Value StackParameters::shown() const {
  MapBuilder texts;
  for (const auto& [name, value] : pseudo_) texts.set(name, value);
  for (const ParameterSchema& schema : schemata_) {
    if (schema.hidden) {
      texts.set(schema.name, Value::string("******"));
      continue;
    }
    const Value known = *value(schema.name);
    std::string text = schema.type == DataType::map ? json_text(known) : python_str(known);
    if (schema.type == DataType::list && known.is_list()) {
      std::vector<std::string> items;
      for (const Value& item : known.items()) items.push_back(python_str(item));
      text = join(items, ",");
    }
    texts.set(schema.name, known.is_waiting() ? known : Value::string(text));
  }
  return Value::map(std::move(texts));
}

}  // namespace hearth::metadata
