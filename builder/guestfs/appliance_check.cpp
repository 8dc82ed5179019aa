#include "builder/guestfs/appliance_check.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// Kernels in /boot that we may read and whose modules are there.
struct Kernels {
  bool usable = false;
  std::string unreadable;  ///< one that would do if it could be read
};

Kernels appliance_kernels(const fs::path& root) {
  Kernels kernels;
  for (const std::string& name : RealFileSystem().list(root / "boot")) {
    if (!name.starts_with("vmlinuz-")) continue;
    if (!fs::is_directory(root / "lib/modules" / name.substr(8))) continue;
    const fs::path file = root / "boot" / name;
    if (::access(file.c_str(), R_OK) == 0) {
      kernels.usable = true;
    } else {
      kernels.unreadable = file.string();
    }
  }
  return kernels;
}

}  // namespace

void check_appliance(const Environment& env, const fs::path& root) {
  if (env.count("LIBGUESTFS_PATH") > 0) return;  // the user brings an appliance of his own
  std::vector<std::string> missing;
  std::vector<std::string> packages;
  const auto lacks = [&](const std::string& what, const std::string& package) {
    missing.push_back(what);
    packages.push_back(package);
  };
  if (!find_program("supermin", env)) lacks("supermin", "supermin");
  if (!find_program("qemu-system-x86_64", env)) lacks("qemu-system-x86_64", "qemu-system-x86");
  const Kernels kernels = appliance_kernels(root);
  if (!kernels.usable && kernels.unreadable.empty()) {
    lacks("a kernel in /boot with its modules", "linux-image-cloud-amd64");
  }
  if (!missing.empty()) {
    throw Error(ErrorKind::not_found, cat("libguestfs' appliance can't be built; missing: ", join(missing, ", ")))
        .hint(cat("Install (as root): apt-get install ", join(packages, " "),
                  "; or set LIBGUESTFS_PATH to a ready-made appliance (libguestfs-make-fixed-appliance)."));
  }
  if (kernels.usable) return;
  throw Error(ErrorKind::not_found,
              cat("libguestfs' appliance needs a kernel, and this user may not read ", kernels.unreadable))
      .hint(cat("As root: chmod 0644 ", kernels.unreadable, " (and dpkg-statoverride, to keep it so)."));
}

}  // namespace hearth::builder
