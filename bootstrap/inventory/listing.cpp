#include "bootstrap/inventory/listing.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "bootstrap/inventory/ansible_inventory.hpp"
#include "bootstrap/inventory/entry_reader.hpp"
#include "bootstrap/inventory/foreign_forms.hpp"
#include "bootstrap/inventory/machine_forms.hpp"
#include "bootstrap/inventory/recognition.hpp"
#include "bootstrap/inventory/site_form.hpp"
#include "bootstrap/node/node.hpp"
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Value;
using ListingEntries = std::vector<ListingEntry>;

constexpr std::array<std::pair<std::string_view, ListingFormat>, 16> k_format_names = {{
    {"json", ListingFormat::json},
    {"yaml", ListingFormat::yaml},
    {"csv", ListingFormat::csv},
    {"txt", ListingFormat::lines},
    {"ini", ListingFormat::ini},
    {"instackenv", ListingFormat::instackenv},
    {"ironic", ListingFormat::ironic},
    {"bifrost", ListingFormat::bifrost},
    {"site", ListingFormat::site},
    {"metal3", ListingFormat::metal3},
    {"ansible", ListingFormat::ansible},
    {"maas", ListingFormat::maas},
    {"netbox", ListingFormat::netbox},
    {"warewulf", ListingFormat::warewulf},
    {"tinkerbell", ListingFormat::tinkerbell},
    {"openchami", ListingFormat::openchami},
}};

bool is_syntax(ListingFormat format) { return format > ListingFormat::any && format <= ListingFormat::ini; }

/// Of a file: its documents, each with what tells the places in it.
struct ListingDocuments {
  std::vector<Value> values;
  std::vector<EntryReader> readers;
  std::vector<Position> places;
};

/// Texts between lines of ---, with the number of lines above each. What stands behind a mark is its document's;
/// directives (%YAML) are not read.
std::vector<std::pair<std::string, int>> split_documents(std::string_view text) {
  std::vector<std::pair<std::string, int>> parts(1);
  bool fresh = true;
  int number = 0;
  for (std::string line : split_lines(text)) {
    const bool mark = line == "---" || line.starts_with("--- ");
    if (mark && !fresh) parts.emplace_back("", number);
    if (mark) {
      line.replace(0, 3, "   ");
      fresh = true;
    }
    ++number;
    if (line == "..." || (fresh && line.starts_with("%"))) line.clear();
    fresh = fresh && trim(line).empty();
    parts.back().first += cat(line, "\n");
  }
  return parts;
}

Result<ListingDocuments> read_documents(std::string_view text, std::string_view source, bool yaml) {
  ListingDocuments all;
  const auto add = [&](const Value& value, std::string_view part, int above) {
    all.values.push_back(value);
    all.readers.emplace_back(part, yaml, above);
    all.places.push_back(all.readers.back().position(value));
  };
  if (!yaml) {
    const Result<Value> top = metadata::parse_json_value(text, source);
    if (!top) return top.error();
    add(*top, text, 0);
    return all;
  }
  const std::vector<std::pair<std::string, int>> parts = split_documents(text);
  for (const auto& [part, above] : parts) {
    const Result<Value> top = metadata::parse_yaml(parts.size() == 1 ? text : std::string_view(part), source);
    if (!top) {
      ParseError error = top.error();
      if (error.at.line > 0) error.at.line += above;
      if (error.what.find("'!vault'") != std::string::npos) error.what = cat("the value ", k_vaulted);
      return error;
    }
    if (!top->is_null() || parts.size() == 1) add(*top, part, above);
  }
  return all;
}

ParseError wrong_shape(const ListingDocuments& documents, std::string_view source, ListingFormat form,
                       std::string_view expected) {
  return {std::string(source), documents.places.empty() ? Position{1, 1} : documents.places.front(),
          cat("as ", name_of(form), ", ", expected, " is expected")};
}

ListingEntries site_entries(const Value& top, EntryReader& reader) {
  ListingEntry defaults;
  if (const Value* bmc = top.find("bmc"); bmc != nullptr) {
    const ListingEntry given = reader.entry(*bmc);
    defaults.data["bmc"] = given.data;
    for (const auto& [path, at] : given.places) defaults.places[path.empty() ? "bmc" : cat("bmc.", path)] = at;
  }
  ListingEntries entries;
  for (const Value& item : top.find("machines")->items()) {
    entries.push_back(reader.entry(item));
    ListingEntry& entry = entries.back();
    if (entry.data.is_object() && !entry.data.contains("name")) entry.data["name"] = cat("node", entries.size());
    from_site_form(entry, defaults);
  }
  return entries;
}

/// Ironic's create file has nodes in chassis, too.
void add_ironic_nodes(const Value& holder, EntryReader& reader, ListingEntries& entries) {
  const Value* nodes = holder.is_list() ? &holder : holder.find("nodes");
  for (const Value& item : nodes != nullptr && nodes->is_list() ? nodes->items() : std::vector<Value>{}) {
    entries.push_back(reader.entry(item));
    if (item.is_map()) from_ironic_form(entries.back());
  }
  const Value* chassis = holder.is_map() ? holder.find("chassis") : nullptr;
  for (const Value& each : chassis != nullptr && chassis->is_list() ? chassis->items() : std::vector<Value>{}) {
    const std::size_t before = entries.size();
    if (each.is_map()) add_ironic_nodes(each, reader, entries);
    if (entries.size() > before) entries[before].left_out.insert("chassis");
  }
}

Result<ListingEntries> kubernetes_entries(ListingDocuments& documents, std::string_view source, ListingFormat form) {
  ListingEntries objects;
  for (std::size_t i = 0; i < documents.values.size(); ++i) {
    for (const Value* object : objects_in(documents.values[i])) objects.push_back(documents.readers[i].entry(*object));
  }
  const bool metal3 = form == ListingFormat::metal3;
  const char* machine = metal3 ? "BareMetalHost" : "Hardware";
  if (std::none_of(objects.begin(), objects.end(),
                   [&](const ListingEntry& object) { return text_member(object.data, "kind") == machine; }))
    return wrong_shape(documents, source, form, cat("an object of the kind ", machine));
  ListingEntries entries;
  const KubernetesObjects known(objects);
  std::set<std::string> nameless;
  for (const ListingEntry& object : objects) {
    const std::string kind = text_member(object.data, "kind");
    if (kind != machine) continue;
    const Json& spec = object_member(object.data, "spec");
    if (metal3 && spec.empty()) {  // what Metal3 has discovered, and nobody described yet
      nameless.insert(cat("host ", text_member(object_member(object.data, "metadata"), "name")));
      continue;
    }
    entries.push_back(object);
    metal3 ? from_metal3_form(entries.back(), known) : from_tinkerbell_form(entries.back(), known);
  }
  for (const ListingEntry& object : objects) {
    const std::string kind = text_member(object.data, "kind");
    const bool used =
        kind == "Secret" || kind == "BareMetalHost" || kind == "Hardware" || (kind == "Machine" && !metal3);
    if (!used) nameless.insert(cat("objects of the kind ", kind));
  }
  if (!entries.empty()) entries.front().left_out.merge(nameless);
  return entries;
}

constexpr int k_deepest_profile = 50;

/// A profile's values, with those of the profiles that it names below them; each counts once, where it is named first.
/// False where they name each other too deep.
bool lay_profiles(const Json& profiles, const Json& names, Json& out, std::set<std::string>& laid, int level) {
  if (level > k_deepest_profile) return false;
  for (const Json& each : names) {
    const std::string name = each.is_string() ? each.get<std::string>() : "";
    if (!laid.insert(name).second) continue;
    const Json& profile = object_member(profiles, name);
    if (!lay_profiles(profiles, list_member(profile, "profiles"), out, laid, level + 1)) return false;
    out.merge_patch(profile);
  }
  return true;
}

Result<ListingEntries> warewulf_entries(const ListingDocuments& documents, EntryReader& reader,
                                        std::string_view source) {
  const Value& top = documents.values.front();
  const Value* nodes = top.is_map() ? top.find("nodes") : nullptr;
  if (nodes == nullptr || !nodes->is_map())
    return wrong_shape(documents, source, ListingFormat::warewulf, "an object of nodes by name, \"nodes\",");
  const Value* profiles = top.find("nodeprofiles");
  const Json profile_data = profiles == nullptr ? Json::object() : reader.entry(*profiles).data;
  ListingEntries entries;
  for (const Entry& item : nodes->entries()) {
    entries.push_back(reader.entry(item.value));
    ListingEntry& entry = entries.back();
    entry.at = reader.position(item.key);
    Json merged = Json::object();
    std::set<std::string> laid;
    if (!lay_profiles(profile_data, list_member(entry.data, "profiles"), merged, laid, 0))
      entry.faults.emplace_back("profiles", cat("its profiles name each other more than ", k_deepest_profile, " deep"));
    merged.merge_patch(entry.data);
    entry.data = std::move(merged);
    from_warewulf_form(metadata::python_str(item.key), entry);
  }
  return entries;
}

Result<ListingEntries> ansible_entries(Result<std::vector<InventoryHost>> hosts, std::string_view source) {
  if (!hosts) return hosts.error();
  ListingEntries entries;
  std::set<std::string> others;
  for (InventoryHost& host : hosts.value()) {
    if (!is_managed_host(host.variables.data)) {
      others.insert(cat("host ", host.name));
      continue;
    }
    from_ansible_form(host.name, host.variables);
    entries.push_back(std::move(host.variables));
  }
  if (entries.empty()) {
    return ParseError{std::string(source),
                      {1, 1},
                      "no host of this inventory says how it is managed: ironic_driver, redfish_address or "
                      "ipmi_address is expected among its variables"};
  }
  entries.front().left_out.merge(others);
  return entries;
}

/// Items of a list that stands alone, or under one of these names.
const Value* listed_in(const Value& top, std::initializer_list<const char*> names) {
  if (top.is_list()) return &top;
  for (const char* name : names) {
    const Value* list = top.is_map() ? top.find(name) : nullptr;
    if (list != nullptr && list->is_list()) return list;
  }
  return nullptr;
}

Result<ListingEntries> listed_entries(ListingDocuments& documents, std::string_view source, ListingFormat form) {
  const Value& top = documents.values.front();
  EntryReader& reader = documents.readers.front();
  const Value* list = listed_in(top, {"nodes", "machines"});
  if (list == nullptr)
    return wrong_shape(documents, source, form, "a list of nodes, or an object with the key \"nodes\",");
  const Value* bmcs = top.is_map() ? top.find("bmcs") : nullptr;
  const Json bmc_data = bmcs == nullptr ? Json::array() : reader.entry(*bmcs).data;
  std::map<std::string, const Json*> bmcs_by_name;
  for (const Json& bmc : bmc_data) {
    for (const char* key : {"xname", "name"}) {
      if (const std::string name = text_in(bmc, key); !name.empty()) bmcs_by_name.try_emplace(name, &bmc);
    }
  }
  ListingEntries entries;
  for (const Value& item : list->items()) {
    entries.push_back(reader.entry(item));
    if (!item.is_map()) continue;
    if (form == ListingFormat::maas) from_maas_form(entries.back());
    if (form == ListingFormat::openchami) from_openchami_form(entries.back(), bmcs_by_name);
  }
  return entries;
}

Result<ListingEntries> bifrost_entries(ListingDocuments& documents, std::string_view source) {
  const Value& top = documents.values.front();
  if (!top.is_map()) return wrong_shape(documents, source, ListingFormat::bifrost, "an object of machines by name");
  ListingEntries entries;
  for (const Entry& item : top.entries()) {
    entries.push_back(documents.readers.front().entry(item.value));
    entries.back().at = documents.readers.front().position(item.key);
    if (item.value.is_map()) from_bifrost_form(metadata::python_str(item.key), entries.back());
  }
  return entries;
}

Result<ListingEntries> entries_of(ListingDocuments& documents, std::string_view source, ListingFormat form) {
  if (documents.values.empty()) return wrong_shape(documents, source, form, "a list of machines");
  const Value& top = documents.values.front();
  EntryReader& reader = documents.readers.front();
  switch (form) {
    case ListingFormat::site: {
      const Value* machines = top.is_map() ? top.find("machines") : nullptr;
      if (machines == nullptr || !machines->is_list())
        return wrong_shape(documents, source, form, "an object with the key \"machines\"");
      return site_entries(top, reader);
    }
    case ListingFormat::instackenv:
    case ListingFormat::ironic: {
      const bool chassis = top.is_map() && top.find("chassis") != nullptr;
      if (!chassis && listed_in(top, {"nodes"}) == nullptr)
        return wrong_shape(documents, source, form, "a list of nodes, or an object with the key \"nodes\",");
      ListingEntries entries;
      add_ironic_nodes(top, reader, entries);
      return entries;
    }
    case ListingFormat::metal3:
    case ListingFormat::tinkerbell: return kubernetes_entries(documents, source, form);
    case ListingFormat::warewulf: return warewulf_entries(documents, reader, source);
    case ListingFormat::ansible:
      if (!top.is_map()) return wrong_shape(documents, source, form, "an object of groups");
      return ansible_entries(ansible_hosts(top, reader, source), source);
    case ListingFormat::bifrost: return bifrost_entries(documents, source);
    default: return listed_entries(documents, source, form);
  }
}

}  // namespace

Position ListingEntry::place(const std::string& path) const {
  const auto found = places.find(path);
  return found == places.end() ? at : found->second;
}

std::optional<ListingFormat> format_of(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  const std::string end = dot == std::string_view::npos ? "" : to_lower(file_name.substr(dot + 1));
  if (end == "json") return ListingFormat::json;
  if (end == "yaml" || end == "yml") return ListingFormat::yaml;
  if (end == "csv") return ListingFormat::csv;
  if (end == "ini") return ListingFormat::ini;
  if (end == "txt" || end == "sh") return ListingFormat::lines;
  return std::nullopt;
}

std::optional<ListingFormat> format_named(std::string_view name) {
  for (const auto& [known, format] : k_format_names) {
    if (known == name) return format;
  }
  return std::nullopt;
}

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, format] : k_format_names) all.emplace_back(name);
    return all;
  }();
  return names;
}

std::string name_of(ListingFormat format) {
  for (const auto& [name, each] : k_format_names) {
    if (each == format) return std::string(name);
  }
  return "any";
}

Result<std::vector<ListingEntry>> read_listing(std::string_view text, std::string_view source, ListingFormat format) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // as spreadsheets write it
  if (const std::string kind = spreadsheet_kind(text); !kind.empty())
    return ParseError{std::string(source),
                      {1, 1},
                      cat("this is ", kind, ", not text: save its table as CSV (UTF-8), and import that file")};
  if (text.starts_with(k_vault_mark)) return ParseError{std::string(source), {1, 1}, cat("the file ", k_vaulted)};
  ListingFormat syntax = is_syntax(format) ? format : syntax_of(text);
  ListingFormat form = is_syntax(format) ? ListingFormat::any : format;
  if (form == ListingFormat::ansible && (syntax == ListingFormat::csv || syntax == ListingFormat::lines))
    syntax = ListingFormat::ini;
  if (syntax == ListingFormat::csv || form == ListingFormat::netbox) return read_csv_listing(text, source, form);
  if (syntax == ListingFormat::lines && form == ListingFormat::any) return read_enrol_lines(text, source);
  if (syntax == ListingFormat::ini) return ansible_entries(read_ansible_ini(text, source), source);
  Result<ListingDocuments> documents = read_documents(text, source, syntax != ListingFormat::json);
  if (!documents) return documents.error();
  if (form == ListingFormat::any) {
    const Result<ListingFormat> seen = form_of(documents->values, source, documents->places);
    if (!seen) return seen.error();
    form = *seen;
  }
  return entries_of(documents.value(), source, form);
}

}  // namespace hearth::bootstrap
