#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/commands.hpp"
#include "builder/disk/layout/block_config.hpp"
#include "builder/yaml/yaml_merge.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_parameters = "DIB_BLOCK_DEVICE_PARAMS_YAML";
constexpr const char* k_symbols = "There are boot-label, mount-points, root-fstype and root-label.";

/// The layout that a build's parameters name.
DiskLayout layout_of(const fs::path& parameters) {
  const YAML::Node values = load_yaml(read_file(parameters.string()));
  const auto text = [&values](const char* key) {
    return values.IsMap() && values[key] && values[key].IsScalar() ? values[key].Scalar() : std::string();
  };
  const std::string config = text("config");
  if (config.empty()) throw Error(ErrorKind::input, cat(parameters.string(), " names no config"));
  LayoutDefaults defaults{.root_label = text("root-label")};
  if (const std::string type = text("root-fs-type"); !type.empty()) defaults.root_type = type;
  return parse_block_config(read_file(config), config, defaults).value_or_throw();
}

std::string value_of(const std::string& symbol, const DiskLayout& layout) {
  const DiskFileSystem* const root = layout.mounted_at("/");
  const DiskFileSystem* const boot = layout.mounted_at("/boot");
  if (symbol == "boot-label") return boot == nullptr ? "" : boot->label;
  if (symbol == "mount-points") {
    std::vector<std::string> points;
    for (const DiskFileSystem* const each : all_file_systems(layout)) {
      if (!each->mount_point.empty()) points.push_back(each->mount_point);
    }
    return join(points, " ");
  }
  if (symbol == "root-label" || symbol == "root-fstype") {
    if (root == nullptr) throw Error(ErrorKind::input, "the disk layout has no root: no file system is mounted at /");
    return symbol == "root-label" ? root->label : root->type;
  }
  if (symbol.starts_with("image-")) {
    throw Error(ErrorKind::unsupported, cat(symbol, ": there are no block devices, and no disk while hooks run"))
        .hint("Hooks that name IMAGE_BLOCK_DEVICE run against the disk when it is made.");
  }
  throw Error(ErrorKind::usage, cat("there is no symbol '", symbol, "'")).hint(k_symbols);
}

int run_block_device(const cli::Arguments& arguments) {
  const std::vector<std::string>& words = arguments.operands();
  const std::string parameters = arguments.value_or("params", variable(current_environment(), k_parameters));
  if (words.empty()) throw Error(ErrorKind::usage, "a command is missing: init or getval");
  const bool asks = words.front() == "getval";
  if (asks && words.size() != 2) {
    throw Error(ErrorKind::usage, cat("getval takes one symbol, not ", words.size() - 1)).hint(k_symbols);
  }
  if (!asks && words != std::vector<std::string>{"init"}) {
    throw Error(ErrorKind::unsupported, cat("'", join(words, " "), "': Hearth makes disks by itself, from the layout"))
        .hint("A build writes them for -t qcow2, raw and their like; hearth image layout draws one.");
  }
  if (parameters.empty()) throw Error(ErrorKind::usage, cat(k_parameters, " or --params is not set"));
  const DiskLayout layout = layout_of(parameters);
  if (asks) cli::print(cat(value_of(words.back(), layout), "\n"));
  return 0;
}

}  // namespace

cli::Command dib_block_device() {
  return {.words = "dib-block-device",
          .operands = "init | getval SYMBOL",
          .summary = "tell of a build's disk layout what diskimage-builder's hooks ask",
          .details = "init checks the layout, getval prints its boot-label, mount-points, root-fstype or root-label.",
          .options = {{"params", 0, "FILE", "the build's parameters (default: DIB_BLOCK_DEVICE_PARAMS_YAML)"}},
          .run = run_block_device};
}

}  // namespace hearth::builder
