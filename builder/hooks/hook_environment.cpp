#include "builder/hooks/hook_environment.hpp"

#include <algorithm>

#include "base/redaction.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/packing/checksums.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_system_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr const char* k_lent_fetch_settings = "/tmp/in_target.d/.fetch/";
constexpr const char* k_games = "/usr/local/games:/usr/games";

/// The caller's own directories as he has them, and the system's in one order: root and users, sessions and services
/// have these in different ones, and what they build is the same.
std::string host_path(const Environment& env) {
  const std::string system = cat(k_system_path, ":", k_games);
  const std::vector<std::string> systems = split(system, ':');
  std::vector<std::string> path = {k_shims_directory.string()};
  bool has_system = false;
  for (const std::string& directory : split(variable(env, "PATH"), ':')) {
    const bool is_system = std::find(systems.begin(), systems.end(), directory) != systems.end();
    if (directory.empty() || (is_system && has_system)) continue;
    path.push_back(is_system ? system : directory);
    has_system = has_system || is_system;
  }
  if (!has_system) path.push_back(system);
  return join(path, ":");
}

/// All variables of the caller whose name starts with DIB_, as text that a shell can read back. Elements put it into
/// images, so there are no secrets in it, nor what only a replay's lock sets, which the build that was recorded was not
/// given.
std::string dib_variables(const ImageRequest& request) {
  std::string text;
  for (const auto& [name, value] : request.environment) {
    if (!name.starts_with("DIB_") || names_secret(name) || request.from_lock.count(name) > 0) continue;
    text += cat("declare -x ", name, "=", shell_quote(without_credentials(value)), "\n");
  }
  return text;
}

std::string elements_yaml(const ElementSet& elements) {
  std::string text;
  for (const Element& element : elements.elements) text += cat(element.name, ": ", element.path.string(), "\n");
  return text;
}

std::string element_array(const ElementSet& elements) {
  std::vector<std::string> items;
  for (const Element& element : elements.elements) {
    items.push_back(cat("[", element.name, "]=", shell_quote(element.path.string())));
  }
  return join(items, " ");
}

/// Elements of ours that the caller's path hides are not in the last entry: upstream's package-installs reads every
/// file of an element's name that it finds in the path.
std::string elements_path_text(const ImageRequest& request) {
  std::vector<std::string> entries;
  for (const fs::path& entry : request.elements_path) entries.push_back(entry.string());
  entries.push_back(k_elements_directory.string());
  for (const fs::path& entry : request.fallback_elements) entries.push_back(entry.string());
  return join(entries, ":");
}

/// Functions that bash hooks of the host may call, in the form in which bash imports them.
void add_functions(Environment& env, const ElementSet& elements) {
  env["BASH_FUNC_die%%"] = "() { echo \"ERROR: $*\" >&2; exit 1; }";
  env["BASH_FUNC_get_image_element_array%%"] = cat("() { echo ", shell_quote(element_array(elements)), "; }");
  env["BASH_FUNC__ps4%%"] = "() { printf '%-60s ' \"${BASH_SOURCE[1]}:${FUNCNAME[1]:-main}:${BASH_LINENO[0]}\"; }";
  env["PS4"] = "+ $(_ps4):   ";
}

/// The interpreter of upstream's Python hooks: the caller's, with the modules that they import from the builder.
void add_python(Environment& env) {
  const auto given = env.find("DIB_PYTHON_EXEC");
  if (given != env.end() && !given->second.empty()) env["HEARTH_PYTHON"] = given->second;
  env["DIB_PYTHON_EXEC"] = (k_shims_directory / "hearth-python").string();
}

/// DIB_CHECKSUM: "md5,sha256", or "0".
std::string checksum_names(const std::vector<HashKind>& kinds) {
  std::vector<std::string> names;
  for (const HashKind kind : kinds) names.push_back(checksum_extension(kind).substr(1));
  return names.empty() ? "0" : join(names, ",");
}

void add_disk(Environment& env, const DiskFacts& disk) {
  env["DIB_ROOT_LABEL"] = disk.root_label;
  env["DIB_ROOT_FSTYPE"] = disk.root_fs_type;
  env["DIB_BOOT_LABEL"] = disk.boot_label;
  env["DIB_MOUNTPOINTS"] = join(disk.mount_points, "|");
  env["DIB_BLOCK_DEVICE_PARAMS_YAML"] = (k_build_directory / "block-device/params.yaml").string();
}

}  // namespace

Environment hook_environment(const ImageRequest& request, const BuildPlan& plan, const Installation& installation,
                             const DiskFacts& disk) {
  Environment env = request.environment;
  // How a caller's bash runs is not how hooks run: by noexec each would end well and do nothing.
  for (const char* name : {"SHELLOPTS", "BASHOPTS"}) env.erase(name);
  env["DIB_ENV"] = dib_variables(request);
  env["DIB_ARGS"] = without_credentials(request.arguments_text);
  env["ARCH"] = request.architecture;
  env["DIB_CHECKSUM"] = checksum_names(request.checksums);
  env["DIB_DEBUG_TRACE"] = std::to_string(request.trace);
  env["DIB_IMAGE_CACHE"] = request.cache.string();
  env["DIB_LOCKFILES"] = request.lock_files.string();
  env["DIB_MIN_TMPFS"] = std::to_string(request.min_tmpfs_gib);
  env["DIB_NO_TMPFS"] = request.use_tmpfs ? "0" : "1";
  env["DIB_OFFLINE"] = request.offline ? "1" : "";
  add_disk(env, disk);
  env["ELEMENTS_PATH"] = elements_path_text(request);
  env["FS_TYPE"] = request.root_fs_type;
  env["IMAGE_ELEMENT"] = join(plan.elements.names(), " ");
  env["IMAGE_ELEMENT_YAML"] = elements_yaml(plan.elements);
  env["IMAGE_NAME"] = request.image_name;
  env["IMAGE_TYPE"] = "qcow2";
  env["LC_ALL"] = "C";
  env["OUT_IMAGE_PATH"] = "";
  env["TMP_BUILD_DIR"] = k_build_directory.string();
  env["TMP_HOOKS_PATH"] = (k_build_directory / "hooks").string();
  env["TMP_IMAGE_DIR"] = k_image_directory.string();
  env["TMP_MOUNT_PATH"] = k_target_root.string();
  env["TMPDIR"] = k_temporary_directory.string();
  env["TMP_DIR"] = k_temporary_directory.string();
  env["PATH"] = host_path(env);
  env["_LIB"] = k_library_directory.string();
  if (request.skip_base) env["SKIP_BASE"] = "1";
  env["HEARTH_AGENT_BINARY"] = installation.agent_binary.string();
  env["HEARTH_PROGRAM"] = installation.program.string();
  env["HEARTH_INPUTS"] = "/hearth/inputs";
  env["HEARTH_INSTALL_TYPE"] = request.install_type;
  add_python(env);
  add_functions(env, plan.elements);
  return env;
}

Environment target_environment(Environment env) {
  for (const char* name : {"TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PERL5LIB",
                           "BASH_FUNC_die%%", "BASH_FUNC_get_image_element_array%%", "BASH_FUNC__ps4%%", "PS4",
                           "HEARTH_AGENT_BINARY", "HEARTH_PROGRAM", "HEARTH_INPUTS"}) {
    env.erase(name);
  }
  // Files that the builder lends to hooks have another path in the target.
  const std::string lent = cat((k_build_directory / "hooks").string(), "/.fetch/");
  for (auto& [name, value] : env) {
    if (value.compare(0, lent.size(), lent) == 0) value = cat(k_lent_fetch_settings, value.substr(lent.size()));
  }
  if (const auto wget = env.extract("HEARTH_TARGET_WGETRC")) env["WGETRC"] = wget.mapped();
  env["PATH"] = k_system_path;
  if (const auto first = env.find("HEARTH_TARGET_PATH"); first != env.end()) {
    env["PATH"] = cat(first->second, ":", k_system_path);
    env.erase(first);
  }
  const bool has_settings = env.count("APT_CONFIG") > 0 && !env.at("APT_CONFIG").starts_with(k_lent_fetch_settings);
  if (const auto settings = env.extract(k_target_apt_settings); settings && !has_settings) {
    env["APT_CONFIG"] = settings.mapped();
  }
  env["HOME"] = "/root";
  env["USER"] = "root";
  env["LOGNAME"] = "root";
  env.emplace("SYSTEMD_OFFLINE", "1");  // as in a chroot: `systemctl restart` says that it is ignored, and is no fault
  return env;
}

Environment phase_environment(Environment environment, Phase phase, const fs::path& target) {
  const bool sees_target_root = phase == Phase::root || phase == Phase::cleanup;
  if (sees_target_root) environment["TARGET_ROOT"] = target.string();
  if (info(phase).place == Place::target) return target_environment(std::move(environment));
  environment.erase(k_target_apt_settings);
  return environment;
}

std::vector<std::string> environment_script(const std::string& hooks, const std::vector<std::string>& files) {
  static constexpr const char* script =
      "set -eu -o pipefail\n"
      "exec 4>&1 1>&2\n"
      "source_file() { echo \"Sourcing environment file $1\"; . \"$1\"; }\n"
      "for file in \"$@\"; do source_file \"$file\"; done\n"
      "exec env -0 >&4 4>&-\n";
  std::vector<std::string> argv = {"bash", "-c", script, "environment.d"};
  for (const std::string& file : files) argv.push_back(cat(hooks, "/environment.d/", file));
  return argv;
}

}  // namespace hearth::builder
