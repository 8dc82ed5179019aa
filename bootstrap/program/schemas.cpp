#include "bootstrap/program/schemas.hpp"

#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/entry_check.hpp"
#include "bootstrap/site/site_file.hpp"
#include "builder/disk/layout/config_graph.hpp"
#include "builder/packages/package_installs.hpp"
#include "builder/packages/package_map_check.hpp"
#include "builder/packages/service_map.hpp"
#include "builder/spec/image_description.hpp"
#include "builder/vm/check_file.hpp"
#include "metadata/environment/environment.hpp"

namespace hearth::bootstrap::program {

namespace {

constexpr auto k_schemas = std::to_array<Schema>({
    {"images", "images.yaml: images, as hearth image create reads them", builder::image_description_schema},
    {"package-installs", "package-installs.yaml of elements", builder::package_installs_schema},
    {"pkg-map", "pkg-map of elements (JSON)", builder::package_map_schema},
    {"svc-map", "svc-map of elements", builder::service_map_schema},
    {"block-device", "block-device-default.yaml of elements", builder::block_device_schema},
    {"checks", "what hearth image test --checks asks of a machine", builder::vm::check_file_schema},
    {"site", "site.yaml: a site", bootstrap::site_schema},
    {"inventory", "instackenv.json and other inventories", bootstrap::inventory_schema},
    {"environment", "environments of Heat templates (-e), as hearth deploy reads them", metadata::environment_schema},
});

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const Schema& row : k_schemas) names.emplace_back(row.name);
  return names;
}

int write_schemas(const fs::path& folder) {
  RealFileSystem files;
  files.make_directories(folder, 0755);
  for (const Schema& row : k_schemas) files.write(folder / cat(row.name, ".json"), row.text(), {});
  return 0;
}

int print_schema(const cli::Arguments& arguments) {
  const std::vector<std::string>& operands = arguments.operands();
  if (operands.size() > 1) throw Error(ErrorKind::usage, "name one schema, or none");
  if (const auto folder = arguments.value("write")) return write_schemas(*folder);
  for (const Schema& row : k_schemas) {
    if (operands.empty())
      cli::print(cat(row.name, std::string(18 - std::string(row.name).size(), ' '), row.files, "\n"));
    if (operands.empty() || operands.front() != row.name) continue;
    cli::print(row.text());
    return 0;
  }
  if (operands.empty()) return 0;
  Error error(ErrorKind::usage,
              cat("there is no schema ", operands.front(), "; there are ", join(schema_names(), ", ")));
  if (operands.front() == "template")
    error.hint(
        "Of templates the types tell what may stand where: hearth metadata validate, and hearth metadata lsp for "
        "editors.");
  if (const auto near = nearest(operands.front(), schema_names())) error.hint(cat("Did you mean ", *near, "?"));
  throw error;
}

}  // namespace

std::span<const Schema> schemas() { return k_schemas; }

std::vector<cli::Command> schema_commands() {
  return {{.words = "schema",
           .operands = "[NAME]",
           .summary = "JSON schemas of the files that people write, for editors",
           .details = "Without NAME it lists them. They are also installed, as share/hearth/schemas/NAME.json. "
                      "'hearth help editors' tells how an editor is told of them.",
           .options = {{"write", 0, "DIR", "all of them, as DIR/NAME.json"}},
           .run = print_schema,
           .group = "images",
           .names = schema_names}};
}

}  // namespace hearth::bootstrap::program
