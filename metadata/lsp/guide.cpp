#include "metadata/lsp/guide.hpp"

#include <algorithm>

#include "base/sys/heat_hooks.hpp"
#include "base/text.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/parameters/schema.hpp"
#include "metadata/template/template.hpp"

namespace hearth::metadata::lsp {

namespace {

constexpr std::size_t k_longest_shown = 200;  ///< bytes of a default

/// What a word at a place is the name of.
enum class Subject {
  section,
  version,
  resource_keyword,
  output_keyword,
  parameter_keyword,
  constraint_keyword,
  parameter_type,
  type,
  policy,
  property,
  property_value,
  function,
  condition_function,
  parameter,
  own_parameter,
  resource,
  attribute,
  condition,
  boolean,
  file,
  group,
  reference
};

struct Meaning {
  Subject subject;
  std::string resource{};                  ///< of an attribute
  const PropertySchema* schema = nullptr;  ///< of a value
  const PropertyTable* table = nullptr;    ///< of properties
  std::string_view of_type{};              ///< of a reference: what its type ends with
};

class Reading {
 public:
  Reading(const CursorPlace& place, const Vocabulary& words) : place_(place), words_(words) {}

  std::vector<Meaning> meanings() {
    if (place_.role == CursorPlace::Role::value) value();
    const bool in_item = place_.role == CursorPlace::Role::value && !place_.path.empty() && place_.path.back().item;
    if (place_.role == CursorPlace::Role::key || (in_item && !place_.flow)) key();
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::size_t depth() const { return place_.path.size(); }
  [[nodiscard]] std::string_view at(std::size_t level) const {
    return level < depth() ? std::string_view(place_.path[level].key) : std::string_view();
  }
  void add(Subject subject) { found_.push_back({.subject = subject}); }
  [[nodiscard]] bool computes() const {
    return (at(0) == "resources" && depth() >= 3) || (at(0) == "outputs" && depth() >= 3) || at(0) == "conditions";
  }

  void value() {
    if (depth() == 0) return;
    if (computes() && argument()) return;
    const std::string_view last = at(depth() - 1);
    if (depth() == 1 && last == "heat_template_version") return add(Subject::version);
    if (at(0) == "resources" && depth() >= 3) return resource_value();
    if (at(0) == "outputs" && depth() == 3 && last == "condition") return add(Subject::condition);
    if (at(0) == "parameters" && depth() == 3 && last == "type") return add(Subject::parameter_type);
    if (at(0) == "parameters" && depth() == 3 && (last == "hidden" || last == "immutable"))
      return add(Subject::boolean);
    if (at(0) == "parameter_groups" && depth() == 4 && at(2) == "parameters") return add(Subject::own_parameter);
  }

  /// Within the first item of an `if`: {if: [{not: big}, a, b]}.
  [[nodiscard]] bool is_in_condition_of_if() const {
    for (std::size_t i = 0; i + 1 < place_.path.size(); ++i) {
      if (!place_.path[i].item && place_.path[i].key == "if" && place_.path[i + 1].item &&
          place_.path[i + 1].earlier.empty())
        return true;
    }
    return false;
  }

  /// An argument of a function that names something.
  bool argument() {
    const Step& last = place_.path.back();
    const std::string_view function = last.item ? place_.key(1) : place_.key(0);
    const std::size_t index = last.item ? last.earlier.size() : 0;
    if (function == "get_param" && index == 0) return add(Subject::parameter), true;
    if (function == "get_resource" && !last.item) return add(Subject::resource), true;
    if (function == "get_file" && !last.item) return add(Subject::file), true;
    if (function == "get_attr" && last.item && index == 0) return add(Subject::resource), true;
    if (function == "get_attr" && last.item && index == 1)
      return found_.push_back({.subject = Subject::attribute, .resource = last.earlier.front()}), true;
    if (function == "if" && last.item && index == 0) return add(Subject::condition), true;
    const bool logic = function == "and" || function == "or" || function == "not";
    if ((at(0) == "conditions" || at(2) == "condition" || is_in_condition_of_if()) && logic)
      return add(Subject::condition), true;
    return false;
  }

  void resource_value() {
    const std::string_view keyword = at(2);
    if (keyword == "depends_on") return add(Subject::resource);
    if (keyword == "properties" && depth() > 3) {
      if (const PropertySchema* schema = schema_here(depth()))
        found_.push_back({.subject = Subject::property_value, .schema = schema});
      if (depth() == 4) deployment_word();
    }
    if (depth() != 3) return;
    if (keyword == "type") add(Subject::type);
    if (keyword == "deletion_policy") add(Subject::policy);
    if (keyword == "condition") add(Subject::condition);
  }

  /// What properties of deployments and their configs take as a text, and what their kind is.
  void deployment_word() {
    const Entry* entry = words_.entry("resources", at(1));
    const Value type = entry == nullptr ? Value() : member(entry->value, "type");
    if (!type.is_string()) return;
    const bool is_config = type.text() == "OS::Heat::SoftwareConfig" || type.text() == "OS::Heat::StructuredConfig";
    if (is_config && at(3) == "group") add(Subject::group);
    if (!type.text().starts_with("OS::Heat::") || type.text().find("Deployment") == std::string::npos) return;
    if (at(3) == "server") found_.push_back({.subject = Subject::reference, .of_type = "Server"});
    if (at(3) == "config") found_.push_back({.subject = Subject::reference, .of_type = "Config"});
  }

  void key() {
    if (depth() == 0) return add(Subject::section);
    if (at(0) == "resources") return resource_key();
    if (at(0) == "outputs") {
      if (depth() == 2) add(Subject::output_keyword);
      if (depth() >= 3 && at(2) == "value") add(Subject::function);
    }
    if (at(0) == "parameters" && depth() == 2) add(Subject::parameter_keyword);
    if (at(0) == "parameters" && depth() == 4 && at(2) == "constraints") add(Subject::constraint_keyword);
    if (at(0) == "conditions" && depth() >= 2) add(Subject::condition_function);
  }

  void resource_key() {
    if (depth() == 2) return add(Subject::resource_keyword);
    if (depth() < 3) return;
    if (at(2) == "properties") {
      const TypeFacts* facts = words_.facts_of(std::string(at(1)));
      const PropertySchema* schema = depth() > 3 ? schema_here(depth()) : nullptr;
      const PropertyTable* table = depth() == 3 && facts != nullptr ? &facts->properties
                                   : schema != nullptr              ? &schema->members
                                                                    : nullptr;
      if (table != nullptr && !table->empty()) found_.push_back({.subject = Subject::property, .table = table});
    }
    const bool value = (at(2) == "properties" || at(2) == "metadata") && depth() > 3;
    if (value) add(Subject::function);
    if (at(2) == "condition") add(Subject::condition_function);
  }

  /// The schema of the property at the first `end` levels.
  [[nodiscard]] const PropertySchema* schema_here(std::size_t end) const {
    const TypeFacts* facts = words_.facts_of(std::string(at(1)));
    if (facts == nullptr) return nullptr;
    const PropertyTable* table = &facts->properties;
    const PropertySchema* schema = nullptr;
    for (std::size_t level = 3; level < end; ++level) {
      if (place_.path[level].item) {
        schema = schema == nullptr ? nullptr : schema->item.get();
      } else {
        const auto found =
            std::find_if(table->begin(), table->end(), [&](const auto& row) { return row.first == at(level); });
        schema = found == table->end() ? nullptr : &found->second;
      }
      if (schema == nullptr) return nullptr;
      table = &schema->members;
    }
    return schema;
  }

  const CursorPlace& place_;
  const Vocabulary& words_;
  std::vector<Meaning> found_;
};

std::string short_text(const Value& value) {
  if (value.is_waiting()) return "";
  std::string text = value.is_string() ? cat("\"", value.text(), "\"") : json_text(value);
  if (text.size() <= k_longest_shown) return text;
  std::size_t end = k_longest_shown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // no half character
  return text.substr(0, end) + "…";
}

std::string values_text(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& each : values) texts.push_back(python_str(each));
  return join(texts, ", ");
}

std::string constraint_text(const Constraint& constraint) {
  const auto bound = [](const Value& value) { return value.is_null() ? std::string("…") : python_str(value); };
  switch (constraint.kind) {
    case Constraint::Kind::length: return cat("length ", bound(constraint.low), " to ", bound(constraint.high));
    case Constraint::Kind::range: return cat(bound(constraint.low), " to ", bound(constraint.high));
    case Constraint::Kind::modulo: return cat("step ", bound(constraint.low), " from ", bound(constraint.high));
    case Constraint::Kind::allowed_values: return cat("one of ", values_text(constraint.allowed));
    case Constraint::Kind::allowed_pattern: return cat("matches ", constraint.text);
    case Constraint::Kind::custom: break;
  }
  return constraint.text;
}

/// "string, required", "integer, default 1".
std::string schema_line(const PropertySchema& schema) {
  std::string line(property_type_name(schema.type));
  if (schema.required) line += ", required";
  if (!schema.default_value.is_null()) {
    const std::string text = short_text(schema.default_value);
    if (!text.empty()) line += cat(", default ", text);
  }
  return line;
}

std::string about_property(const std::string& name, const PropertySchema& schema) {
  std::vector<std::string> lines{cat("**", name, "**: ", schema_line(schema))};
  for (const Constraint& constraint : schema.constraints) lines.push_back(cat("- ", constraint_text(constraint)));
  if (!schema.members.empty()) {
    std::vector<std::string> names;
    for (const auto& [member, inner] : schema.members) names.push_back(member);
    lines.push_back(cat("- of ", join(names, ", ")));
  }
  lines.emplace_back(schema.updatable ? "- may be changed in an update" : "- a change makes the resource anew");
  return join(lines, "\n");
}

std::string about_type(const std::string& type, const TypeFacts* facts) {
  if (facts == nullptr)
    return cat("**", type, "**\n\nHearth has no table of this type: nothing is known of its properties.");
  std::vector<std::string> lines{cat("**", type, "**", facts->is_template ? cat(": the template ", facts->name) : "")};
  if (facts->is_template && facts->description != "No description") lines.insert(lines.end(), {"", facts->description});
  if (!facts->properties.empty())
    lines.insert(lines.end(), {"", facts->is_template ? "Parameters:" : "Properties:", ""});
  for (const auto& [name, schema] : facts->properties) lines.push_back(cat("- `", name, "`: ", schema_line(schema)));
  if (!facts->attributes.empty())
    lines.insert(lines.end(),
                 {"", cat(facts->is_template ? "Outputs: " : "Attributes: ", join(facts->attributes, ", "))});
  return join(lines, "\n");
}

std::string about_parameter(const Entry& parameter) {
  std::vector<std::string> lines{
      cat("**", python_str(parameter.key), "**: parameter, ", member_text(parameter.value, "type"))};
  if (const std::string description = member_text(parameter.value, "description"); !description.empty())
    lines.insert(lines.end(), {"", description});
  const Value usual = member(parameter.value, "default");
  if (!usual.is_null()) lines.insert(lines.end(), {"", cat("Default: ", short_text(usual))});
  return join(lines, "\n");
}

std::string about_function(const std::string& name, std::string_view purpose) {
  return purpose.empty() ? "" : cat("**", name, "**: ", purpose);
}

class Choices {
 public:
  Choices(const CursorPlace& place, const Vocabulary& words) : place_(place), words_(words) {}

  void add(const Meaning& meaning) {
    switch (meaning.subject) {
      case Subject::section: return keys(section_names(words_.version()), true);
      case Subject::resource_keyword: return resource_keys();
      case Subject::output_keyword: return keys(output_keywords(words_.version()), false);
      case Subject::parameter_keyword: return keys(parameter_keywords(words_.version()), false);
      case Subject::constraint_keyword: return keys(constraint_keywords(), false);
      case Subject::version: return values(hot_version_names(), ChoiceKind::value);
      case Subject::parameter_type: return values(parameter_type_names(false), ChoiceKind::type);
      case Subject::type: return types();
      case Subject::policy: return values(deletion_policies(), ChoiceKind::value);
      case Subject::boolean: return values({"true", "false"}, ChoiceKind::value);
      case Subject::property: return properties(*meaning.table);
      case Subject::property_value: return property_values(*meaning.schema);
      case Subject::function: return functions(function_names(words_.version()));
      case Subject::condition_function: return functions(condition_function_names(words_.version()));
      case Subject::parameter: return parameters(true);
      case Subject::own_parameter: return parameters(false);
      case Subject::resource: return resources();
      case Subject::attribute: return values(words_.attributes_of(meaning.resource), ChoiceKind::property);
      case Subject::condition: return values(words_.names("conditions"), ChoiceKind::condition);
      case Subject::file: return values(words_.files().beside(words_.name()), ChoiceKind::file);
      case Subject::group: return values(agents_hooks(), ChoiceKind::value);
      case Subject::reference: return references(meaning.of_type);
    }
  }

  std::vector<Choice> made{};

 private:
  void values(const std::vector<std::string>& names, ChoiceKind kind) {
    for (const std::string& name : names) made.push_back({name, kind, "", name});
  }
  /// `opens`: something stands in lines below it.
  void key(const std::string& name, ChoiceKind kind, std::string detail, bool opens) {
    made.push_back({name, kind, std::move(detail), cat(name, opens && !place_.flow ? ":" : ": ")});
  }
  void keys(const std::vector<std::string>& names, bool sections) {
    for (const std::string& name : names) {
      if (sections && words_.has_section(name) && name != place_.word) continue;
      const bool opens = sections && name != "heat_template_version" && name != "description";
      key(name, ChoiceKind::keyword, "", opens || name == "constraints");
    }
  }
  void resource_keys() {
    for (const std::string& name : resource_keywords(words_.version()))
      key(name, ChoiceKind::keyword, "", name == "properties" || name == "metadata");
  }
  void types() {
    for (const std::string& name : words_.types()) {
      const bool file = name.ends_with(".yaml") || name.ends_with(".template");
      made.push_back({name, file ? ChoiceKind::file : ChoiceKind::type, "", name});
    }
  }
  void properties(const PropertyTable& table) {
    for (const auto& [name, schema] : table) {
      const bool opens = schema.type == DataType::map || schema.type == DataType::list;
      key(name, ChoiceKind::property, schema_line(schema), opens);
    }
  }
  void property_values(const PropertySchema& schema) {
    if (schema.type == DataType::boolean) values({"true", "false"}, ChoiceKind::value);
    for (const Constraint& constraint : schema.constraints) {
      for (const Value& allowed : constraint.allowed) {
        const std::string text = python_str(allowed);
        made.push_back({text, ChoiceKind::value, "", text});
      }
    }
  }
  void functions(const std::vector<std::string>& names) {
    for (const std::string& name : names) key(name, ChoiceKind::function, std::string(function_purpose(name)), false);
  }
  void parameters(bool pseudo) {
    for (const std::string& name : words_.names("parameters")) {
      const Entry* entry = words_.entry("parameters", name);
      made.push_back({name, ChoiceKind::variable, member_text(entry->value, "type"), name});
    }
    if (pseudo) values({"OS::stack_name", "OS::stack_id", "OS::project_id"}, ChoiceKind::variable);
  }
  void resources() {
    for (const std::string& name : words_.names("resources")) {
      const Entry* entry = words_.entry("resources", name);
      made.push_back({name, ChoiceKind::resource, member_text(entry->value, "type"), name});
    }
  }

  /// Resources of a kind, by the function that refers to one.
  void references(std::string_view of_type) {
    for (const std::string& name : words_.names("resources")) {
      std::string type = member_text(words_.entry("resources", name)->value, "type");
      if (!type.ends_with(of_type)) continue;
      made.push_back({name, ChoiceKind::resource, std::move(type), cat("{get_resource: ", name, "}")});
    }
  }

  const CursorPlace& place_;
  const Vocabulary& words_;
};

std::string about_meaning(const Meaning& meaning, const CursorPlace& place, const Vocabulary& words) {
  const std::string& word = place.word;
  switch (meaning.subject) {
    case Subject::type: return about_type(word, words.facts_of_type(word, std::string(place.path[1].key)));
    case Subject::property: {
      const PropertyTable& table = *meaning.table;
      const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == word; });
      return found == table.end() ? "" : about_property(word, found->second);
    }
    case Subject::function:
    case Subject::condition_function: return about_function(word, function_purpose(word));
    case Subject::parameter:
    case Subject::own_parameter: {
      const Entry* found = words.entry("parameters", word);
      return found == nullptr ? "" : about_parameter(*found);
    }
    case Subject::resource: {
      const Entry* found = words.entry("resources", word);
      if (found == nullptr) return "";
      return about_type(cat(word, ": ", member_text(found->value, "type")), words.facts_of(word));
    }
    default: return "";
  }
}

std::optional<Target> target_in(const Vocabulary& words, std::string_view section, const std::string& name) {
  const Entry* found = words.entry(section, name);
  return found == nullptr ? std::nullopt : std::optional(Target{.file = "", .mark = found->key.mark()});
}

/// The section that what is meant is defined in.
std::string_view section_of(Subject subject) {
  switch (subject) {
    case Subject::parameter:
    case Subject::own_parameter: return "parameters";
    case Subject::resource: return "resources";
    case Subject::condition: return "conditions";
    default: return "";
  }
}

std::optional<Target> target_of_meaning(const Meaning& meaning, const CursorPlace& place, const Vocabulary& words) {
  switch (meaning.subject) {
    case Subject::parameter:
    case Subject::own_parameter:
    case Subject::resource:
    case Subject::condition: return target_in(words, section_of(meaning.subject), place.word);
    case Subject::type: {
      const TypeFacts* facts = words.facts_of_type(place.word, std::string(place.path[1].key));
      if (facts == nullptr || !facts->is_template) return std::nullopt;
      return Target{.file = facts->name};
    }
    case Subject::file: {
      const std::string file = words.files().resolve(words.name(), place.word);
      return words.files().read(file) ? std::optional(Target{.file = file}) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::vector<Choice> choices_at(const CursorPlace& place, const Vocabulary& words) {
  Choices choices(place, words);
  for (const Meaning& meaning : Reading(place, words).meanings()) choices.add(meaning);
  return std::move(choices.made);
}

std::string about(const CursorPlace& place, const Vocabulary& words) {
  for (const Meaning& meaning : Reading(place, words).meanings()) {
    if (std::string text = about_meaning(meaning, place, words); !text.empty()) return text;
  }
  return "";
}

std::optional<Name> name_at(const CursorPlace& place, const Vocabulary& words) {
  const auto known = [&](std::string_view section) -> std::optional<Name> {
    if (section.empty() || words.entry(section, place.word) == nullptr) return std::nullopt;
    return Name{std::string(section), place.word};
  };
  if (place.role == CursorPlace::Role::key && place.path.size() == 1) {
    for (const char* section : {"parameters", "resources", "conditions"}) {
      if (place.path[0].key == section) return known(section);
    }
  }
  for (const Meaning& meaning : Reading(place, words).meanings()) {
    if (const auto found = known(section_of(meaning.subject))) return found;
  }
  return std::nullopt;
}

std::optional<Target> target_of(const CursorPlace& place, const Vocabulary& words) {
  for (const Meaning& meaning : Reading(place, words).meanings()) {
    if (std::optional<Target> target = target_of_meaning(meaning, place, words)) return target;
  }
  return std::nullopt;
}

}  // namespace hearth::metadata::lsp
