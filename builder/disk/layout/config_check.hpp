// The checks of each plugin's settings, one function a plugin, used by block_config. They throw ConfigFailure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builder/disk/layout/config_graph.hpp"
#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

/// Settings that a plugin's map has, read by name; notes every key that nobody knows.
class Settings {
 public:
  Settings(const YAML::Node& data, std::string path) : data_(data), path_(std::move(path)) {}

  [[nodiscard]] bool has(const char* key) const { return data_[key].IsDefined(); }
  /// The setting's text, or `fallback` when it is missing or null.
  [[nodiscard]] std::string text(const char* key, const std::string& fallback = "") const;
  /// The setting's text; fails with `message` when it is missing.
  [[nodiscard]] std::string required(const char* key, const std::string& message) const;
  /// A size in bytes, or `fallback`.
  [[nodiscard]] std::uint64_t bytes(const char* key, std::uint64_t fallback) const;
  [[noreturn]] void fail(const std::string& message) const { fail_config(data_, path_, message); }
  [[noreturn]] void fail_at(const char* key, const std::string& message) const;
  [[nodiscard]] const YAML::Node& data() const { return data_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// "LINE:COLUMN: PATH: unknown key 'X'" for each key that is neither known nor a nested plugin.
  [[nodiscard]] std::vector<std::string> unknown_keys(const std::vector<std::string>& known) const;

 private:
  YAML::Node data_;
  std::string path_;
};

/// What mkfs makes; other types are warned of.
[[nodiscard]] const std::vector<std::string>& known_file_systems();

struct PartitionTableSettings {
  PartitionTable table = PartitionTable::none;
  std::uint64_t align = 1 << 20;
  std::vector<Partition> partitions;
};

/// A partition that is at fault is there by its name.
[[nodiscard]] PartitionTableSettings check_partitioning(const Settings& settings, std::vector<std::string>& warnings,
                                                        ConfigFaults& faults);
/// The longest label that a file system type can hold; nothing when there is no such limit known.
[[nodiscard]] std::optional<std::size_t> label_limit(const DiskFileSystem& file_system);
[[nodiscard]] DiskFileSystem check_mkfs(const ConfigNode& node, std::vector<std::string>& warnings);

/// The GUID of a GPT type as sgdisk writes it ("EF00", "8300", also a GUID); empty when it is not known.
[[nodiscard]] std::string gpt_type_guid(std::string code);
/// "EFI System" of such a GUID; empty when it is not known.
[[nodiscard]] std::string_view gpt_type_name(std::string_view guid);

}  // namespace hearth::builder
