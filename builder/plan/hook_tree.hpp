// The hook tree: the first-level directories of all elements of a build, merged into one (TMP_HOOKS_PATH upstream).
// A file of one name from two elements is an error, a directory is merged, a file at an element's top just overwrites.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "builder/elements/closure.hpp"

namespace hearth::builder {

/// Adds what was being done, and what to do where the elements' files are at fault, and not limits of this process.
Error& while_reading_elements(Error& error, std::string frame);

/// One entry of a merged directory, and the element that it comes from.
struct HookEntry {
  std::string element;
  fs::path path;
  bool is_directory = false;
  bool is_executable = false;
};

class HookTree {
 public:
  /// Throws Error(input) for a duplicated hook, naming both files.
  [[nodiscard]] static HookTree merge(const FileReader& files, const ElementSet& elements);

  /// Entries of one merged directory ("install.d"), by name.
  [[nodiscard]] const std::map<std::string, HookEntry>& directory(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, std::map<std::string, HookEntry>>& directories() const {
    return directories_;
  }

  /// Files at the elements' tops, of all elements in order.
  [[nodiscard]] const std::vector<fs::path>& top_files() const { return top_files_; }
  /// What stands for a merged path ("data/x"), the last one on top; empty when nothing does.
  [[nodiscard]] std::vector<fs::path> sources(const std::string& path) const;

  /// Names of the scripts that dib-run-parts would run in this directory, in order.
  [[nodiscard]] std::vector<std::string> scripts(const std::string& directory) const;
  /// Regular files that dib-run-parts passes over: not executable, or not named as it wants.
  [[nodiscard]] std::vector<std::string> ignored(const std::string& directory) const;

 private:
  void add_element(const FileReader& files, const Element& element);
  void add_directory(const FileReader& files, const Element& element, const std::string& name);
  std::map<std::string, std::map<std::string, HookEntry>> directories_;
  std::vector<fs::path> top_files_;  ///< in element order: a later one overwrites
};

}  // namespace hearth::builder
