// Names of packages of one element, whatever image it is for, against the lists of the systems that it may be for, as
// far as this machine has such lists (package_lists.hpp). Of a system without lists nothing is said.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/catalog.hpp"
#include "builder/lint/package_lists.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

class PackageLint {
 public:
  PackageLint(const FileReader& files, const Catalog& catalog, const fs::path& cache, const std::string& architecture);

  /// Names of its package-installs and pkg-map that none of these systems has, with the nearest. Not of Hearth's own
  /// elements, nor where the element or one that it needs brings repositories.
  [[nodiscard]] std::vector<Finding> unknown(const Element& element);

  /// No system's lists are here: names are not looked up.
  [[nodiscard]] bool is_blind() const { return repositories_.empty(); }

 private:
  struct Repository {
    PackagedSystem system;
    std::vector<fs::path> lists;
    std::unordered_set<std::string> names = {};  ///< empty until somebody asks for one
  };
  struct Asked {
    fs::path file;
    int line = 0;
    std::string name;
    std::vector<Repository*> where;  ///< systems for which it is meant
  };
  /// Those that an image with the element may be.
  [[nodiscard]] std::vector<Repository*> repositories_for(const Element& element);
  [[nodiscard]] std::vector<Asked> asked_by_map(const fs::path& map, const std::vector<Repository*>& among) const;
  [[nodiscard]] std::vector<Asked> asked_by_lists(const Element& element, const std::vector<Repository*>& among) const;
  [[nodiscard]] bool has(Repository& repository, const std::string& name) const;

  const FileReader& files_;
  const Catalog& catalog_;
  const std::string architecture_;
  std::vector<Repository> repositories_;
};

}  // namespace hearth::builder
