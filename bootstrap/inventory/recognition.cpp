#include "bootstrap/inventory/recognition.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Value;

/// A key that only nodes of one form have.
struct FormMark {
  std::string_view key;
  ListingFormat form;
};
constexpr std::array<FormMark, 10> k_marks = {{{"pm_type", ListingFormat::instackenv},
                                               {"mac", ListingFormat::instackenv},
                                               {"driver", ListingFormat::ironic},
                                               {"driver_info", ListingFormat::ironic},
                                               {"xname", ListingFormat::openchami},
                                               {"bmc_ip", ListingFormat::openchami},
                                               {"system_id", ListingFormat::maas},
                                               {"power_type", ListingFormat::maas},
                                               {"interface_set", ListingFormat::maas},
                                               {"apiVersion", ListingFormat::metal3}}};

/// Form → the key that tells it, the first of each.
using FormSigns = std::map<ListingFormat, std::string>;

void look_at_nodes(const Value& list, FormSigns& signs) {
  for (const Value& item : list.items()) {
    if (!item.is_map()) continue;
    for (const FormMark& mark : k_marks) {
      if (item.find(mark.key) != nullptr) signs.try_emplace(mark.form, mark.key);
    }
  }
  // Ironic's own may stand among others, and a MAC among MAAS' or OpenCHAMI's words says nothing.
  if (signs.size() > 1 && signs.contains(ListingFormat::instackenv)) {
    if (signs.contains(ListingFormat::ironic)) signs.erase(ListingFormat::ironic);
    if (signs[ListingFormat::instackenv] == "mac" && signs.size() > 1) signs.erase(ListingFormat::instackenv);
  }
}

bool all_members(const Value& map, auto fits) {
  return map.is_map() && !map.entries().empty() &&
         std::all_of(map.entries().begin(), map.entries().end(), [&](const Entry& e) { return fits(e.value); });
}

bool is_ansible_group(const Value& value) {
  if (!value.is_map() || value.entries().empty()) return false;
  return std::all_of(value.entries().begin(), value.entries().end(), [](const Entry& entry) {
    const std::string key = metadata::python_str(entry.key);
    return key == "hosts" || key == "children" || key == "vars";
  });
}

FormSigns signs_of(const Value& top) {
  FormSigns signs;
  if (top.is_list()) {
    look_at_nodes(top, signs);
    return signs;
  }
  if (!top.is_map()) return signs;
  const Value* machines = top.find("machines");
  const Value* nodes = top.find("nodes");
  if (machines != nullptr && machines->is_list()) {
    if (top.find("network") != nullptr) {
      signs[ListingFormat::site] = "network";
    } else {
      look_at_nodes(*machines, signs);
    }
  }
  if (nodes != nullptr && nodes->is_list()) {
    look_at_nodes(*nodes, signs);
    if (signs.empty()) signs[ListingFormat::instackenv] = "nodes";
  }
  if (nodes != nullptr && nodes->is_map()) signs[ListingFormat::warewulf] = "nodes";
  if (top.find("nodeprofiles") != nullptr) signs[ListingFormat::warewulf] = "nodeprofiles";
  if (const Value* bmcs = top.find("bmcs"); bmcs != nullptr && bmcs->is_list())
    signs[ListingFormat::openchami] = "bmcs";
  if (const Value* chassis = top.find("chassis"); chassis != nullptr && chassis->is_list())
    signs.try_emplace(ListingFormat::ironic, "chassis");
  if (top.find("_meta") != nullptr) signs[ListingFormat::ansible] = "_meta";
  if (!signs.empty()) return signs;
  if (all_members(top, [](const Value& v) { return v.is_map() && v.find("driver") != nullptr; }))
    signs[ListingFormat::bifrost] = "driver";
  if (all_members(top, is_ansible_group)) signs[ListingFormat::ansible] = metadata::python_str(top.entries()[0].key);
  return signs;
}

/// Kubernetes' objects: those that are machines tell the form.
FormSigns signs_of_objects(const std::vector<Value>& documents, std::vector<std::string>& kinds) {
  FormSigns signs;
  const auto look = [&](const Value& object) {
    const std::string kind = metadata::member_text(object, "kind");
    if (kind == "BareMetalHost") signs[ListingFormat::metal3] = kind;
    if (kind == "Hardware") signs[ListingFormat::tinkerbell] = kind;
    kinds.push_back(kind);
  };
  for (const Value& document : documents) {
    for (const Value* object : objects_in(document)) look(*object);
  }
  return signs;
}

std::string known_forms() {
  return "known are instackenv.json, a site file, Ironic's create file, bifrost's, Metal3's BareMetalHost, Ansible's "
         "and Kayobe's inventory, MAAS' machines, NetBox' devices, Warewulf's nodes.conf, Tinkerbell's hardware and "
         "OpenCHAMI's nodes";
}

std::string nothing_known(const Value& top) {
  if (!top.is_map()) return cat("this is no list of machines, and no object with one: ", known_forms());
  static const std::vector<std::string> expected = {"nodes", "machines", "bmcs", "chassis",   "nodeprofiles",
                                                    "_meta", "network",  "kind", "apiVersion"};
  std::vector<std::string> keys;
  for (const Entry& entry : top.entries()) keys.push_back(metadata::python_str(entry.key));
  for (const std::string& key : keys) {
    const std::optional<std::string> near = nearest(key, expected);
    if (near && *near != key)
      return cat("no form of inventory has \"", key, "\" at its top; do you mean \"", *near, "\"?");
  }
  if (keys.size() > 6) keys.resize(6);
  return cat("no form of inventory begins with ", keys.empty() ? "an empty object" : join(keys, ", "),
             "; expected is a list of nodes, or an object with the key \"nodes\" (", known_forms(), ")");
}

}  // namespace

std::string spreadsheet_kind(std::string_view bytes) {
  if (bytes.starts_with("\xd0\xcf\x11\xe0")) return "a spreadsheet of Excel (.xls)";
  if (!bytes.starts_with("PK\x03\x04")) return "";
  const std::string_view head = bytes.substr(0, 4096);  // the names of its first files
  const auto has = [&](std::string_view name) { return head.find(name) != std::string_view::npos; };
  if (has("application/vnd.oasis.opendocument")) return "a spreadsheet of LibreOffice (.ods)";
  return has("[Content_Types].xml") || has("xl/") ? "a spreadsheet of Excel (.xlsx)" : "a ZIP archive";
}

std::vector<const Value*> objects_in(const Value& document) {
  const Value* items = document.is_map() ? document.find("items") : &document;
  if (items == nullptr || !items->is_list()) return {&document};
  std::vector<const Value*> all;
  for (const Value& item : items->items()) all.push_back(&item);
  return all;
}

char separator_of(std::string_view first_line) {
  for (const char separator : {',', ';', '\t'}) {
    if (first_line.find(separator) != first_line.npos) return separator;
  }
  return ',';
}

ListingFormat syntax_of(std::string_view text) {
  for (const std::string& whole : split_lines(text)) {
    const std::string_view line = trim(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    const std::vector<std::string> words = split_words(line);
    if (line.front() == '{') return ListingFormat::json;
    if (line.front() == '[') {
      const bool section = line.back() == ']' && line.size() > 2 && line.find_first_of("\"{}, ") == line.npos;
      return section ? ListingFormat::ini : ListingFormat::json;
    }
    if (line == "---" || line.ends_with(":") || line.find(": ") != line.npos || line.starts_with("- "))
      return ListingFormat::yaml;
    const bool variables = words.size() > 1 && words[1].find('=') != std::string::npos;
    if (variables && words[0].find(',') == std::string::npos) return ListingFormat::ini;  // whose values have commas
    if (std::count(line.begin(), line.end(), separator_of(line)) >= 2) return ListingFormat::csv;
    return words.size() >= 5 && pxe::parse_mac(words.back()) ? ListingFormat::lines : ListingFormat::yaml;
  }
  return ListingFormat::yaml;
}

Result<ListingFormat> form_of(const std::vector<Value>& documents, std::string_view source,
                              const std::vector<Position>& places) {
  const Value top = documents.empty() ? Value() : documents.front();
  const Position at = places.empty() ? Position{1, 1} : places.front();
  const auto is_object = [](const Value& value) {
    return value.is_map() && value.find("apiVersion") != nullptr && value.find("kind") != nullptr;
  };
  const auto is_of_objects = [&](const Value& document) {
    return document.is_list() ? !document.items().empty() && std::ranges::all_of(document.items(), is_object)
                              : is_object(document);
  };
  const bool objects = !documents.empty() && std::ranges::all_of(documents, is_of_objects);
  std::vector<std::string> kinds;
  const FormSigns signs = objects ? signs_of_objects(documents, kinds) : signs_of(top);
  if (signs.size() > 1) {
    const auto& [first, first_key] = *signs.begin();
    const auto& [second, second_key] = *std::next(signs.begin());
    return ParseError{std::string(source), at,
                      cat("this may be two forms: ", name_of(first), " (by ", first_key, ") and ", name_of(second),
                          " (by ", second_key, "); say which: --format ", name_of(first))};
  }
  if (!objects && documents.size() > 1)
    return ParseError{std::string(source), places[1], "a second document: only Kubernetes' objects stand in several"};
  if (signs.size() == 1) return signs.begin()->first;
  if (objects) {
    const std::optional<std::string> near = nearest(kinds.front(), {"BareMetalHost", "Hardware"});
    return ParseError{std::string(source), at,
                      cat("there is no BareMetalHost and no Hardware among these objects, but ", kinds.front(),
                          near && *near != kinds.front() ? cat("; do you mean ", *near, "?") : "")};
  }
  return ParseError{std::string(source), at, nothing_known(top)};
}

std::string column_name(std::string_view written) {
  std::string name = to_lower(trim(written));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name == "out_of_band_ip" || name == "oob" ? "oob_ip" : name == "ipv4_address" ? "primary_ip4" : name;
}

ListingFormat form_of_table(const std::vector<std::string>& first_line) {
  if (pxe::parse_mac(trim(first_line.front()))) return ListingFormat::bifrost;
  const auto has = [&](std::string_view name) {
    return std::any_of(first_line.begin(), first_line.end(),
                       [&](const std::string& each) { return column_name(each) == name; });
  };
  // NetBox heads a custom field by its label, which may be our own name: its own columns tell, and where a BMC stands.
  const bool of_netbox = has("name") && !has("pm_addr") && (has("oob_ip") || has("device_type") || has("manufacturer"));
  if (of_netbox) return ListingFormat::netbox;
  if (has("pm_type") || has("pm_addr")) return ListingFormat::instackenv;
  if (has("hostname") && (has("mac") || has("bmc_ip"))) return ListingFormat::tinkerbell;
  const bool custom = std::any_of(first_line.begin(), first_line.end(),
                                  [](const std::string& each) { return column_name(each).starts_with("cf_"); });
  if (has("name") && (custom || has("device_type") || has("role") || has("site") || has("oob_ip") || has("type")))
    return ListingFormat::netbox;
  const bool headless = first_line.size() == 5 && pxe::parse_mac(trim(first_line.back()));
  return headless ? ListingFormat::instackenv : ListingFormat::any;
}

}  // namespace hearth::bootstrap
