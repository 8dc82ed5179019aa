// Checks of a whole element: its files, directories, names and data.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/catalog.hpp"
#include "builder/lint/package_lint.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Whose rules of style hold: those of Hearth's own tree, or none.
enum class Style { house, anyones };

class ElementLint {
 public:
  /// `catalog` is where dependencies are looked for; `disabled` holds for every file. Names of packages are looked up
  /// in `packages`, if it is given.
  ElementLint(const FileReader& files, const Catalog& catalog, Disabled disabled, PackageLint* packages = nullptr)
      : files_(files), catalog_(catalog), disabled_(std::move(disabled)), packages_(packages) {}

  /// In the order of files. Hooks that an element linted before has as well are found too.
  [[nodiscard]] std::vector<Finding> lint(const Element& element, Style style = Style::house);

 private:
  void check_readme(const Element& element);
  void check_places(const Element& element);
  void forgive_style();
  void check_dependencies(const Element& element);
  void check_sorting(const Element& element);
  void check_cycles(const Element& element);
  void check_files(const Element& element, const fs::path& below);
  void check_duplicates(const Element& element);
  void check_variables(const Element& element);
  void check_conditions(const Element& element);
  void add_unless_off(std::vector<Finding> findings);
  void find(const fs::path& file, int line, const std::string& check, std::string what,
            Severity severity = Severity::error);
  void add(Finding finding);

  const FileReader& files_;
  const Catalog& catalog_;
  Disabled disabled_;
  PackageLint* packages_;
  Disabled disabled_here_;  ///< disabled_, and what the element's README switches off
  std::vector<Finding> findings_;
  std::optional<std::set<std::string>> set_somewhere_;  ///< variables, by some environment.d of the catalog
  std::map<std::string, std::string> hook_owners_;      ///< "install.d/10-name" -> element
};

}  // namespace hearth::builder
