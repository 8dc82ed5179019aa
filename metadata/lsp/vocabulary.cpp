#include "metadata/lsp/vocabulary.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/type_names.hpp"
#include "metadata/template/template.hpp"

namespace hearth::metadata::lsp {

namespace {

std::string text_of(const Value& value) { return value.is_string() ? value.text() : ""; }

}  // namespace

Vocabulary::Vocabulary(Value document, std::string name, FileSource& files, const Registered& registered)
    : document_(std::move(document)), name_(std::move(name)), files_(files), registered_(registered) {
  try {
    if (document_.is_map()) version_ = version_of(document_);
  } catch (const Fault&) {  // the newest: its names are the most likely
  }
}

const Entry* Vocabulary::entry(std::string_view section, std::string_view wanted) const {
  const Value* entries = document_.find(section);
  if (entries == nullptr || !entries->is_map()) return nullptr;
  for (const Entry& each : entries->entries()) {
    if (each.key.is_string() && each.key.text() == wanted) return &each;
  }
  return nullptr;
}

std::vector<std::string> Vocabulary::names(std::string_view section) const {
  std::vector<std::string> all;
  const Value* entries = document_.find(section);
  if (entries == nullptr || !entries->is_map()) return all;
  for (const Entry& each : entries->entries()) {
    if (each.key.is_string()) all.push_back(each.key.text());
  }
  return all;
}

std::optional<TypeFacts> Vocabulary::facts_of_template(const std::string& file) const {
  const std::optional<std::string> text = files_.read(file);
  if (!text) return std::nullopt;
  Sources sources;
  const Template source(read_template_text(*text, file, sources), file);
  TypeFacts facts{.name = file, .is_template = true, .description = source.description()};
  for (const ParameterSchema& parameter : source.parameters()) {
    PropertySchema schema{.type = parameter.type,
                          .default_value = parameter.default_value,
                          .required = parameter.default_value.is_null(),
                          .updatable = !parameter.immutable,
                          .constraints = parameter.constraints};
    facts.properties.emplace_back(parameter.name, std::move(schema));
  }
  for (const OutputDefinition& output : source.outputs()) facts.attributes.push_back(output.name);
  return facts;
}

std::optional<TypeFacts> Vocabulary::find_facts(const std::string& type, const std::string& resource) const {
  const Implementation found = registered_.registry.find(type, resource);
  if (found.kind == Implementation::Kind::nested) {
    // A type written in a template is relative to it; an entry of the registry to its environment.
    const std::string& from = found.path.empty() ? name_ : registered_.sources.name(found.mark.file);
    return facts_of_template(files_.resolve(from, found.name));
  }
  const ResourceType* table = find_resource_type(found.name);
  if (table == nullptr) return std::nullopt;
  return TypeFacts{.name = found.name, .properties = table->properties, .attributes = table->attributes};
}

const TypeFacts* Vocabulary::facts_of_type(const std::string& type, const std::string& resource) const {
  const auto [place, is_new] = known_.try_emplace(cat(resource, "\n", type));
  if (is_new) {
    try {
      place->second = find_facts(type, resource);
    } catch (const Error&) {  // what is wrong with it is told by the look
    }
  }
  return place->second ? &*place->second : nullptr;
}

const TypeFacts* Vocabulary::facts_of(const std::string& resource) const {
  const Entry* found = entry("resources", resource);
  const std::string type = found == nullptr ? "" : text_of(member(found->value, "type"));
  return type.empty() ? nullptr : facts_of_type(type, resource);
}

std::vector<std::string> Vocabulary::attributes_of(const std::string& resource) const {
  std::vector<std::string> all;
  if (const TypeFacts* facts = facts_of(resource)) all = facts->attributes;
  const Entry* found = entry("resources", resource);
  if (found == nullptr) return all;
  const std::string config = text_of(member(member(member(found->value, "properties"), "config"), "get_resource"));
  const Entry* configured = config.empty() ? nullptr : entry("resources", config);
  if (configured == nullptr) return all;
  const Value outputs = member(member(configured->value, "properties"), "outputs");
  for (const Value& output : outputs.is_list() ? outputs.items() : std::vector<Value>{}) {
    const std::string name = text_of(member(output, "name"));
    if (!name.empty()) all.push_back(name);
  }
  return all;
}

std::vector<std::string> templates_beside(FileSource& files, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& file : files.beside(name)) {
    const bool other = file != name.substr(name.rfind('/') + 1);
    if (other && (file.ends_with(".yaml") || file.ends_with(".template"))) found.push_back(file);
  }
  return found;
}

std::vector<std::string> Vocabulary::types() const {
  std::vector<std::string> all;
  const Value& mapped = registered_.registry.entries();
  for (const Entry& row : mapped.is_map() ? mapped.entries() : std::vector<Entry>{}) {
    if (row.key.is_string() && row.value.is_string() && !row.key.text().ends_with("*")) all.push_back(row.key.text());
  }
  for (const std::string& type : builtin_type_names()) {
    if (std::find(all.begin(), all.end(), type) == all.end()) all.push_back(type);
  }
  for (std::string& file : templates_beside(files_, name_)) all.push_back(std::move(file));
  return all;
}

}  // namespace hearth::metadata::lsp
