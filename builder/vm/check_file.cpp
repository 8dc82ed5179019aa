#include "builder/vm/check_file.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/net/url.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder::vm {

namespace {

using builder::position_of;
using builder::yaml_text;
using builder::YamlFault;
using builder::YamlFaults;

/// Of goss, and why not here.
const std::map<std::string, const char*>& refused_types() {
  static const std::map<std::string, const char*> types = {
      {"addr", "the machine reaches nothing outside"},
      {"dns", "the machine reaches nothing outside"},
      {"interface", "its network is the test's, not the site's"},
      {"gossfile", "give each file with a --checks of its own"},
      {"matching", "it looks at no machine"},
  };
  return types;
}

const std::vector<Property>& page_properties() {
  static const std::vector<Property> properties = {{"status", Shape::number, "of the answer"},
                                                   {"body", Shape::patterns, "what is in it"}};
  return properties;
}

/// What each resource may have; none of them is a check.
const std::vector<Property>& common_properties() {
  static const std::vector<Property> properties = {{"title", Shape::text, "for people"},
                                                   {"meta", Shape::text, "for people: anything"},
                                                   {"skip", Shape::flag, "true: it is not asked, and told as skipped"}};
  return properties;
}

[[noreturn]] void refuse(const YAML::Node& at, const std::string& what) {
  throw YamlFault{position_of(at.Mark()), what};
}

std::string meant(const std::string& word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return near ? cat("; did you mean '", *near, "'?") : cat("; there are ", join(known, ", "));
}

std::vector<std::string> names_of(const std::vector<Property>& properties) {
  std::vector<std::string> names;
  for (const Property& property : properties) names.emplace_back(property.name);
  return names;
}

const Property* find(const std::vector<Property>& properties, const std::string& name) {
  const auto found =
      std::find_if(properties.begin(), properties.end(), [&](const Property& each) { return each.name == name; });
  return found == properties.end() ? nullptr : &*found;
}

std::string flag_text(const YAML::Node& node, const std::string& name) {
  std::string text = to_lower(yaml_text(node, name));
  if (text != "true" && text != "false") refuse(node, cat("'", name, "' is true or false, not '", text, "'"));
  return text;
}

void check_pattern(const YAML::Node& node, const std::string& pattern) {
  const std::string bare = pattern.starts_with("!") ? pattern.substr(1) : pattern;
  if (bare.empty()) refuse(node, "a pattern is words, /a regular expression/, or either behind a !");
  if (bare.size() < 2 || bare.front() != '/' || bare.back() != '/') return;
  try {
    static_cast<void>(Pattern(bare.substr(1, bare.size() - 2)));
  } catch (const Error& error) {
    refuse(node, error.what());
  }
}

std::vector<std::string> values_of(const YAML::Node& node, const Property& property) {
  const std::string name(property.name);
  if (property.shape == Shape::flag) return {flag_text(node, name)};
  if (property.shape == Shape::texts || property.shape == Shape::patterns) {
    std::vector<std::string> values;
    if (!node.IsSequence()) {
      const std::string item = node.IsScalar() && !node.Scalar().empty() ? node.Scalar() : "…";
      refuse(node, cat("'", name, "' is a list: ", name, ": [\"", item, "\"]"));
    }
    for (const YAML::Node& each : node) {
      values.push_back(yaml_text(each, name));
      if (property.shape == Shape::patterns) check_pattern(each, values.back());
    }
    return values;
  }
  std::string text = yaml_text(node, name);
  if (property.shape == Shape::number && !parse_number(text))
    refuse(node, cat("'", name, "' is a number, not '", text, "'"));
  if (property.refusal != nullptr)
    if (const std::string why = property.refusal(text); !why.empty()) refuse(node, cat("'", name, "' ", why));
  return {std::move(text)};
}

/// A line of the report is made of a name. Only what sh reads may have several lines; nobody reads beyond a NUL.
void check_name(const YAML::Node& node, const std::string& name, bool is_shell) {
  const bool bad = std::any_of(name.begin(), name.end(),
                               [&](unsigned char c) { return c == '\0' || (!is_shell && (c < 0x20 || c == 0x7f)); });
  if (bad) refuse(node, cat("there are no control characters in ", is_shell ? "what sh reads" : "a name"));
}

/// One line of what is expected of a resource; what is for people is left out.
void read_expectation(const YAML::Node& key, const YAML::Node& node, const std::vector<Property>& properties,
                      ResourceCheck& check) {
  const std::string name = key.Scalar();
  if (name == "title" || name == "meta") return;
  if (name == "skip") {
    check.skip = flag_text(node, name) == "true";
  } else if (const Property* const property = find(properties, name)) {
    std::vector<std::string> values = values_of(node, *property);
    for (const std::string& value : values) check_name(node, value, true);
    if (!values.empty()) check.expected.push_back({name, std::move(values)});
  } else {
    refuse(key, cat("there is no '", name, "' of a ", check.type, meant(name, names_of(properties))));
  }
}

ResourceCheck read_resource(const std::string& type, const YAML::Node& key, const YAML::Node& node,
                            const std::vector<Property>& properties, YamlFaults& faults) {
  ResourceCheck check{type, key.Scalar(), {}, false};
  if (!node.IsMap())
    refuse(key,
           cat(type, " ", check.name, ": what is expected of it is missing (", join(names_of(properties), ", "), ")"));
  for (const auto& pair : node) faults.gather([&] { read_expectation(pair.first, pair.second, properties, check); });
  return check;
}

HttpWish read_page(const YAML::Node& key, const YAML::Node& node, YamlFaults& faults) {
  const auto url = parse_url(key.Scalar());
  const bool is_page = faults.gather([&] {
    if (!url || url->scheme != "http" || (url->host != "localhost" && url->host != "127.0.0.1"))
      refuse(key,
             cat("'", key.Scalar(),
                 "' is not http://localhost[:PORT]/PATH: it is the machine that is asked, from outside, without TLS"));
  });
  const ResourceCheck read = read_resource("http", key, node, page_properties(), faults);
  if (!is_page) return {};
  HttpWish wish{.port = url->port == 0 ? std::uint16_t{80} : url->port,
                .path = url->target(),
                .words = "",
                .status = {},
                .body = {}};
  for (const Expectation& each : read.expected) {
    if (each.property == "body")
      wish.body = each.values;
    else
      wish.status = parse_number(each.values.front());
  }
  return wish;
}

/// One name below a type, with what is expected of it. `type` is nullptr for http.
void read_check(const YAML::Node& key, const YAML::Node& node, const ResourceType* type, CheckFile& file,
                YamlFaults& faults) {
  const std::string name(type == nullptr ? "http" : type->name);
  if (!key.IsScalar() || key.Scalar().empty()) refuse(key, cat("the name of a ", name, " is expected"));
  check_name(key, key.Scalar(), name == "command");
  if (type == nullptr) return file.pages.push_back(read_page(key, node, faults));
  if (type->refusal != nullptr) {
    const std::string why = type->refusal(key.Scalar());
    faults.gather([&] {
      if (!why.empty()) refuse(key, why);
    });
  }
  file.inside.push_back(read_resource(name, key, node, type->properties, faults));
}

void read_group(const YAML::Node& key, const YAML::Node& node, const std::vector<std::string>& known, CheckFile& file,
                YamlFaults& faults) {
  const std::string name = key.Scalar();
  if (const auto found = refused_types().find(name); found != refused_types().end())
    refuse(key, cat("'", name, "' is not asked of a machine under test: ", found->second));
  const auto type = std::find_if(resource_types().begin(), resource_types().end(),
                                 [&](const ResourceType& each) { return each.name == name; });
  if (name != "http" && type == resource_types().end())
    refuse(key, cat("there are no checks of type '", name, "'", meant(name, known)));
  if (!node.IsMap()) refuse(key, cat("'", name, "' is a mapping of names to what is expected of them"));
  for (const auto& pair : node) {
    faults.gather([&] { read_check(pair.first, pair.second, name == "http" ? nullptr : &*type, file, faults); });
  }
}

CheckFile read_checks(const YAML::Node& root, YamlFaults& faults) {
  std::vector<std::string> known = {"http"};
  for (const ResourceType& type : resource_types()) known.emplace_back(type.name);
  if (!root.IsMap() || root.size() == 0)
    throw YamlFault{position_of(root.Mark()), cat("types of checks are expected: ", join(known, ", "))};
  CheckFile file;
  for (const auto& group : root) faults.gather([&] { read_group(group.first, group.second, known, file, faults); });
  return file;
}

Json schema_of(const Property& property) {
  Json schema = {{"description", property.meaning}};
  switch (property.shape) {
    case Shape::flag: schema["enum"] = {true, false, "true", "false"}; break;
    case Shape::number:
      schema["type"] = {"integer", "string"};
      schema["pattern"] = "^[0-9]+$";
      if (property.most > 0) schema["maximum"] = property.most;
      break;
    case Shape::text: schema["type"] = {"string", "number", "boolean"}; break;
    case Shape::texts:
    case Shape::patterns:
      schema["type"] = "array";
      schema["items"] = {{"type", {"string", "number", "boolean"}}};
      break;
  }
  if (property.pattern != nullptr) schema["pattern"] = property.pattern;
  return schema;
}

Json schema_of(const char* named_by, const std::vector<Property>& properties, const char* name_pattern) {
  Json keys = Json::object();
  for (const Property& property : common_properties()) keys[std::string(property.name)] = schema_of(property);
  for (const char* free : {"title", "meta"}) keys[free].erase("type");  // nobody reads them
  for (const Property& property : properties) keys[std::string(property.name)] = schema_of(property);
  return {
      {"type", "object"},
      {"description", cat("Keys: ", named_by)},
      {"propertyNames", {{"pattern", name_pattern}}},
      {"additionalProperties", {{"type", "object"}, {"properties", std::move(keys)}, {"additionalProperties", false}}}};
}

constexpr const char* k_page_pattern = "^http://(localhost|127\\.0\\.0\\.1)(:[0-9]{1,5})?([/?#].*)?$";

}  // namespace

Result<CheckFile, builder::ParseFaults> parse_check_file(std::string_view text, std::string_view source) {
  return builder::read_all_yaml<CheckFile>(text, source, read_checks);
}

std::string check_file_schema() {
  Json types = {{"http", schema_of("http://localhost[:PORT]/PATH", page_properties(), k_page_pattern)}};
  for (const ResourceType& type : resource_types())
    types[std::string(type.name)] = schema_of(type.named_by, type.properties, type.name_pattern);
  return json_document({{"$schema", "http://json-schema.org/draft-07/schema#"},
                        {"title", "What must be true of a machine, as hearth image test --checks asks it"},
                        {"type", "object"},
                        {"minProperties", 1},
                        {"properties", std::move(types)},
                        {"additionalProperties", false}});
}

}  // namespace hearth::builder::vm
