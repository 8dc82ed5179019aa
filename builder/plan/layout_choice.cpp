#include "builder/plan/layout_choice.hpp"

#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/disk/layout/block_config.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_given = "DIB_BLOCK_DEVICE_CONFIG";

std::optional<ConfigText> given_config(const Environment& env) {
  static constexpr std::string_view scheme = "file://";
  const std::string given = variable(env, k_given);
  if (given.empty()) return std::nullopt;
  if (given.compare(0, scheme.size(), scheme) != 0) {
    const bool is_path = given.find_first_of("\n:{[") == std::string::npos;
    if (is_path) {
      throw Error(ErrorKind::input, cat(k_given, " is '", given, "', which is no block-device configuration"))
          .hint(cat("A file is named by its URL: file://", fs::absolute(given).string()));
    }
    return ConfigText{given, k_given};
  }
  const std::string path = given.substr(scheme.size());
  return ConfigText{read_file(path), path};
}

/// That of the architecture goes before that of all.
std::optional<ConfigText> config_of(const FileReader& files, const Element& element, const ImageRequest& request) {
  const bool power = request.architecture == "ppc64le" || request.architecture == "ppc64el";
  const std::string own = cat("block-device-", power ? "ppc64el" : request.architecture, ".yaml");
  for (const std::string& name : {own, std::string("block-device-default.yaml")}) {
    const fs::path path = element.path / name;
    if (std::optional<std::string> text = files.read(path)) return ConfigText{std::move(*text), path.string()};
  }
  return std::nullopt;
}

}  // namespace

ConfigText layout_config(const FileReader& files, const ImageRequest& request, const BuildPlan& plan) {
  if (std::optional<ConfigText> given = given_config(request.environment)) return *given;
  for (const Element& element : plan.elements.elements) {
    if (std::optional<ConfigText> config = config_of(files, element, request)) return *config;
  }
  return {std::string(builtin_block_config()), "built-in layout"};
}

std::vector<Finding> idle_layouts(const FileReader& files, const ImageRequest& request, const BuildPlan& plan) {
  if (!variable(request.environment, k_given).empty()) return {};
  std::vector<Finding> found;
  const Element* taken = nullptr;
  for (const Element& element : plan.elements.elements) {
    const std::optional<ConfigText> config = config_of(files, element, request);
    if (!config) continue;
    if (taken == nullptr) {
      taken = &element;
      continue;
    }
    found.push_back({config->source, 0, Severity::warning, "layout",
                     cat("not used: the disk is made by the layout of the element ", taken->name,
                         ", which comes before it. For this one write block-device into the element-provides of ",
                         element.name, ", which keeps vm's default away, or leave out ", taken->name)});
  }
  return found;
}

}  // namespace hearth::builder
