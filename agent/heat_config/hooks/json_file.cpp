#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

Json run_json_file_hook(const Json& deployment, const HookWorld& world) {
  const Json* config = find_member(deployment, "config");
  if (config == nullptr || !config->is_object()) {
    throw Error(ErrorKind::input, "the config of a json-file deployment has to be an object: {\"/path\": value}");
  }
  for (const auto& [name, value] : config->items()) {
    const fs::path path(name);
    if (!path.is_absolute()) throw Error(ErrorKind::input, cat("'", name, "' is no absolute path"));
    world.files.make_directories(path.parent_path(), 0700);
    const std::optional<FileStatus> old = world.files.status(path);
    FileAttributes attributes{.mode = old ? old->mode : 0644U};
    if (old) attributes.uid = old->uid;
    if (old) attributes.gid = old->gid;
    world.files.write(path, python_json(value, {.indent = 4, .sort_keys = true}), attributes);
    world.log.info(cat("Wrote ", name));
  }
  return plain_answer("", "", 0);
}

}  // namespace hearth::agent
