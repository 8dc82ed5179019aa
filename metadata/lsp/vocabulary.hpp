// What can be named in a template: its own parameters, resources, conditions, and what their types take and give.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metadata/environment/registry.hpp"
#include "metadata/graph/stack.hpp"
#include "metadata/language/version.hpp"
#include "metadata/resources/property_schema.hpp"

namespace hearth::metadata::lsp {

/// What stands behind a resource's type.
struct TypeFacts {
  std::string name;  ///< of the type, or the file of the template
  bool is_template = false;
  PropertyTable properties{};
  std::vector<std::string> attributes{};
  std::string description{};  ///< of a template
};

/// Types that environments map.
struct Registered {
  Sources sources{};  ///< of the marks in it
  Registry registry{};
};

class Vocabulary {
 public:
  /// `document`: as far as it can be read; null = nothing is known. `name` is its file's.
  Vocabulary(Value document, std::string name, FileSource& files, const Registered& registered);

  [[nodiscard]] Version version() const { return version_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] FileSource& files() const { return files_; }
  /// The entry of a section: "parameters", "resources", "conditions"; null when there is none.
  [[nodiscard]] const Entry* entry(std::string_view section, std::string_view wanted) const;
  [[nodiscard]] std::vector<std::string> names(std::string_view section) const;
  [[nodiscard]] bool has_section(std::string_view section) const { return document_.find(section) != nullptr; }

  /// Null for types that nobody knows.
  [[nodiscard]] const TypeFacts* facts_of_type(const std::string& type, const std::string& resource) const;
  [[nodiscard]] const TypeFacts* facts_of(const std::string& resource) const;
  /// What get_attr gives of a resource; of a deployment also what its configuration in the same template puts out.
  [[nodiscard]] std::vector<std::string> attributes_of(const std::string& resource) const;
  /// The types that are built in, those of the registry, and templates that lie beside.
  [[nodiscard]] std::vector<std::string> types() const;

 private:
  [[nodiscard]] std::optional<TypeFacts> find_facts(const std::string& type, const std::string& resource) const;
  [[nodiscard]] std::optional<TypeFacts> facts_of_template(const std::string& file) const;

  Value document_;
  std::string name_;
  FileSource& files_;
  const Registered& registered_;
  Version version_ = Version::v2021_04_16;
  mutable std::map<std::string, std::optional<TypeFacts>> known_;  ///< by type
};

/// The template files in the directory of `name`.
[[nodiscard]] std::vector<std::string> templates_beside(FileSource& files, const std::string& name);

}  // namespace hearth::metadata::lsp
