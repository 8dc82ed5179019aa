#include "metadata/environment/environment.hpp"

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/text.hpp"
#include "metadata/environment/registry.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata {

namespace {

constexpr std::array<std::string_view, 6> k_sections{"parameters",         "resource_registry",
                                                     "parameter_defaults", "encrypted_param_names",
                                                     "event_sinks",        "parameter_merge_strategies"};

bool is_section(const Value& key) {
  return key.is_string() && std::find(k_sections.begin(), k_sections.end(), key.text()) != k_sections.end();
}

Value member_or_null(const Value& map, const Value& key) {
  const Value* found = map.find(key);
  return found == nullptr ? Value() : *found;
}

Value merged_list(const Value& old, const Value& value) {
  if (!truth(old)) return value;
  if (value.is_list() && old.is_list()) {
    std::vector<Value> items = old.items();
    items.insert(items.end(), value.items().begin(), value.items().end());
    return Value::list(std::move(items)).with_mark(value.mark());
  }
  if (!value.is_string() || !old.is_string()) {
    const bool no_list = value.is_list();  // Python looks for the list's method there
    throw Fault(no_list ? "AttributeError" : "TypeError",
                cat("a ", type_name(value), " can't be merged into a ", type_name(old),
                    ": give lists, or texts with commas, in all files"),
                value.mark());
  }
  return Value::string(cat(old.text(), ",", value.text())).with_mark(value.mark());
}

Value merged_map(const Value& old, const Value& value, bool deep) {
  if (!truth(old)) return value;
  for (const Value* side : {&value, &old}) {
    if (side->is_map()) continue;
    throw Fault(side == &value ? "AttributeError" : "TypeError",
                cat("a ", type_name(value), " can't be merged into a ", type_name(old), ": give maps in all files"),
                value.mark());
  }
  MapBuilder members(old.entries());
  for (const Entry& entry : value.entries()) {
    if (entry.value.is_null()) continue;
    const Value before = member_or_null(old, entry.key);
    if (deep && truth(before) && entry.value.is_map()) {
      members.set(entry.key, merged_map(before, entry.value, true));
    } else if (deep && truth(before) && entry.value.is_list()) {
      members.set(entry.key, merged_list(before, entry.value));
    } else if (deep && entry.value.is_string()) {
      members.set(entry.key, Value::string((before.is_null() ? "" : python_str(before)) + entry.value.text())
                                 .with_mark(entry.value.mark()));
    } else {
      members.set(entry.key, entry.value);
    }
  }
  return Value::map(std::move(members)).with_mark(value.mark());
}

/// One behind the other; of numbers, too, where they are given as texts.
Value merged_text(const Value& old, const Value& value, bool of_number) {
  const bool fits = value.is_string() && (old.is_string() || (old.is_null() && !of_number));
  if (!fits)
    throw type_fault(
        cat("a ", type_name(value), " can't be merged into a ", type_name(old), ": give texts in all files"),
        value.mark());
  return Value::string((old.is_null() ? "" : old.text()) + value.text()).with_mark(value.mark());
}

std::string strategy_text(const Value& strategy) {
  return strategy.is_string() ? strategy.text() : python_repr(strategy);
}

class Merger {
 public:
  explicit Merger(const Schemata& schemata) : schemata_(schemata) {}

  Value parameters(const Value& old, const EnvironmentFile& file, const Value& section) {
    const Value strategies = member(file.sections, "parameter_merge_strategies");
    if (!strategies.is_null() && !strategies.is_map())
      throw Fault("AttributeError", "parameter_merge_strategies of an environment is a map", strategies.mark());
    for (const Entry& entry : section.entries()) {
      if (!declared(entry)) continue;
      const Value strategy = strategy_of(strategies, entry.key);
      const auto [known, added] = strategies_.emplace(entry.key.text(), strategy);
      if (!added && !(known->second == strategy)) {
        throw Fault("ConflictingMergeStrategyForParam",
                    cat("Conflicting merge strategy '", strategy_text(strategy), "' for parameter '", entry.key.text(),
                        "' in file '", file.name, "'."),
                    entry.key.mark());
      }
    }
    if (!truth(old)) return section;
    MapBuilder merged(old.entries());
    for (const Entry& entry : section.entries()) {
      if (declared(entry)) merged.set(entry.key, merged_value(member_or_null(old, entry.key), entry));
    }
    return Value::map(std::move(merged));
  }

 private:
  [[nodiscard]] bool declared(const Entry& entry) const {
    return entry.key.is_string() && !entry.value.is_null() && schemata_.count(entry.key.text()) > 0;
  }

  /// Any word may stand as default; what is none of the three overwrites.
  [[nodiscard]] Value strategy_of(const Value& strategies, const Value& name) const {
    const auto valid = [](const Value& v) {
      return v.is_string() && (v.text() == "overwrite" || v.text() == "merge" || v.text() == "deep_merge");
    };
    const Value* fallback = strategies.find("default");
    const Value otherwise = fallback == nullptr ? Value::string("overwrite") : *fallback;
    const Value* own = strategies.find(name);
    const auto known = strategies_.find(name.text());
    const Value wanted = own != nullptr ? *own : known != strategies_.end() ? known->second : otherwise;
    return valid(wanted) ? wanted : otherwise;
  }

  [[nodiscard]] Value merged_value(const Value& old, const Entry& entry) const {
    const std::string strategy = strategy_text(strategies_.at(entry.key.text()));
    const bool deep = strategy == "deep_merge";
    if (!deep && strategy != "merge") return entry.value;
    const DataType type = schemata_.at(entry.key.text());
    if (type == DataType::map) return merged_map(old, parsed(entry.value), deep);
    if (!entry.value.is_list() && !entry.value.is_string())
      throw value_fault("Invalid parameter in environment .", entry.value.mark());
    if (type == DataType::list) return merged_list(old, entry.value);
    if (type == DataType::string || type == DataType::number)
      return merged_text(old, entry.value, type == DataType::number);
    throw Fault("InvalidMergeStrategyForParam",
                cat("Invalid merge strategy 'merge' for parameter '", entry.key.text(), "'."), entry.key.mark());
  }

  static Value parsed(const Value& value) {
    if (!value.is_string() || value.text().empty()) return value;
    Result<Value> read = parse_json_value(value.text(), "");
    if (!read)
      throw value_fault(cat("Invalid parameter in environment ", json_error_text(read.error(), value.text()), "."),
                        value.mark());
    return *read;
  }

  const Schemata& schemata_;
  std::map<std::string, Value> strategies_;
};

}  // namespace

Value check_environment(const Value& document) {
  if (document.is_null()) return Value::map({});
  if (!document.is_map()) throw value_fault("The environment is not a valid YAML mapping data type.", document.mark());
  for (const Entry& entry : document.entries()) {
    const std::string name = python_str(entry.key);
    if (!is_section(entry.key)) {
      Fault fault = value_fault(cat("environment has wrong section \"", name, "\""), entry.key.mark());
      throw fault.suggest(name, {k_sections.begin(), k_sections.end()});
    }
    if (entry.value.is_null()) throw value_fault(cat("environment has empty section \"", name, "\""), entry.key.mark());
  }
  return document;
}

EnvironmentFile read_environment(std::string_view text, const std::string& name, Sources& sources, bool may_be_flat,
                                 const DocumentFilter& filter) {
  const std::uint32_t file = sources.add(name);
  Result<Value> read = parse_yaml(text, name, file);
  if (!read) {
    const Position at = read.error().at;
    throw value_fault(cat("Error parsing the environment: ", read.error().what),
                      {file, static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)});
  }
  Value document = filter ? filter(name, *read) : *read;
  const bool sections = document.is_map() && std::any_of(document.entries().begin(), document.entries().end(),
                                                         [](const Entry& e) { return is_section(e.key); });
  const bool flat = may_be_flat && document.is_map() && !document.entries().empty() && !sections;
  if (flat) document = map_of({{"parameters", document}});
  return {name, check_environment(document)};
}

namespace {

constexpr std::uint64_t k_most_merged = 256ULL << 20U;  ///< bytes; each file's are put into those of all before it

Fault too_much(const EnvironmentFile& file) {
  Fault fault = value_fault(
      cat("to merge the environment files up to ", file.name, " takes more than ", k_most_merged >> 20U, " MiB"),
      file.sections.mark());
  fault.hint("Give each file once, and only those that the stack needs.");
  return fault;
}

}  // namespace

Environment merge_environments(const std::vector<EnvironmentFile>& files, const Schemata& schemata,
                               const Value& given) {
  Environment merged{.parameters = given,
                     .parameter_defaults = Value::map({}),
                     .resource_registry = Value::map({}),
                     .encrypted_param_names = Value::list({}),
                     .event_sinks = Value::list({})};
  Merger merger(schemata);
  std::vector<Value> registries;
  std::uint64_t work = 0;
  for (const EnvironmentFile& file : files) {
    work += file.sections.size() + merged.parameters.size() + merged.parameter_defaults.size();
    if (work > k_most_merged) throw too_much(file);
    for (const Entry& section : file.sections.entries()) {
      if (!truth(section.value)) continue;
      const std::string& name = section.key.text();
      const bool map = name != "encrypted_param_names" && name != "event_sinks" && name != "parameter_merge_strategies";
      if (map && !section.value.is_map())
        throw Fault("AttributeError", cat("section \"", name, "\" of an environment is a map"), section.value.mark());
      if (name == "parameters") merged.parameters = merger.parameters(merged.parameters, file, section.value);
      if (name == "parameter_defaults")
        merged.parameter_defaults = merger.parameters(merged.parameter_defaults, file, section.value);
      if (name == "resource_registry") registries.push_back(section.value);
      if (name == "encrypted_param_names")
        merged.encrypted_param_names = merged_list(merged.encrypted_param_names, section.value);
      if (name == "event_sinks") merged.event_sinks = merged_list(merged.event_sinks, section.value);
    }
  }
  merged.resource_registry = merge_registries(registries);
  return merged;
}

namespace {

Json one_or_more(const std::vector<std::string>& words) {
  const Json word = {{"enum", words}};
  return {{"anyOf", {word, {{"type", "array"}, {"items", word}}}}};
}

}  // namespace

std::string environment_schema() {
  const Json no_answer = {{"type", "null"}};
  const Json level = {{"$ref", "#/definitions/level"}};
  const Json hooks =
      one_or_more({"pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"});
  const Json type_or_level = {{"anyOf", {{{"type", {"string", "null"}}}, level}}};
  const Json definitions = {{"level",
                             {{"type", "object"},
                              {"properties",
                               {{"hooks", {{"anyOf", {hooks, no_answer}}}},
                                {"restricted_actions", {{"anyOf", {one_or_more({"update", "replace"}), no_answer}}}}}},
                              {"patternProperties", {{"\\.(yaml|template)$", Json::object()}}},
                              {"additionalProperties", type_or_level}}}};
  const Json values = {{"type", "object"}};
  Json strategies = values;  // any word stands for overwrite: these are what an editor offers
  strategies["additionalProperties"] = {{"anyOf", {{{"enum", {"overwrite", "merge", "deep_merge"}}}, Json::object()}}};
  Json registry = level;
  return json_document(
      {{"$schema", "http://json-schema.org/draft-07/schema#"},
       {"title", "A Heat environment"},
       {"type", {"object", "null"}},
       {"definitions", definitions},
       {"properties",
        {{"parameters", {{"type", "object"}, {"description", "values of the template's own parameters"}}},
         {"parameter_defaults",
          {{"type", "object"}, {"description", "values of parameters wherever they are declared"}}},
         {"parameter_merge_strategies", strategies},
         {"resource_registry", registry},
         {"encrypted_param_names", {{"type", "array"}, {"items", {{"type", "string"}}}}},
         {"event_sinks", {{"type", "array"}, {"items", {{"type", "object"}}}}}}},
       {"additionalProperties", false}});
}

}  // namespace hearth::metadata
