// The block-device YAML's file form: a list of one-key maps, each a plugin with its settings, in which plugins may be
// nested ("tree form") or refer to each other by `base` ("graph form"), also mixed. This turns both into a flat list.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::builder {

/// One plugin's settings, with its name and base made explicit.
struct ConfigNode {
  std::string plugin;  ///< local_loop partitioning raid luks lvm mkfs mount fstab
  std::string name;
  std::string base;  ///< empty for local_loop, and for lvm and raid, whose bases are inside
  YAML::Node data;   ///< the plugin's own map; nested plugins are still in it
  std::string path;  ///< where in the YAML: "[0].local_loop.partitioning"
};

/// A failure inside the parser; parse_block_config() turns it into its Result.
struct ConfigFailure {
  ParseError error;
};

/// What is at fault, where the rest is read all the same.
struct ConfigFaults {
  std::vector<ParseError> all;

  /// False when `check` threw a ConfigFailure, which is kept.
  template <class Check>
  bool attempt(const Check& check) {
    try {
      check();
      return true;
    } catch (ConfigFailure& failure) {
      all.push_back(std::move(failure.error));
      return false;
    }
  }
};

[[nodiscard]] bool is_block_plugin(std::string_view name);

/// The keys of a plugin's settings, besides plugins nested in them; of the maps in its lists: "partitions", "pvs",
/// "vgs", "lvs".
[[nodiscard]] const std::vector<std::string>& keys_of_settings(std::string_view name);

/// What the file may have, for editors: a JSON schema.
[[nodiscard]] std::string block_device_schema();

/// Throws ConfigFailure placed at `node`, with the path inside the YAML in front of the text.
[[noreturn]] void fail_config(const YAML::Node& node, const std::string& path, const std::string& what);

/// The text of a scalar setting; throws ConfigFailure when it is a list or map.
[[nodiscard]] std::string config_text(const YAML::Node& node, const std::string& path);

/// Flattens; children come before their parents. Throws ConfigFailure. The partitions of a `partitioning` stay inside
/// its data. Alias cycles and documents nested deeper than 32 are refused.
[[nodiscard]] std::vector<ConfigNode> flatten_config(const YAML::Node& document);

}  // namespace hearth::builder
