#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_check = "os-apply-config --key hiera.datafiles --type raw --key-default empty";

/// Data that the element of old keeps below the metadata key hiera; empty when there are none, or nothing to ask with.
std::string legacy_data(const HookWorld& world) {
  const std::vector<std::string> check = split_words(variable(world.env, "HEAT_HIERA_ELEMENT_CHECK_CMD", k_check));
  if (check.empty()) return "";
  try {
    const CommandResult result = world.runner.run({.argv = check, .env = world.env, .own_group = false});
    const std::string text(trim(result.out));
    return succeeded(result.status) && text != "empty" ? text : "";
  } catch (const Error& error) {
    world.log.debug(error.what());
    return "";
  }
}

std::string hiera_yaml(const Json& hierarchy, const std::string& datadir) {
  std::string text = cat("\n---\n:backends:\n  - json\n:json:\n  :datadir: ", datadir, "\n:hierarchy:\n");
  for (const Json& item : hierarchy) text += cat("  - ", value_text(&item), "\n");
  return text;
}

}  // namespace

Json run_hiera_hook(const Json& deployment, const HookWorld& world) {
  const std::string legacy = legacy_data(world);
  if (!legacy.empty()) {
    return plain_answer("",
                        cat("Legacy hieradata from os-apply-config has been detected - ", legacy,
                            ". Please update all of your interfaces to use the hiera hook before proceeding"),
                        1);
  }
  const Json* config = find_member(deployment, "config");
  if (config == nullptr || !config->is_object()) {
    throw Error(ErrorKind::input, "the config of a hiera deployment has to be an object");
  }
  const fs::path datadir = variable(world.env, "HEAT_PUPPET_HIERA_DATADIR", "/etc/puppet/hieradata");
  world.files.make_directories(datadir, 0700);
  if (const Json* hierarchy = find_member(*config, "hierarchy")) {
    const fs::path file = variable(world.env, "HEAT_HIERA_CONFIG", "/etc/puppet/hiera.yaml");
    world.files.make_directories(file.parent_path(), 0700);
    world.files.write(file, hiera_yaml(*hierarchy, datadir.string()), {.mode = 0600});
  }
  const Json* data = find_member(*config, "datafiles");
  if (data != nullptr && data->is_object()) {
    for (const auto& [name, value] : data->items()) {
      const GuestPath path(cat("/", name, ".json"));  // "../x" stays below the directory
      const fs::path file = path.in(datadir);
      world.files.make_directories(file.parent_path(), 0700);
      world.files.write(file, python_json(value, {.indent = 4, .sort_keys = true}), {.mode = 0600});
    }
  }
  return plain_answer("", "", 0);
}

}  // namespace hearth::agent
