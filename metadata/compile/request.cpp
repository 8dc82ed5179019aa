#include "metadata/compile/request.hpp"

#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/compile/files.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

std::vector<Entry> entries_of(const Value& map) { return map.is_map() ? map.entries() : std::vector<Entry>{}; }
std::vector<Value> list_items(const Value& list) { return list.is_list() ? list.items() : std::vector<Value>{}; }

Value merged(const Value& under, const Value& over) {
  MapBuilder members(entries_of(under));
  for (const Entry& entry : entries_of(over)) members.set(entry.key, entry.value);
  return Value::map(std::move(members));
}

void add_schemata(Schemata& all, const Template& source) {
  for (const ParameterSchema& parameter : source.parameters()) all[parameter.name] = parameter.type;
}

bool names_template(const std::string& file) { return has_suffix(file, ".yaml") || has_suffix(file, ".template"); }

/// A template that may be unused, and then may be wrong.
void add_schemata_of_file(StackModel& model, const std::string& file, Schemata& all) {
  try {
    add_schemata(all, *template_of(*model.tree, file));
  } catch (const Fault&) {  // reported where it is used
  }
}

void add_registry_schemata(StackModel& model, const Value& registry, Schemata& all, int depth) {
  if (depth > 8) return;
  for (const Entry& entry : entries_of(registry)) {
    if (entry.value.is_map()) add_registry_schemata(model, entry.value, all, depth + 1);
    if (!entry.value.is_string()) continue;
    const std::string file = model.files->resolve(model.sources.name(entry.value.mark().file), entry.value.text());
    if (names_template(file)) add_schemata_of_file(model, file, all);
  }
}

/// Defaults for templates deep in the tree are kept, too: those are not read before they are used.
void add_guessed_schemata(const Value& defaults, Schemata& all) {
  for (const Entry& entry : entries_of(defaults)) {
    const DataType guess = entry.value.is_list()  ? DataType::list
                           : entry.value.is_map() ? DataType::map
                                                  : DataType::string;
    all.emplace(python_str(entry.key), guess);
  }
}

constexpr std::size_t k_most_environments = 2000;

Environment environment_of(StackModel& model, const StackRequest& request, const Template& source) {
  std::vector<EnvironmentFile> files;
  std::vector<EnvironmentFile> each_once;
  std::map<std::string, std::size_t> known;
  if (request.environments.size() > k_most_environments)
    throw Fault("HTTPBadRequest", cat("more than ", k_most_environments, " environment files for one stack"));
  for (const std::string& name : request.environments) {
    const auto [place, is_new] = known.emplace(name, each_once.size());
    if (!is_new) {
      files.push_back(each_once[place->second]);
      continue;
    }
    const std::optional<std::string> text = model.files->read(name);
    if (!text) throw Fault("not_found", cat("there is no environment file ", name));
    const std::string mended = model.mend_text ? model.mend_text(name, *text, "the environment") : *text;
    files.push_back(read_environment(mended, name, model.sources, request.other_files.empty(), model.mend));
    each_once.push_back(files.back());
  }
  if (files.empty() && !request.environment.is_null()) {
    files.push_back({"environment", check_environment(request.environment)});
    each_once = files;
  }
  Schemata schemata;
  if (files.size() > 1) {
    for (const EnvironmentFile& file : each_once)
      add_registry_schemata(model, member(file.sections, "resource_registry"), schemata, 0);
    for (const std::string& name : request.other_files) add_schemata_of_file(model, name, schemata);
  }
  add_schemata(schemata, source);
  for (const EnvironmentFile& file : each_once) {
    if (request.other_files.empty()) add_guessed_schemata(member(file.sections, "parameter_defaults"), schemata);
  }
  const bool merges_into_given = request.environment_wins && request.parameters.is_map();
  return merge_environments(files, schemata, merges_into_given ? request.parameters : Value::map({}));
}

Value template_text(StackModel& model, const Value& text) {
  try {
    Value read = read_template_text(text.text(), "template", model.sources);
    for (const char* key : {"heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"}) {
      if (read.find(key) != nullptr) return read;
    }
    throw value_fault("Template format version not found.", read.mark());
  } catch (const Fault& fault) {
    throw Fault("HTTPBadRequest", cat("Template not in valid format: ", fault.text()), fault.mark()).advised_as(fault);
  }
}

Value template_in(StackModel& model, const Value& document) {
  if (document.is_map()) return document;
  if (document.is_string()) return template_text(model, document);
  throw Fault("HTTPBadRequest",
              document.is_null() ? "No template specified" : "The template is not a JSON object or YAML mapping.");
}

Value environment_in(StackModel& model, const Value& environment) {
  try {
    if (environment.is_string())
      return read_environment(environment.text(), "environment", model.sources, false).sections;
    return check_environment(environment);
  } catch (const Fault& fault) {
    throw Fault("HTTPBadRequest", cat("Environment not in valid format: ", fault.text()), fault.mark())
        .advised_as(fault);
  }
}

}  // namespace

void build_model(StackModel& model, const StackRequest& request) {
  model.tree = std::make_unique<Tree>(model.sources, *model.files);
  model.tree->settings = request.settings;
  model.tree->mend = model.mend;
  model.tree->mend_text = model.mend_text;
  model.tree->breathe = model.breathe;
  if (model.tree->settings.seed.empty()) model.tree->settings.seed = random_hex(32);
  TemplatePtr source = request.source;
  if (source == nullptr) {
    source = template_of(*model.tree, request.template_name);
  } else {
    if (!request.settings.checked_as_heat_does) source->check();
    model.tree->templates[request.template_name] = source;
  }
  model.tree->environment = environment_of(model, request, *source);
  const Value& environment = model.tree->environment.parameters;
  const Value given =
      request.environment_wins ? merged(request.parameters, environment) : merged(environment, request.parameters);
  model.root = std::make_unique<Stack>(*model.tree, source,
                                       StackIdentity{request.name, request.id, request.settings.project}, given);
  check_stack_name(request.name);
}

StackRequest request_from_body(StackModel& model, const Value& body) {
  StackRequest request;
  if (body.find("stack_name") == nullptr) throw Fault("HTTPBadRequest", "No stack name specified");
  const Value name = member(body, "stack_name");
  if (!name.is_string()) throw validation_fault(cat("Invalid stack name ", python_str(name), ", must be a string"));
  request.name = name.text();
  std::map<std::string, std::string> files;
  const Value given = member(body, "files");
  for (const Entry& entry : entries_of(given)) {
    files[python_str(entry.key)] = entry.value.is_string() ? entry.value.text() : json_text(entry.value);
    request.other_files.push_back(python_str(entry.key));
  }
  model.files = std::make_unique<MapFiles>(std::move(files));
  request.template_name = "template";
  const Value document = template_in(model, member(body, "template"));
  for (const Value& each : list_items(member(body, "environment_files")))
    request.environments.push_back(python_str(each));
  if (request.environments.empty()) request.environment = environment_in(model, member(body, "environment"));
  request.parameters = member(body, "parameters");
  request.environment_wins = !request.environments.empty();
  request.source = std::make_shared<const Template>(document, request.template_name);
  return request;
}

}  // namespace hearth::metadata
