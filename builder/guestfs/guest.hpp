// Guest: a small machine of its own (libguestfs' appliance) with disks attached, whose kernel makes file systems and
// volumes that user space can't. This is the seam; appliance.hpp is the real one, tests/fakes/scripted_guest.hpp the
// fake.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

/// What one message of libguestfs takes (4 MiB), with room to spare.
inline constexpr std::size_t k_most_device_bytes = std::size_t{2} << 20U;

/// Volumes are made by run(): libguestfs has no calls that set ids, alignment, extents, thin pools, or the type and the
/// cost of encryption. What it has a call for goes by that.
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
  /// A piece of a device, at most k_most_device_bytes.
  virtual std::string read_device(const std::string& device, std::uint64_t offset, std::size_t bytes) = 0;
  virtual void write_device(const std::string& device, std::uint64_t offset, std::string_view bytes) = 0;
  /// Starts a volume group's volumes, or takes them down.
  virtual void activate_group(const std::string& group, bool active) = 0;
  virtual void close_encrypted(const std::string& volume) = 0;
  virtual void stop_array(const std::string& device) = 0;
  virtual void sync() = 0;
  /// Shuts down; what was written is on the disks then. Throws when it is not.
  virtual void close() = 0;
};

/// Bytes as a script's printf(1) takes them whatever they are: each as \ooo.
[[nodiscard]] inline std::string octal_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += '\\';
    for (const unsigned shift : {6U, 3U, 0U})
      text += static_cast<char>('0' + ((static_cast<unsigned char>(c) >> shift) & 7U));
  }
  return text;
}

/// Starts a guest with these drives.
using StartGuest = std::function<std::unique_ptr<Guest>(const std::vector<GuestDrive>& drives)>;

}  // namespace hearth::builder
