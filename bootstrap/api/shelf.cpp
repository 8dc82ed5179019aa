#include "bootstrap/api/shelf.hpp"

#include <algorithm>
#include <cctype>

#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/api/patch.hpp"
#include "bootstrap/conductor/transition.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::size_t k_longest_text = 255;
constexpr std::size_t k_longest_class = 80;
/// Interfaces whose steps a deployment may have.
constexpr std::string_view k_interfaces = "power management deploy bios raid";

[[noreturn]] void refuse_value(const Shelf& shelf, std::string_view field, const Json& value, std::string_view form) {
  throw Refusal(400, cat("Schema error for ", to_lower(shelf.title), ": ", field, ": ",
                         format_json(value, {.lossy = true}), " is not ", form));
}

bool is_logical_name(const std::string& name) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
  };
  return !name.empty() && name.size() <= k_longest_text && std::all_of(name.begin(), name.end(), fits);
}

void check_step(const Shelf& shelf, const Json& step) {
  if (!step.is_object()) refuse_value(shelf, "steps", step, "an object");
  for (const auto& [key, value] : step.items()) {
    if (key != "interface" && key != "step" && key != "args" && key != "priority")
      throw Refusal(400, cat("Schema error for ", to_lower(shelf.title), ": a step has no ", key));
  }
  const std::vector<std::string> interfaces = split_words(k_interfaces);
  const Json priority = step.value("priority", Json());
  const bool is_number = (priority.is_number_integer() && priority >= 0) ||
                         (priority.is_string() && parse_number(priority.get<std::string>()));
  if (std::find(interfaces.begin(), interfaces.end(), text_in(step, "interface")) == interfaces.end())
    refuse_value(shelf, "interface", step.value("interface", Json()), cat("one of ", join(interfaces, ", ")));
  if (text_in(step, "step").empty()) refuse_value(shelf, "step", step.value("step", Json()), "a name");
  if (!step.value("args", Json()).is_object()) refuse_value(shelf, "args", step.value("args", Json()), "an object");
  if (!is_number) refuse_value(shelf, "priority", priority, "a number");
}

/// No step twice: its priority would be in doubt.
void check_steps(const Shelf& shelf, Json& steps) {
  if (!steps.is_array() || steps.empty()) refuse_value(shelf, "steps", steps, "a list of at least one step");
  std::vector<std::string> seen;
  for (Json& step : steps) {
    check_step(shelf, step);
    if (step["priority"].is_string()) step["priority"] = *parse_number(step["priority"].get<std::string>());
    const std::string key = cat("interface: ", text_in(step, "interface"), ", step: ", text_in(step, "step"));
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      throw Refusal(400, cat("Deploy template invalid: Duplicate deploy steps. A deploy template cannot have multiple "
                             "deploy steps with the same interface and step. Duplicates: ",
                             key, "."));
    }
    seen.push_back(key);
  }
}

void check_texts(const Shelf& shelf, std::string_view field, const Json& value, bool traits) {
  if (!value.is_array()) refuse_value(shelf, field, value, "a list");
  for (const Json& item : value) {
    if (!item.is_string()) refuse_value(shelf, field, item, "a text");
    if (traits) check_trait(item.get<std::string>());
  }
}

void check_text(const Shelf& shelf, const ShelfField& field, const Json& value) {
  if (!value.is_string()) refuse_value(shelf, field.name, value, "a text");
  const std::size_t longest = field.name == "resource_class" ? k_longest_class : k_longest_text;
  if (value.get<std::string>().size() > longest)
    throw Refusal(400, cat("Schema error for ", to_lower(shelf.title), ": ", field.name, " is too long"));
}

/// The value as it is kept; "True" and 1 are truths as well, as Ironic takes them.
Json checked_truth(const Shelf& shelf, std::string_view field, const Json& value) {
  if (value.is_boolean()) return value;
  const std::string text = to_lower(text_of(value));
  for (const char* yes : {"true", "1", "yes", "on", "t", "y"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "0", "no", "off", "f", "n"}) {
    if (text == no) return false;
  }
  refuse_value(shelf, field, value, "a boolean");
}

Json checked_uuid(std::string_view field, const Json& value) {
  const std::optional<std::string> uuid = parse_uuid(text_of(value));
  if (!uuid) throw Refusal(400, cat("Expected UUID for ", field, ": ", text_of(value)));
  return *uuid;
}

Json checked_value(const Shelf& shelf, const ShelfField& field, Json value) {
  if (value.is_null()) {
    if (field.initial.empty()) refuse_value(shelf, field.name, value, "a value");
    return json_or_null(field.initial);
  }
  switch (field.form) {
    case Form::text: check_text(shelf, field, value); break;
    case Form::name:
      if (!is_logical_name(text_of(value)))
        throw Refusal(400, cat("Cannot create ", to_lower(shelf.title), " with invalid name '", text_of(value), "'"));
      break;
    case Form::trait: check_trait(text_of(value)); break;
    case Form::object:
      if (!value.is_object()) refuse_value(shelf, field.name, value, "an object");
      break;
    case Form::truth: return checked_truth(shelf, field.name, value);
    case Form::whole:
      if (!value.is_number_integer()) refuse_value(shelf, field.name, value, "an integer");
      break;
    case Form::uuid: return checked_uuid(field.name, value);
    case Form::mac: return checked_mac(text_of(value));
    case Form::texts:
    case Form::traits: check_texts(shelf, field.name, value, field.form == Form::traits); break;
    case Form::steps: check_steps(shelf, value); break;
  }
  return value;
}

/// What belongs to machines, and what they are made of.
std::vector<Shelf> shelves_of_machines() {
  return {{"chassis",
           "chassis",
           "Chassis",
           "A chassis",
           1,
           "uuid,description",
           false,
           {{"uuid", Form::uuid, "null", false}, {"description", Form::text, "null"}, {"extra", Form::object, "{}"}},
           {}},
          {"portgroups",
           "portgroups",
           "Portgroup",
           "A portgroup",
           23,
           "uuid,address,name",
           true,
           {{"uuid", Form::uuid, "null", false},
            {"address", Form::mac, "null"},
            {"extra", Form::object, "{}"},
            {"mode", Form::text, "\"active-backup\""},
            {"name", Form::name, "null"},
            {"node_uuid", Form::uuid, ""},
            {"properties", Form::object, "{}"},
            {"standalone_ports_supported", Form::truth, "true"}},
           {{"name"}, {"address"}}},
          {"volume/connectors",
           "connectors",
           "Volume connector",
           "A volume connector",
           32,
           "uuid,node_uuid,type,connector_id",
           false,
           {{"uuid", Form::uuid, "null", false},
            {"connector_id", Form::text, ""},
            {"extra", Form::object, "{}"},
            {"node_uuid", Form::uuid, ""},
            {"type", Form::text, ""}},
           {{"type", "connector_id"}}},
          {"volume/targets",
           "targets",
           "Volume target",
           "A volume target",
           32,
           "uuid,node_uuid,volume_type,boot_index,volume_id",
           false,
           {{"uuid", Form::uuid, "null", false},
            {"boot_index", Form::whole, ""},
            {"extra", Form::object, "{}"},
            {"node_uuid", Form::uuid, ""},
            {"properties", Form::object, "{}"},
            {"volume_id", Form::text, ""},
            {"volume_type", Form::text, ""}},
           {{"node_uuid", "boot_index"}}}};
}

/// What people ask for.
std::vector<Shelf> shelves_of_wishes() {
  return {{"allocations",
           "allocations",
           "Allocation",
           "An allocation",
           52,
           "",
           true,
           {{"uuid", Form::uuid, "null", false},
            {"candidate_nodes", Form::texts, "[]", false},
            {"extra", Form::object, "{}"},
            {"name", Form::name, "null"},
            {"node", Form::text, "null", false},
            {"owner", Form::text, "null", false},
            {"resource_class", Form::text, "null", false},
            {"traits", Form::traits, "[]", false}},
           {{"name"}}},
          {"deploy_templates",
           "deploy_templates",
           "Deploy template",
           "A deploy template",
           55,
           "uuid,name",
           true,
           {{"uuid", Form::uuid, "null", false},
            {"extra", Form::object, "{}"},
            {"name", Form::trait, ""},
            {"steps", Form::steps, ""}},
           {{"name"}}}};
}

std::string unique_text(const Json& record, const std::vector<std::string_view>& fields) {
  const auto value = [&](std::string_view field) { return text_in(record, field); };
  if (fields.front() == "type") return cat("type ", value("type"), " and connector ID ", value("connector_id"));
  if (fields.front() == "node_uuid") return cat("boot index '", value("boot_index"), "' for the same node");
  return cat(fields.front() == "address" ? "MAC address" : fields.front(), " ", value(fields.front()));
}

}  // namespace

void check_trait(const std::string& trait) {
  const auto fits = [](unsigned char c) { return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_'; };
  if (trait.empty() || trait.size() > k_longest_text || !std::all_of(trait.begin(), trait.end(), fits)) {
    throw Refusal(400,
                  cat("A trait must be a valid standard trait or a custom trait (CUSTOM_[A-Z0-9_]+), not ", trait));
  }
}

const std::vector<Shelf>& shelves() {
  static const std::vector<Shelf> table = [] {
    std::vector<Shelf> all = shelves_of_machines();
    for (Shelf& shelf : shelves_of_wishes()) all.push_back(std::move(shelf));
    return all;
  }();
  return table;
}

const Shelf* shelf_at(std::string_view path) {
  const auto found =
      std::find_if(shelves().begin(), shelves().end(), [&](const Shelf& shelf) { return shelf.path == path; });
  return found == shelves().end() ? nullptr : &*found;
}

Json new_record(const Shelf& shelf, const Json& body) {
  if (!body.is_object()) throw Refusal(400, cat("Expected a JSON object for ", to_lower(shelf.title)));
  for (const auto& [key, value] : body.items()) {
    const bool known = std::any_of(shelf.fields.begin(), shelf.fields.end(),
                                   [name = key](const ShelfField& field) { return field.name == name; });
    if (!known) {
      throw Refusal(400, cat("Schema error for ", to_lower(shelf.title), ": Additional properties are not allowed ('",
                             key, "' was unexpected)"));
    }
  }
  Json record = Json::object();
  for (const ShelfField& field : shelf.fields) {
    const std::string key(field.name);
    if (!body.contains(key) && field.initial.empty())
      throw Refusal(400, cat("Schema error for ", to_lower(shelf.title), ": '", key, "' is a required property"));
    record[key] = checked_value(shelf, field, body.value(key, Json()));
  }
  if (record["uuid"].is_null()) record["uuid"] = random_uuid();
  return record;
}

Json patched_record(const Shelf& shelf, const Json& record, const Json& patch) {
  std::vector<std::string> changing;
  for (const ShelfField& field : shelf.fields) {
    if (field.changes) changing.emplace_back(field.name);
  }
  for (const Json& row : patch.is_array() ? patch : Json::array()) {
    const std::vector<std::string> parts = split(text_in(row, "path"), '/');
    const std::string first = parts.size() > 1 ? parts[1] : "";
    if (std::find(changing.begin(), changing.end(), first) == changing.end()) {
      throw Refusal(400, cat("Cannot patch ", text_in(row, "path"),
                             ". Only the following can be updated: ", join(changing, ", ")));
    }
  }
  const Json changed = patched_document(record, patch);
  Json result = record;
  for (const ShelfField& field : shelf.fields) {
    const std::string key(field.name);
    if (field.changes) result[key] = checked_value(shelf, field, changed.value(key, Json()));
  }
  return result;
}

void check_unique(const Shelf& shelf, const Json& record, const std::vector<Json>& others) {
  std::vector<std::vector<std::string_view>> sets = shelf.unique;
  sets.push_back({"uuid"});
  for (const Json& other : others) {
    for (const auto& fields : sets) {
      const auto shared = [&](std::string_view field) {
        return !record[std::string(field)].is_null() && other[std::string(field)] == record[std::string(field)];
      };
      if (!std::all_of(fields.begin(), fields.end(), shared)) continue;
      const std::string what =
          fields.front() == "uuid" ? cat("UUID ", text_in(record, "uuid")) : unique_text(record, fields);
      throw Refusal(409, cat(shelf.phrase, " with ", what, " already exists."));
    }
  }
}

Json shown_record(const Shelf& shelf, const Json& record, const View& view) {
  Json shown = Json::object();
  for (const auto& [key, value] : record.items()) {
    if (key != "node" && key != "created" && key != "updated") shown[key] = value;
  }
  for (const char* secrets : {"properties", "steps"}) {
    if (shown.contains(secrets)) shown[secrets] = masked(shown[secrets]);
  }
  const std::string place = cat(shelf.path, "/", text_in(record, "uuid"));
  if (shelf.path == "chassis") shown["nodes"] = links_to(view, cat(place, "/nodes"));
  if (shelf.path == "portgroups") shown["ports"] = links_to(view, cat(place, "/ports"));
  if (shelf.path == "portgroups") shown["internal_info"] = Json::object();
  if (shelf.path == "allocations" && view.minor < 60) shown.erase("owner");
  shown["created_at"] = stamp_json(record.value("created", Stamp{0}));
  shown["updated_at"] = stamp_json(record.value("updated", Stamp{0}));
  shown["links"] = links_to(view, place);
  return shown;
}

}  // namespace hearth::bootstrap
