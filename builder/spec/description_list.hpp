// The entries of lists of images before their values are read: whose name each has, and what it takes over from others
// ("extends: NAME") and from templates ("template: NAME"), which are no images themselves. For .cpp files only.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "builder/yaml/yaml_fault.hpp"

namespace hearth::builder {

inline constexpr const char* k_template_key = "template";
inline constexpr const char* k_extends_key = "extends";
inline constexpr const char* k_matrix_key = "matrix";

struct DescriptionEntry {
  YAML::Node node;  ///< a map
  std::string file;
  Position at;
  std::string name;  ///< its own, or that of the entry before it
  bool is_template = false;

  /// "images.yaml:3:3"
  [[nodiscard]] std::string place() const;
};

/// Faults of entries are kept in `faults`; others are thrown as YamlFault or YAML::Exception.
class DescriptionList {
 public:
  explicit DescriptionList(YamlFaults& faults) : faults_(faults) {}
  /// Throws for a text that is no list of images.
  void add(const std::string& file, const std::string& text);
  [[nodiscard]] const std::vector<DescriptionEntry>& entries() const { return entries_; }

  /// Keeps the faults of the names that the entry takes over from.
  void check_extended(const DescriptionEntry& entry) const;
  /// The entries whose values are the image's, its own last: lists grow, maps are updated, single values replaced.
  [[nodiscard]] std::vector<const DescriptionEntry*> parts_of(const DescriptionEntry& entry) const;
  /// Their matrix: variables of later parts stand for those of earlier ones. Not defined where none has one.
  [[nodiscard]] YAML::Node matrix_of(const std::vector<const DescriptionEntry*>& parts) const;

  /// What is read of from now on, for faults.
  void now_reading(const DescriptionEntry& entry) const { faults_.now_reading(entry.file); }

 private:
  void add_entry(const std::string& file, const YAML::Node& node);
  /// The same fault from whichever of its images it is found.
  void refuse_cycle(std::vector<std::string> names) const;
  void add_parts(const DescriptionEntry& entry, std::vector<std::string>& path,
                 std::vector<const DescriptionEntry*>& parts) const;
  [[nodiscard]] std::vector<const DescriptionEntry*> named(const std::string& name, const YAML::Node& at) const;

  std::vector<DescriptionEntry> entries_;
  YamlFaults& faults_;
};

}  // namespace hearth::builder
