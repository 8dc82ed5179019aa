// Elements for tests, written into any FileSystem: in memory, or in a temporary directory where real code reads them.
#pragma once

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/elements/closure.hpp"
#include "builder/plan/build_plan.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {

using Names = std::vector<std::string>;

class ElementTree {
 public:
  explicit ElementTree(FileSystem& files, fs::path root = "/elements") : files_(files), root_(std::move(root)) {
    files_.make_directories(root_, 0755);
  }

  /// An element; dependencies and provided names are separated by blanks.
  ElementTree& add(const std::string& name, const std::string& deps = "", const std::string& provides = "") {
    files_.make_directories(root_ / name, 0755);
    if (!deps.empty()) file(name, "element-deps", cat(join(split_words(deps), "\n"), "\n"));
    if (!provides.empty()) file(name, "element-provides", cat(join(split_words(provides), "\n"), "\n"));
    return *this;
  }

  ElementTree& file(const std::string& element, const std::string& path, const std::string& text,
                    std::uint32_t mode = 0644) {
    const fs::path target = root_ / element / path;
    files_.make_directories(target.parent_path(), 0755);
    files_.write(target, text, {.mode = mode});
    return *this;
  }

  ElementTree& hook(const std::string& element, const std::string& path, const std::string& text = "#!/bin/sh\n") {
    return file(element, path, text, 0755);
  }

  [[nodiscard]] Catalog catalog() const { return Catalog::scan(files_, {}, root_); }
  [[nodiscard]] ElementSet close(const Names& requested) const { return close_over_dependencies(catalog(), requested); }
  [[nodiscard]] BuildPlan plan(const Names& requested, bool extra_packages = false) const {
    return make_plan(files_, close(requested), extra_packages);
  }
  [[nodiscard]] fs::path path(const std::string& below) const { return root_ / below; }

 private:
  FileSystem& files_;
  fs::path root_;
};

/// What an Error thrown by `body` tells, with its hint; empty when none is thrown.
template <class Body>
[[nodiscard]] std::string story_of(const Body& body) {
  try {
    (void)body();
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

}  // namespace hearth::builder
