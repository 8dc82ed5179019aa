// Guest: a small machine of its own (libguestfs' appliance) with disks attached, whose kernel makes file systems and
// volumes that user space can't. This is the seam; appliance.hpp is the real one, tests/fakes/scripted_guest.hpp the
// fake.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

/// A disk of the guest. It finds it, and its partitions, as /dev/disk/guestfs/LABEL, LABEL1, LABEL2…
struct GuestDrive {
  fs::path file;
  std::string label;  ///< letters only, at most 20
  std::string format = "raw";
  bool read_only = false;
  std::uint32_t sector_size = 512;
};

class Guest {
 public:
  virtual ~Guest() = default;
  /// Runs a script with /bin/sh in the guest's own system; its stdout. Throws Error(external) with the script's last
  /// words when it fails. What is mounted by mount() is below /sysroot there.
  virtual std::string run(const std::string& script) = 0;
  /// Mounts a device at a directory below /sysroot ("/" is the first).
  virtual void mount(const std::string& device, const std::string& at, const std::string& options) = 0;
  virtual void unmount_all() = 0;
  /// Unpacks a tar stream into a mounted directory, owners, extended attributes and ACLs included. `write` gets the
  /// descriptor to write it to, in a thread of its own.
  virtual void unpack(const std::string& directory, const std::function<void(int fd)>& write) = 0;
  /// The other way: `read` gets the descriptor to read from.
  virtual void pack(const std::string& directory, const std::function<void(int fd)>& read) = 0;
  /// Shuts down; what was written is on the disks then. Throws when it is not.
  virtual void close() = 0;
};

/// Starts a guest with these drives.
using StartGuest = std::function<std::unique_ptr<Guest>(const std::vector<GuestDrive>& drives)>;

}  // namespace hearth::builder
