#include "builder/guestfs/appliance_settings.hpp"

#include "base/sys/file.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/vm/kvm_probe.hpp"

namespace hearth::builder {

fs::path appliance_directory(const Environment& env, const fs::path& cache) {
  const std::string given = variable(env, "LIBGUESTFS_CACHEDIR");
  return given.empty() ? cache / "appliance" : fs::path(given) / "hearth-appliance";
}

ApplianceSettings appliance_settings(const Environment& env, const fs::path& cache, const fs::path& scratch,
                                     const Clock& clock) {
  ApplianceSettings settings{.cache = appliance_directory(env, cache), .scratch = scratch};
  RealFileSystem().make_directories(settings.cache, 0755);
  settings.search_path = variable(env, "LIBGUESTFS_PATH");
  settings.hypervisor = variable(env, "LIBGUESTFS_HV");
  const bool forced = variable(env, "LIBGUESTFS_BACKEND_SETTINGS").find("force_tcg") != std::string::npos;
  settings.kvm = !forced && vm::cached_kvm_verdict({}, settings.cache, vm::current_boot_id(), scratch, clock).works;
  return settings;
}

StartGuest appliance_starter(ApplianceSettings settings) {
  return [settings = std::move(settings)](const std::vector<GuestDrive>& drives) {
    return std::unique_ptr<Guest>(Appliance::start(settings, drives));
  };
}

fs::path image_cache(const Environment& env) {
  const std::string given = variable(env, "DIB_IMAGE_CACHE");
  if (!given.empty()) return given;
  return home_directory(env) / ".cache/image-create";
}

}  // namespace hearth::builder
