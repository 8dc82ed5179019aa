#include "builder/guestfs/guest_library.hpp"

#include <dlfcn.h>

#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_install =
    "Install (as root): apt-get install libguestfs0 libguestfs-xfs supermin linux-image-cloud-amd64";

template <class Function>
void resolve_symbol(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  if (function != nullptr) return;
  throw Error(ErrorKind::unsupported, cat("the installed libguestfs is too old: it has no ", name)).hint(k_install);
}

std::unique_ptr<GuestLibrary> load(const std::string& file) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays: it registers exit handlers
  if (handle == nullptr) {
    throw Error(ErrorKind::not_found, cat("libguestfs is not installed: ", ::dlerror())).hint(k_install);
  }
  auto library = std::make_unique<GuestLibrary>();
#define HEARTH_GUESTFS_FUNCTION(name) resolve_symbol(handle, "guestfs_" #name, library->name);
#include "builder/guestfs/guest_functions.inc"
#undef HEARTH_GUESTFS_FUNCTION
  return library;
}

}  // namespace

const GuestLibrary& GuestLibrary::get(const std::string& file) {
  static std::map<std::string, std::unique_ptr<GuestLibrary>> loaded;  // a loaded library can't be unloaded safely
  std::unique_ptr<GuestLibrary>& library = loaded[file];
  if (!library) library = load(file);
  return *library;
}

}  // namespace hearth::builder
