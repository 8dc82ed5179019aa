#include "agent/deploy/boot/mounted.hpp"

#include <sys/mount.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"

namespace hearth::agent::deploy {

Mounted::Mounted(const std::string& type, const std::string& device, std::string target, unsigned long flags)
    : target_(std::move(target)) {
  RealFileSystem().make_directories(target_, 0755);
  mount_file_system(type, device, target_, flags, "");
}

Mounted::Mounted(const std::string& source, std::string target) : target_(std::move(target)) {
  RealFileSystem().make_directories(target_, 0755);
  bind_mount(source, target_, Access::read_write);
}

Mounted::~Mounted() {
  if (::umount2(target_.c_str(), 0) == 0) return;
  ::sync();  // something below is in use, or mounted itself: it goes when that does
  ::umount2(target_.c_str(), MNT_DETACH);
}

}  // namespace hearth::agent::deploy
