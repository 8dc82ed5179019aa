#include "metadata/template/template.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata {

namespace {

/// How the two languages name the same thing.
struct Words {
  std::string_view type, properties, metadata, depends_on, deletion_policy, update_policy, description, condition;
};
constexpr Words k_hot_words{"type",          "properties",  "metadata", "depends_on", "deletion_policy",
                            "update_policy", "description", "condition"};
constexpr Words k_cfn{"Type",           "Properties",   "Metadata",    "DependsOn",
                      "DeletionPolicy", "UpdatePolicy", "Description", "Condition"};

const Words& words_of(Version version) { return is_cfn(version) ? k_cfn : k_hot_words; }

}  // namespace

std::vector<std::string> section_names(Version version) {
  std::vector<std::string> names =
      is_cfn(version)
          ? std::vector<std::string>{"AWSTemplateFormatVersion",
                                     "HeatTemplateFormatVersion",
                                     "Description",
                                     "Mappings",
                                     "Parameters",
                                     "Resources",
                                     "Outputs"}
          : std::vector<std::string>{
                "heat_template_version", "description", "parameter_groups", "parameters", "resources", "outputs"};
  if (has_conditions(version)) names.emplace_back(is_cfn(version) ? "Conditions" : "conditions");
  return names;
}

std::vector<std::string> resource_keywords(Version version) {
  const Words& words = words_of(version);
  std::vector<std::string> known;
  for (const std::string_view word : {words.type, words.properties, words.metadata, words.depends_on,
                                      words.deletion_policy, words.update_policy, words.description}) {
    known.emplace_back(word);
  }
  if (has_conditions(version)) known.emplace_back(words.condition);
  if (has_conditions(version) && !is_cfn(version)) known.emplace_back("external_id");
  return known;
}

std::vector<std::string> output_keywords(Version version) {
  const bool cfn = is_cfn(version);
  std::vector<std::string> known{cfn ? "Value" : "value", cfn ? "Description" : "description"};
  if (has_conditions(version)) known.emplace_back(words_of(version).condition);
  return known;
}

const std::vector<std::string>& deletion_policies() {
  static const std::vector<std::string> names{"Delete", "Retain", "Snapshot"};
  return names;
}

Value read_template_text(std::string_view text, std::string_view name, Sources& sources) {
  const std::uint32_t file = sources.add(name);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[' || text[first] == '"')) {
    Result<Value> json = parse_json_value(text, name, file);
    if (json) {
      if (!json->is_map()) throw value_fault("The template is not a JSON object or YAML mapping.", json->mark());
      return *json;
    }
  }
  Result<Value> yaml = parse_yaml(text, name, file);
  if (!yaml) {
    const Position at = yaml.error().at;
    throw value_fault(cat("Error parsing template: ", yaml.error().what),
                      {file, static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)});
  }
  if (yaml->is_null()) return Value::map({}).with_mark({file, 1, 1});
  if (!yaml->is_map()) throw value_fault("The template is not a JSON object or YAML mapping.", yaml->mark());
  return *yaml;
}

Template::Template(Value document, std::string name)
    : document_(std::move(document)), name_(std::move(name)), version_(version_of(document_)) {
  const auto read = [this](auto& section, void (Template::*reader)()) {
    try {
      (this->*reader)();
    } catch (const Fault& fault) {
      section.add(fault);
    }
  };
  read(parameters_, &Template::read_parameters);
  read(conditions_, &Template::read_conditions);
  read(resources_, &Template::read_resources);
  read(outputs_, &Template::read_outputs);
}

void Template::check() const {
  (void)parameters_.get();
  check_sections();
  check_parameter_groups();
  (void)conditions_.get();
  (void)resources_.get();
  (void)outputs_.get();
}

std::vector<Fault> Template::faults() const {
  std::vector<Fault> all;
  const auto gather = [&](const auto& section) {
    if (section.fault) all.push_back(*section.fault);
    all.insert(all.end(), section.further.begin(), section.further.end());
  };
  gather(parameters_);
  gather(conditions_);
  gather(resources_);
  gather(outputs_);
  return all;
}

Value Template::section(std::string_view hot, std::string_view cfn) const {
  return member(document_, is_cfn(version_) ? cfn : hot);
}

std::string Template::description() const {
  const Value text = section("description", "Description");
  return truth(text) ? python_str(text) : "No description";
}

void Template::check_sections() const {
  const std::vector<std::string> known = section_names(version_);
  for (const Entry& entry : document_.entries()) {
    const std::string name = python_str(entry.key);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Fault("InvalidTemplateSection", cat("The template section is invalid: ", name), entry.key.mark())
        .suggest(name, known);
  }
}

void Template::read_parameters() {
  const Value parameters = section("parameters", "Parameters");
  if (!truth(parameters)) return;
  if (!parameters.is_map()) {
    throw Fault("AttributeError", cat("'", type_name(parameters), "' object has no attribute 'items'"),
                parameters.mark());
  }
  for (const Entry& entry : parameters.entries()) {
    try {
      parameters_.items.push_back(parse_parameter_schema(entry.key, entry.value, version_));
    } catch (const Fault& fault) {
      parameters_.add(fault);
    }
  }
}

void Template::check_parameter_groups() const {
  const Value groups = section("parameter_groups", "");
  if (!truth(groups)) return;
  const auto fault = [&](const std::string& path, const std::string& text, const Mark& mark) {
    return validation_fault(cat("Parameter Groups error: parameter_groups", path, ": ", text), mark);
  };
  if (!groups.is_list()) throw fault("", "The parameter_groups should be a list.", groups.mark());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < groups.items().size(); ++i) {
    const Value& group = groups.items()[i];
    if (!group.is_map()) throw Fault("AttributeError", cat("parameter_groups[", i, "] is no map"), groups.mark());
    const std::string label = group.is_map() && truth(member(group, "label"))
                                  ? cat(".", python_str(member(group, "label")))
                                  : cat("[", i, "]");
    const Value* given = group.find("label");
    const bool no_text = given != nullptr && !given->is_string() && !given->is_integer() && !given->is_bool();
    const Value names = member(group, "parameters");
    if (names.is_null()) throw fault(label, "The parameters must be provided for each parameter group.", group.mark());
    if (!names.is_list()) throw fault(label, "The parameters of parameter group should be a list.", names.mark());
    for (const Value& name : names.items()) {
      const std::string text = python_str(name);
      const bool known = std::any_of(parameters().begin(), parameters().end(),
                                     [&](const ParameterSchema& p) { return p.name == text; });
      if (!known && no_text) throw Fault("AttributeError", cat("the label ", label, " is no text"), given->mark());
      if (!known)
        throw fault(label, cat("The grouped parameter ", text, " does not reference a valid parameter."), name.mark());
      if (!seen.insert(text).second) {
        throw fault(label, cat("The ", text, " parameter must be assigned to one parameter group only."), name.mark());
      }
    }
  }
}

void Template::read_conditions() {
  if (!has_conditions(version_)) return;
  const Value conditions = section("conditions", "Conditions");
  if (conditions.is_null() && document_.find(is_cfn(version_) ? "Conditions" : "conditions") == nullptr) return;
  if (!conditions.is_map()) {
    throw validation_fault(cat("Conditions validation error: Condition definitions must be a map. Found a ",
                               type_name(conditions), " instead"),
                           conditions.mark());
  }
  for (const Entry& entry : conditions.entries()) {
    const std::string name = python_str(entry.key);
    condition_places_.emplace(name, conditions_.items.size());
    conditions_.items.emplace_back(
        name,
        parse_expression(entry.value, version_, cat(is_cfn(version_) ? "Conditions." : "conditions.", name), true));
  }
}

ExpressionPtr Template::condition(const std::string& name) const {
  const auto& all = conditions_.get();
  const auto found = condition_places_.find(name);
  return found == condition_places_.end() ? nullptr : all[found->second].second;
}

const OutputDefinition* Template::output(const std::string& name) const {
  const std::vector<OutputDefinition>& all = outputs_.get();
  const auto found = output_places_.find(name);
  return found == output_places_.end() ? nullptr : &all[found->second];
}

std::vector<std::string> Template::condition_names() const {
  std::vector<std::string> names;
  for (const auto& [name, expression] : conditions_.get()) names.push_back(name);
  return names;
}

void Template::read_resources() {
  const Value resources = section("resources", "Resources");
  if (!truth(resources)) return;
  if (!resources.is_map())
    throw validation_fault("\"resources\" must contain a map of resource maps.", resources.mark());
  for (const Entry& entry : resources.entries()) {
    try {
      resources_.items.push_back(resource(entry));
    } catch (const Fault& fault) {
      resources_.add(fault.at(entry.key.mark()));
    }
  }
}

namespace {

/// One resource of the section, read key by key.
class ResourceReader {
 public:
  ResourceReader(const Entry& entry, Version version) : entry_(entry), version_(version), words_(words_of(version)) {
    made_.name = python_str(entry.key);
    made_.mark = entry.key.mark();
    path_ = cat(is_cfn(version) ? "Resources." : "resources.", made_.name);
  }

  ResourceDefinition read() {
    check_shape();
    check_keywords();
    read_type();
    made_.properties = map_field(words_.properties);
    made_.metadata = map_field(words_.metadata);
    made_.update_policy = map_field(words_.update_policy);
    read_depends_on();
    read_deletion_policy();
    if (const Value* text = find(words_.description)) {
      if (!text->is_string()) throw bad_type(words_.description, "string", *text);
      made_.description = text->text();
    }
    read_condition();
    read_external_id();
    return std::move(made_);
  }

 private:
  [[nodiscard]] const Value* find(std::string_view key) const { return entry_.value.find(key); }
  [[nodiscard]] Fault bad_type(std::string_view key, std::string_view wanted, const Value& value) const {
    return validation_fault(cat("Resource ", made_.name, " ", key, " type must be ", wanted), value.mark());
  }

  void check_shape() const {
    if (made_.name.find('/') != std::string::npos)
      throw validation_fault("Resource name may not contain \"/\"", entry_.key.mark());
    // Heat takes both, but nobody could ask for them; an empty one is the path of the stack itself.
    if (made_.name.empty()) throw validation_fault("Resource name may not be empty", entry_.key.mark());
    if (made_.name.find('\0') != std::string::npos)
      throw validation_fault("Resource name may not contain a zero byte (\\0)", entry_.key.mark());
    if (!truth(entry_.value)) throw validation_fault("Each resource must contain a type key.", entry_.key.mark());
    if (entry_.value.is_map()) return;
    throw validation_fault(cat("\"resources\" must contain a map of resource maps. Found a [<class '",
                               type_name(entry_.value), "'>] instead"),
                           entry_.value.mark());
  }

  void check_keywords() const {
    if (is_cfn(version_)) return;
    const std::vector<std::string> known = resource_keywords(version_);
    for (const Entry& key : entry_.value.entries()) {
      const std::string name = python_str(key.key);
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw validation_fault(cat("\"", name, "\" is not a valid keyword inside a resource definition"), key.key.mark())
          .suggest(name, known);
    }
  }

  void read_type() {
    const Value* type = find(words_.type);
    if (type == nullptr) throw validation_fault("Each resource must contain a type key.", entry_.key.mark());
    if (!type->is_string()) throw bad_type(words_.type, "string", *type);
    made_.type = *type;
  }

  ExpressionPtr map_field(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr) return nullptr;
    ExpressionPtr expression = parse_expression(*value, version_, cat(path_, ".", key));
    const bool constant = expression->type == Expression::Type::constant;
    if (expression->type == Expression::Type::list || (constant && !value->is_map()))
      throw bad_type(key, "object", *value);
    return expression;
  }

  void read_depends_on() {
    const Value* depends = find(words_.depends_on);
    if (depends == nullptr) return;
    if (!depends->is_string() && !depends->is_list()) throw bad_type(words_.depends_on, "list or string", *depends);
    made_.depends_on = depends->is_string() ? std::vector<Value>{*depends} : depends->items();
    for (const Value& name : made_.depends_on) {
      if (!name.is_string()) {
        throw validation_fault(cat("Resource ", made_.name, " ", words_.depends_on, " must be a list of strings"),
                               name.mark());
      }
    }
  }

  void read_deletion_policy() {
    const Value* policy = find(words_.deletion_policy);
    if (policy == nullptr) return;
    if (!policy->is_string() && !policy->is_map()) throw bad_type(words_.deletion_policy, "string", *policy);
    if (policy->is_map())  // known when the stack is
      made_.computed_deletion_policy = parse_expression(*policy, version_, cat(path_, ".", words_.deletion_policy));
    std::string text = policy->is_string() ? policy->text() : "Delete";
    const bool lower =
        has_conditions(version_) && !is_cfn(version_) && (text == "delete" || text == "retain" || text == "snapshot");
    if (lower) text[0] = static_cast<char>(text[0] - 32);
    const std::vector<std::string>& known = deletion_policies();
    if (std::find(known.begin(), known.end(), text) == known.end())
      throw validation_fault(cat("Invalid deletion policy \"", text, "\""), policy->mark()).suggest(text, known);
    made_.deletion_policy = text;
  }

  void read_external_id() {
    const Value* id = is_cfn(version_) || !has_conditions(version_) ? nullptr : find("external_id");
    if (id == nullptr) return;
    made_.external_id = parse_expression(*id, version_, cat(path_, ".external_id"));
    const auto kind = made_.external_id->type;
    if (!id->is_string() && kind != Expression::Type::call && kind != Expression::Type::branch)
      throw bad_type("external_id", "string", *id);
  }

  void read_condition() {
    const Value* condition = find(words_.condition);
    if (condition == nullptr || !has_conditions(version_)) return;
    made_.condition = parse_expression(*condition, version_, cat(path_, ".", words_.condition), true);
    const bool plain_map = made_.condition->type == Expression::Type::map ||
                           (made_.condition->type == Expression::Type::constant && condition->is_map());
    if (plain_map || (!condition->is_string() && !condition->is_bool() && !condition->is_map())) {
      throw bad_type(words_.condition, "string_or_boolean", *condition);
    }
  }

  const Entry& entry_;
  Version version_;
  const Words& words_;
  std::string path_;
  ResourceDefinition made_{};
};

}  // namespace

ResourceDefinition Template::resource(const Entry& entry) const { return ResourceReader(entry, version_).read(); }

void Template::read_outputs() {
  const Value outputs = section("outputs", "Outputs");
  if (!truth(outputs)) return;
  if (!outputs.is_map()) {
    throw Fault("AttributeError",
                cat("Output validation error: ", is_cfn(version_) ? "Outputs" : "outputs", ": must be a map"),
                outputs.mark());
  }
  for (const Entry& entry : outputs.entries()) {
    try {
      outputs_.items.push_back(read_output(entry));
      output_places_.emplace(outputs_.items.back().name, outputs_.items.size() - 1);
    } catch (const Fault& fault) {
      outputs_.add(fault);
    }
  }
}

/// The member whose name is likely to be meant for this one.
static const Entry* entry_near(const Value& map, std::string_view name) {
  for (const Entry& entry : map.entries()) {
    if (entry.key.is_string() && nearest(entry.key.text(), {std::string(name)})) return &entry;
  }
  return nullptr;
}

OutputDefinition Template::read_output(const Entry& entry) const {
  const std::string_view value_key = is_cfn(version_) ? "Value" : "value";
  OutputDefinition made{.name = python_str(entry.key),
                        .mark = entry.key.mark(),
                        .value = nullptr,
                        .condition = nullptr,
                        .description = {}};
  const std::string path = cat(is_cfn(version_) ? "Outputs" : "outputs", ".", made.name);
  const auto fault = [&](const std::string& text) {
    return validation_fault(cat("Output validation error: ", path, ": ", text), entry.key.mark());
  };
  if (!entry.value.is_map())
    throw fault(cat("Output definitions must be a map. Found a ", type_name(entry.value), " instead"));
  const Value* value = entry.value.find(value_key);
  if (value == nullptr) {
    const Entry* near = entry_near(entry.value, value_key);
    Fault lacking = fault(cat("Each output definition must contain a ", value_key, " key."));
    if (near == nullptr) throw lacking;
    throw validation_fault(lacking.text(), near->key.mark()).suggest(near->key.text(), {std::string(value_key)});
  }
  made.value = parse_expression(*value, version_, cat(path, ".", value_key));
  const Value description = member(entry.value, is_cfn(version_) ? "Description" : "description");
  made.description = description.is_null() ? "" : python_str(description);
  const Value* condition = entry.value.find(is_cfn(version_) ? "Condition" : "condition");
  if (condition != nullptr && has_conditions(version_)) {
    made.condition = parse_expression(*condition, version_, cat(path, ".condition"), true);
  }
  return made;
}

}  // namespace hearth::metadata
