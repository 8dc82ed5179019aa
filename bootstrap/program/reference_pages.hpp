// Pages of reference that are made of the program's own tables when somebody asks for one: drivers, keys of files,
// variables of elements. In Markdown, as the manual's pages are, whose site has them, too.
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap::program {

[[nodiscard]] std::vector<cli::Reference> reference_pages(const fs::path& executable);

/// The rows of a schema's keys, each with its path ("machines[].name"), what its value may be and what it is for.
struct SchemaKey {
  std::string path;
  std::string kind;
  std::string what;
  bool operator==(const SchemaKey&) const = default;
};
[[nodiscard]] std::vector<SchemaKey> keys_of_schema(const Json& schema);

}  // namespace hearth::bootstrap::program
