#include "metadata/environment/registry.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/type_names.hpp"

namespace hearth::metadata {

namespace {

constexpr int k_longest_chain = 100;

bool is_template(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".template"); }

bool is_glob(std::string_view name) { return name.ends_with("*"); }

void check_words(const Value& value, const std::vector<std::string>& allowed, const std::string& fault,
                 std::string_view what) {
  const std::vector<Value> words = value.is_list() ? value.items() : std::vector<Value>{value};
  for (const Value& word : words) {
    if (word.is_string() && std::find(allowed.begin(), allowed.end(), word.text()) != allowed.end()) continue;
    throw Fault(
        fault,
        cat("Invalid ", what, " \"", python_str(word), "\" for resource", what == "hook type" ? " breakpoint" : "",
            ", acceptable ", what == "hook type" ? "hook types" : "restricted_action types", " are: ('",
            join(allowed, "', '"), "')"),
        word.mark());
  }
}

Fault not_found(const std::string& type) {
  Fault fault("EntityNotFound", cat("The Resource Type (", type, ") could not be found."));
  return fault.suggest(type, builtin_type_names());
}

}  // namespace

Registry::Registry(const Value& entries) : entries_(entries) {
  std::vector<std::string> path;
  if (entries.is_map()) load(entries, path);
  for (const Entry& entry : entries.is_map() ? entries.entries() : std::vector<Entry>{}) {
    const std::string name = python_str(entry.key);
    if (name != "resources" && entry.value.is_map() && !entry.value.entries().empty())
      maps_.emplace_back(name, entry.key.mark());
  }
  index();
}

void Registry::index() {
  globs_.clear();
  for (const auto& [path, row] : rows_) {
    // Mapped to a template, a pattern is a type of that very name (for Heat, too).
    if (path.size() == 1 && is_glob(path[0]) && !is_template(row.value)) globs_.push_back(&row);
  }
}

void Registry::load(const Value& level, std::vector<std::string>& path) {
  static const std::vector<std::string> hooks{"pre-create",  "pre-update",  "pre-delete",
                                              "post-create", "post-update", "post-delete"};
  for (const Entry& entry : level.entries()) {
    path.push_back(python_str(entry.key));
    const std::string& name = path.back();
    if (path.size() > 8) throw validation_fault("the resource_registry is nested too deeply", entry.key.mark());
    if (name == "hooks" && !entry.value.is_null()) {
      check_words(entry.value, hooks, "InvalidBreakPointHook", "hook type");
    } else if (name == "restricted_actions" && !entry.value.is_null()) {
      check_words(entry.value, {"update", "replace"}, "InvalidRestrictedAction", "restricted_action");
    } else if (entry.value.is_map()) {
      load(entry.value, path);
    } else if (entry.value.is_null()) {
      for (auto row = rows_.begin(); row != rows_.end();) {
        const bool same_level =
            row->first.size() == path.size() && std::equal(path.begin(), path.end() - 1, row->first.begin());
        const bool named = row->first.back() == name ||
                           (is_glob(name) && row->first.back().rfind(name.substr(0, name.size() - 1), 0) == 0);
        row = same_level && named ? rows_.erase(row) : std::next(row);
      }
    } else {
      if (!entry.value.is_string() && !is_template(name)) {
        throw Fault("AttributeError",
                    cat("the resource_registry maps ", name, " to a ", type_name(entry.value),
                        ": give the name of a type or of a template"),
                    entry.value.mark());
      }
      rows_[path] = {path, python_str(entry.value), entry.value.mark()};
    }
    path.pop_back();
  }
}

/// Heat trips over these, and only when it looks a resource up by its name.
void Registry::check_names(const std::string& name) const {
  const auto kind = [](const Row& row) { return is_template(row.value) ? "Template" : "Map"; };
  const auto broken = [](const char* type, const std::string& text) {
    Fault fault(type, text);
    fault.hint(
        "In a resource_registry, resources is a map of names to maps of types; leave it out when there are none.");
    return fault;
  };
  const Value* resources = entries_.find("resources");
  if (resources != nullptr && resources->is_null()) throw broken("KeyError", "'resources'");
  if (const auto row = rows_.find({"resources"}); row != rows_.end())
    throw broken("AttributeError", cat("'", kind(row->second), "ResourceInfo' object has no attribute 'get'"));
  if (const auto row = rows_.find({"resources", name}); row != rows_.end())
    throw broken("TypeError", cat("argument of type '", kind(row->second), "ResourceInfo' is not iterable"));
}

/// Neither does Heat know what to do with a map in the place of a type; of patterns, whatever it looks up.
void Registry::check_maps(const std::string& type) const {
  for (const auto& [name, mark] : maps_) {
    if (name != type && !is_glob(name)) continue;
    Fault fault(name == type && is_template(type) ? "TypeError" : "AttributeError",
                cat("the resource_registry maps ", name, " to a map"), mark);
    fault.hint("Give the name of a type or of a template; what is for single resources goes below \"resources\".");
    throw fault;
  }
}

std::vector<const Registry::Row*> Registry::matching(const std::string& type, const std::string& name) const {
  if (!name.empty()) check_names(name);
  check_maps(type);
  std::vector<const Row*> found;
  const auto add = [&](const std::vector<std::string>& path) {
    const auto row = rows_.find(path);
    if (row != rows_.end()) found.push_back(&row->second);
  };
  if (!name.empty()) add({"resources", name, type});
  add({type});
  for (const Row* glob : globs_) {
    const std::string& pattern = glob->path[0];
    if (pattern != type && type != glob->value && type.rfind(pattern.substr(0, pattern.size() - 1), 0) == 0)
      found.push_back(glob);
  }
  std::sort(found.begin(), found.end(), [](const Row* a, const Row* b) {
    return a->path.size() != b->path.size() ? a->path.size() > b->path.size() : a->path < b->path;
  });
  return found;
}

Implementation Registry::find(const std::string& type, const std::string& name) const {
  return find_at_depth(type, name, 0);
}

Implementation Registry::find_at_depth(const std::string& type, const std::string& name, int depth) const {
  if (depth > k_longest_chain) {
    throw Fault("RecursionError", cat("the resource_registry maps ", type, " in a circle"));
  }
  for (const Row* row : matching(type, name)) {
    const bool behind = row->path.size() == 1 && !(row->path[0] < type);
    if (is_template(type) && behind) break;  // a template is its own implementation
    const std::string& own = row->path.back();
    if (is_template(own)) return {Implementation::Kind::nested, own, row->path, row->mark};
    if (is_template(row->value)) return {Implementation::Kind::nested, row->value, row->path, row->mark};
    try {
      std::string target = row->value;
      if (is_glob(own) && is_glob(target)) {
        target = target.substr(0, target.size() - 1) + type.substr(own.size() - 1);
      }
      return find_at_depth(target, name, depth + 1);
    } catch (const Fault& fault) {
      if (fault.type() != "EntityNotFound") throw;
    }
  }
  if (is_template(type)) return {Implementation::Kind::nested, type, {}, {}};
  if (is_builtin_type(type)) return {Implementation::Kind::builtin, type, {}, {}};
  throw not_found(type);
}

Registry Registry::for_child(const std::string& name, const Implementation& by) const {
  const bool narrows = rows_.lower_bound({"resources"}) != rows_.end();
  if (by.path.empty() && !narrows) return *this;
  Registry child;
  child.entries_ = entries_;
  child.maps_ = maps_;
  for (const auto& [path, row] : rows_) {
    if (path == by.path) continue;
    if (path[0] != "resources" || path.size() < 3) {
      child.rows_[path] = row;
    } else if (fnmatch(path[1].c_str(), name.c_str(), 0) == 0) {
      std::vector<std::string> inner{"resources"};
      inner.insert(inner.end(), path.begin() + 2, path.end());
      Row moved = row;
      moved.path = inner;
      child.rows_[inner] = std::move(moved);
    }
  }
  child.index();
  return child;
}

std::vector<std::pair<Mark, std::string>> Registry::surprises() const {
  std::vector<std::pair<Mark, std::string>> found;
  for (const auto& [path, row] : rows_) {
    if (path.size() == 1 && is_glob(path[0]) && is_template(row.value)) {
      found.emplace_back(row.mark, cat(path[0], " is never used: a pattern can't be mapped to a template"));
    }
    if (path.size() != 1 || is_glob(path[0])) continue;
    for (const Row* glob : globs_) {
      const std::string& pattern = glob->path[0];
      if (path[0].rfind(pattern.substr(0, pattern.size() - 1), 0) == 0 && glob->path < path && glob->value != path[0]) {
        found.emplace_back(row.mark, cat(path[0], " is never used: ", pattern, " sorts before it and wins"));
      }
    }
  }
  return found;
}

Value merge_registries(const std::vector<Value>& files) {
  MapBuilder merged;
  bool first = true;
  for (const Value& file : files) {
    if (!file.is_map() || file.entries().empty()) continue;
    for (const Entry& entry : file.entries()) {
      if (!entry.value.is_null() || first) merged.set(entry.key, entry.value);
    }
    first = false;
  }
  return Value::map(std::move(merged));
}

}  // namespace hearth::metadata
