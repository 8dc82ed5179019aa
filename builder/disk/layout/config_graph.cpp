#include "builder/disk/layout/config_graph.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/config_check.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

namespace {

constexpr std::array<std::string_view, 8> k_plugins = {"local_loop", "partitioning", "raid",  "luks",
                                                       "lvm",        "mkfs",         "mount", "fstab"};
constexpr int k_max_depth = 32;

void check_depth(const YAML::Node& node, int depth) {
  if (depth > k_max_depth) fail_config(node, "", "nested too deeply");
  if (node.IsSequence()) {
    for (const YAML::Node& member : node) check_depth(member, depth + 1);
  } else if (node.IsMap()) {
    std::set<std::string> keys;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) fail_config(entry.first, "", "a key must be plain text");
      if (!keys.insert(entry.first.Scalar()).second) {
        fail_config(entry.first, "", cat("key given twice: ", entry.first.Scalar()));
      }
      check_depth(entry.second, depth + 1);
    }
  }
}

class Flattener {
 public:
  /// A plugin's map, below the node called `parent` (empty at the top level).
  void add(const std::string& plugin, const YAML::Node& data, const std::string& parent, const std::string& path) {
    if (!data.IsMap()) fail_config(data, path, "its settings must be a map");
    ConfigNode node{.plugin = plugin, .name = "", .base = parent, .data = data, .path = path};
    // The bases of raid, and of lvm's parts, are lists, which volume_check reads; what lvm itself has is for its name.
    const YAML::Node base = data["base"];
    const bool of_many = plugin == "raid" || (plugin == "lvm" && base && !base.IsScalar());
    if (base && !of_many) node.base = config_text(base, cat(path, ".base"));
    node.name = name_of(node);
    add_children(data, node.name, path);
    if (plugin == "partitioning") add_partition_children(node);
    nodes_.push_back(std::move(node));
  }

  [[nodiscard]] std::vector<ConfigNode> take() { return std::move(nodes_); }

 private:
  static std::string name_of(const ConfigNode& node) {
    const YAML::Node name = node.data["name"];
    if (name) return config_text(name, cat(node.path, ".name"));
    if (node.plugin == "partitioning" && node.base.empty()) {
      fail_config(node.data, node.path, "Partitioning config needs 'base'");
    }
    if (node.plugin == "raid") fail_config(node.data, node.path, "Raid config requires 'name'");
    if (node.base.empty())
      fail_config(node.data, node.path, cat(node.plugin, " needs 'name', or a 'base' to make it from"));
    return cat(node.plugin, "_", node.base);
  }

  void add_children(const YAML::Node& data, const std::string& parent, const std::string& path) {
    for (const auto& entry : data) {
      const std::string key = entry.first.Scalar();
      if (is_block_plugin(key)) add(key, entry.second, parent, cat(path, ".", key));
    }
  }

  void add_partition_children(const ConfigNode& node) {
    const YAML::Node partitions = node.data["partitions"];
    if (!partitions || !partitions.IsSequence()) return;  // block_config says what is wrong
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      const YAML::Node partition = partitions[i];
      const std::string path = cat(node.path, ".partitions[", i, "]");
      if (!partition.IsMap() || !partition["name"]) continue;
      add_children(partition, config_text(partition["name"], cat(path, ".name")), path);
    }
  }

  std::vector<ConfigNode> nodes_;
};

std::string shown(const YAML::Node& item) {
  YAML::Emitter emitter;
  emitter << YAML::Flow << item;
  return std::string(emitter.c_str()).substr(0, 200);
}

}  // namespace

const std::vector<std::string>& keys_of_settings(std::string_view name) {
  static const std::map<std::string_view, std::vector<std::string>> all = {
      {"local_loop", {"name", "size", "directory", "block_size"}},
      {"partitioning", {"base", "name", "label", "align", "partitions"}},
      {"partitions", {"name", "size", "type", "flags", "base", "start", "attributes", "uuid"}},
      {"raid", {"base", "name", "level", "metadata", "uuid", "options"}},
      {"luks", {"base", "name", "type", "key_file", "image_key_file", "crypttab", "uuid", "options"}},
      {"lvm", {"base", "name", "pvs", "vgs", "lvs"}},
      {"pvs", {"name", "base", "options"}},
      {"vgs", {"name", "base", "options"}},
      {"lvs", {"name", "base", "size", "extents", "options", "type", "thin-pool"}},
      {"mkfs", {"base", "name", "type", "label", "opts", "uuid"}},
      {"mount", {"base", "name", "mount_point"}},
      {"fstab", {"base", "name", "options", "dump-freq", "fsck-passno"}}};
  return all.at(name);
}

namespace {

/// Keys whose values are maps of their own kind, in a list.
bool is_list_of_maps(std::string_view key) {
  return key == "partitions" || key == "pvs" || key == "vgs" || key == "lvs";
}

/// What a key of the settings called `name` takes: as Settings and words_of() read it.
Json value_schema(std::string_view name, std::string_view key) {
  const auto is_one_of = [](std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const bool is_passed_over = key == "directory" || (key == "base" && is_one_of(name, {"lvm", "partitions"}));
  if (is_passed_over) return Json::object();
  const Json text = {{"type", {"string", "number", "boolean"}}};
  const Json texts = {{"type", "array"}, {"items", text}};
  if (is_one_of(key, {"flags", "attributes"})) return {{"type", {"array", "null"}}, {"items", text}};
  const bool has_words = key == "options" ? name != "fstab" : key == "base" && is_one_of(name, {"raid", "vgs"});
  if (has_words) return {{"anyOf", {text, {{"type", "null"}}, texts}}};
  const bool must_be_said = is_one_of(key, {"name", "base", "size", "start", "align", "block_size", "mount_point"});
  return must_be_said ? text : Json{{"type", {"string", "number", "boolean", "null"}}};
}

/// Settings of this name: its keys, and the plugins that may be nested in them.
Json settings_schema(std::string_view name, bool nests) {
  const auto refer = [](std::string_view to) { return Json{{"$ref", cat("#/definitions/", to)}}; };
  Json properties = Json::object();
  for (const std::string& key : keys_of_settings(name)) {
    properties[key] = is_list_of_maps(key) ? Json{{"type", "array"}, {"items", refer(key)}} : value_schema(name, key);
  }
  for (const std::string_view plugin : k_plugins) {
    if (nests) properties[std::string(plugin)] = refer(plugin);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace

std::string block_device_schema() {
  Json definitions = Json::object();
  Json plugins = Json::object();
  for (const std::string_view plugin : k_plugins) {
    definitions[std::string(plugin)] = settings_schema(plugin, true);
    plugins[std::string(plugin)] = {{"$ref", cat("#/definitions/", plugin)}};
  }
  for (const char* part : {"partitions", "pvs", "vgs", "lvs"}) definitions[part] = settings_schema(part, true);
  definitions["partitions"]["required"] = {"name", "size"};
  definitions["partitioning"]["required"] = {"label", "partitions"};
  definitions["mount"]["required"] = {"mount_point"};
  definitions["mkfs"]["properties"]["type"] = {{"enum", known_file_systems()}};
  definitions["partitioning"]["properties"]["label"] = {{"enum", {"gpt", "mbr"}}};
  const Json plugin = {{"type", "object"},
                       {"minProperties", 1},
                       {"maxProperties", 1},
                       {"properties", std::move(plugins)},
                       {"additionalProperties", false}};
  return json_document({{"$schema", "http://json-schema.org/draft-07/schema#"},
                        {"title", "The disk of an image: block-device-default.yaml"},
                        {"type", "array"},
                        {"items", plugin},
                        {"definitions", std::move(definitions)}});
}

bool is_block_plugin(std::string_view name) {
  return std::find(k_plugins.begin(), k_plugins.end(), name) != k_plugins.end();
}

void fail_config(const YAML::Node& node, const std::string& path, const std::string& what) {
  ParseError error;
  if (!node.Mark().is_null()) error.at = {node.Mark().line + 1, node.Mark().column + 1};
  error.what = path.empty() ? what : cat(path, ": ", what);
  throw ConfigFailure{error};
}

std::string config_text(const YAML::Node& node, const std::string& path) {
  if (!node.IsScalar()) fail_config(node, path, "must be plain text or a number");
  return node.Scalar();
}

std::vector<ConfigNode> flatten_config(const YAML::Node& document) {
  check_depth(document, 0);
  if (!document.IsSequence()) fail_config(document, "", "the block-device configuration must be a list");
  Flattener flattener;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const YAML::Node item = document[i];
    const std::string path = cat("[", i, "]");
    if (!item.IsMap()) fail_config(item, path, cat("Config entry not a dict: ", shown(item)));
    const std::string plugin = item.size() == 0 ? "" : item.begin()->first.Scalar();
    const bool is_shallow = item.size() > 1 && is_block_plugin(plugin) && item.begin()->second.IsNull();
    if (item.size() != 1) {
      fail_config(item, path,
                  cat("Config entry top-level should be a single dict: ", shown(item),
                      is_shallow ? cat("; what belongs to ", plugin, " stands two blanks further right than it") : ""));
    }
    if (!is_block_plugin(plugin)) {
      fail_config(item, path,
                  cat("Config entry is not a plugin value: ", plugin,
                      did_you_mean(plugin, {k_plugins.begin(), k_plugins.end()})));
    }
    flattener.add(plugin, item.begin()->second, "", cat(path, ".", plugin));
  }
  return flattener.take();
}

}  // namespace hearth::builder
