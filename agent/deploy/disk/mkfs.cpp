#include "agent/deploy/disk/mkfs.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

Command mkfs_command(const std::string& type, const std::string& device, const std::string& label) {
  const bool plain = !type.empty() && std::all_of(type.begin(), type.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  if (!plain) throw Error(ErrorKind::input, cat("'", type, "' is no type of a file system"));
  Command command{.env = Environment{{"PATH", "/sbin:/usr/sbin:/bin:/usr/bin"}}};
  if (type == "vfat") {
    command.argv = {"mkfs.vfat", "-n", label, device};
  } else if (type.size() == 4 && type.rfind("ext", 0) == 0) {
    command.argv = {"mke2fs", "-q", "-F", "-t", type, "-L", label, device};
  } else {
    command.argv = {"mkfs." + type, "-L", label, device};
  }
  return command;
}

}  // namespace hearth::agent::deploy
