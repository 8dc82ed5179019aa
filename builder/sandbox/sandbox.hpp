// The sandbox: the view of the machine that hooks get. A new root in which the host's directories are read-only, /tmp
// and /var/tmp are private, /dev holds only harmless nodes, homes and the system's secrets are hidden, and only the
// work area and the caches can be written. The directory of the outputs is shown as a copy: what hooks write there
// stays in the work area, and the builder takes of it what is the image's. What of /proc and /sys acts on the whole
// machine can't be written. Everything is mounted in the calling process's own namespace, so nothing outlives the
// process.
//
// Layout inside, the same in every build whoever runs it:
//   /hearth/build.0   TMP_BUILD_DIR: hooks, the root tree (mnt). Elements use what follows the dot in names of files.
//   /hearth/image   TMP_IMAGE_DIR: disks being made
//   /hearth/tmp     TMPDIR: of host hooks, and of this process, since the caller's may only be read here
//   /hearth/shims   programs that come first in PATH (sudo, mount, …)
//   /hearth/lib     _LIB, the shell library that elements source
//   /hearth/elements   Hearth's elements of this build, as the last entry of ELEMENTS_PATH
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::builder {

struct SandboxSpec {
  fs::path work_directory;         ///< on the host; empty = a tmpfs of its own
  std::uint64_t tmpfs_bytes = 0;   ///< its limit
  std::vector<fs::path> writable;  ///< host directories that hooks may write; must exist
  std::vector<fs::path> readable;  ///< what hooks read of the host wherever it lies, below /dev and /run, too; no links
  std::vector<fs::path> homes;     ///< of users; empty for hooks, but for what lies in them and is in the lists above
  std::vector<fs::path> keys;      ///< files that look empty to hooks, wherever they lie; no links
  fs::path output;                 ///< of the outputs: hooks write to a copy of their own; or empty
  std::string image;               ///< name of the outputs there: where there are no overlays, only such names are new
  std::vector<fs::path> closed;    ///< existing directories in or below writable ones, for the builder alone
  fs::path shims;                  ///< directory of our shims
  fs::path library;                ///< directory of the shell library; empty = none
  bool has_own_network = false;    ///< the network will be one of the hooks' user namespace, its settings theirs
  fs::path start_directory;        ///< working directory of host hooks
};

inline const fs::path k_build_directory = "/hearth/build.0";
inline const fs::path k_image_directory = "/hearth/image";
inline const fs::path k_temporary_directory = "/hearth/tmp";
inline const fs::path k_shims_directory = "/hearth/shims";
inline const fs::path k_library_directory = "/hearth/lib";
inline const fs::path k_elements_directory = "/hearth/elements";
inline const fs::path k_target_root = "/hearth/build.0/mnt";
/// The image cache of a recorded build: what hooks find in the user's own would not be in the lock.
inline const fs::path k_private_cache = "/hearth/image-cache";

/// Whether hooks write a file of this name beside an image: NAME, NAME.x, NAME-x.
[[nodiscard]] bool is_beside(std::string_view file, std::string_view image);

/// The real directories that hooks have no way to, and this process and its threads have.
class BuilderPlaces {
 public:
  BuilderPlaces(Fd directory, std::vector<fs::path> places, fs::path written, Fd settings)
      : directory_(std::move(directory)),
        places_(std::move(places)),
        written_(std::move(written)),
        settings_(std::move(settings)) {}
  /// A path of one of the spec's `output` and `closed`; only this process can use it.
  [[nodiscard]] fs::path way_to(const fs::path& place) const;
  /// What hooks wrote to `output`, as they left it: the upper half of an overlay.
  [[nodiscard]] const fs::path& written_by_hooks() const { return written_; }
  /// Shows all of them at their own paths again. Only when no hook runs any more: it holds for everybody.
  void show() const;
  /// For this process in the hooks' own network, if they have one: opens the settings that each network has for itself.
  /// Others stay closed, for example netfilter's: nf_hooks_lwtunnel there is the machine's in every network.
  void open_network_settings() const;

 private:
  Fd directory_;
  std::vector<fs::path> places_;
  fs::path written_;
  Fd settings_;
};

/// Turns this process's mount namespace into the sandbox, and locks it: no capability takes it apart any more. To be
/// called once, as process 1 of new namespaces (base/sys/namespace.hpp), before there are threads. Throws Error naming
/// the mount that failed.
[[nodiscard]] BuilderPlaces enter_sandbox(const SandboxSpec& spec);

/// The mounts that hooks find in the target: /proc, /sys (read-only), /dev with /dev/pts and /dev/shm. Taken away with
/// everything that hooks mounted below the target when the object goes, or by unmount().
class TargetMounts {
 public:
  explicit TargetMounts(fs::path root);
  TargetMounts(const TargetMounts&) = delete;
  TargetMounts& operator=(const TargetMounts&) = delete;
  ~TargetMounts();
  void unmount();
  /// At and below which its own mounts are.
  [[nodiscard]] static std::vector<fs::path> places(const fs::path& root);

 private:
  fs::path root_;
};

/// Binds the hooks read-only on /tmp/in_target.d of the target while it lives.
class TargetHooks {
 public:
  TargetHooks(const fs::path& root, const fs::path& hooks);
  TargetHooks(const TargetHooks&) = delete;
  TargetHooks& operator=(const TargetHooks&) = delete;
  ~TargetHooks();

 private:
  fs::path mount_point_;
};

}  // namespace hearth::builder
