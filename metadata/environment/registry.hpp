// Which implementation a resource type has: the resource_registry of environments before the built-in types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

struct Implementation {
  enum class Kind { builtin, nested } kind = Kind::builtin;
  std::string name;  ///< the type, or the template's file
  std::vector<std::string>
      path;  ///< the registry entry that led to a template; empty when the type is its own template
  Mark mark{};
};

class Registry {
 public:
  Registry() = default;
  /// Throws InvalidBreakPointHook and other faults of wrong entries.
  explicit Registry(const Value& entries);

  /// What stands behind `type` for the resource `name`; throws EntityNotFound, RecursionError.
  [[nodiscard]] Implementation find(const std::string& type, const std::string& name) const;
  /// For the templates of a nested stack: without the entry that led there; `resources` narrowed to those of `name`.
  [[nodiscard]] Registry for_child(const std::string& name, const Implementation& by) const;
  /// Entries that do not mean what they seem to (a glob that wins over an exact name).
  [[nodiscard]] std::vector<std::pair<Mark, std::string>> surprises() const;
  [[nodiscard]] const Value& entries() const { return entries_; }

 private:
  struct Row {
    std::vector<std::string> path;
    std::string value;
    Mark mark;
  };
  void check_names(const std::string& name) const;
  void check_maps(const std::string& type) const;
  [[nodiscard]] std::vector<const Row*> matching(const std::string& type, const std::string& name) const;
  [[nodiscard]] Implementation find_at_depth(const std::string& type, const std::string& name, int depth) const;
  void load(const Value& level, std::vector<std::string>& path);
  void index();

  Value entries_;
  std::map<std::vector<std::string>, Row> rows_;
  std::vector<const Row*> globs_;
  std::vector<std::pair<std::string, Mark>> maps_;  ///< what stands for no type, and where
};

/// Merges as Heat does: top-level keys of later files replace those of earlier ones; null values are dropped.
[[nodiscard]] Value merge_registries(const std::vector<Value>& files);

}  // namespace hearth::metadata
