#include "agent/deploy/init/system.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::deploy {

namespace {

void mount_one(const char* type, const char* target) {
  ::mkdir(target, 0755);
  ::mount(type, target, type, MS_NOSUID, nullptr);  // busy = it is there already
}

}  // namespace

void mount_system() {
  mount_one("proc", "/proc");
  mount_one("sysfs", "/sys");
  mount_one("devtmpfs", "/dev");
  mount_one("devpts", "/dev/pts");
  mount_one("tmpfs", "/run");
  mount_one("tmpfs", "/tmp");
}

void open_console() {
  try {
    const Fd console = Fd::open("/dev/console", O_RDWR | O_NOCTTY);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(console.get(), fd);
  } catch (const Error&) {
    return;  // a machine without any console
  }
}

void mount_efi_variables() {
  if (RealFileSystem().status("/sys/firmware/efi/efivars")) mount_one("efivarfs", "/sys/firmware/efi/efivars");
}

}  // namespace hearth::agent::deploy
