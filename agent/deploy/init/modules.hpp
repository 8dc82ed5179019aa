// Kernel modules without udev or kmod: what modules.dep and modules.alias say (depmod(8)), loaded by finit_module(2).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/deploy/disk/inflate.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::deploy {

class ModuleCatalog {
 public:
  /// `dep` and `alias` are the texts of the files of those names.
  ModuleCatalog(std::string_view dep, std::string_view alias);

  /// Files to load, in this order, for a module's name or a device's alias ("pci:v00001AF4…"); empty when nothing fits.
  [[nodiscard]] std::vector<std::string> files_for(const std::string& name_or_alias) const;

 private:
  struct Alias {
    std::string pattern;
    std::string module;
  };
  void add_module(const std::string& module, std::vector<std::string>& files) const;

  std::map<std::string, std::vector<std::string>> modules_;  ///< name → its file, then those that it needs
  std::map<std::string, std::vector<Alias>> aliases_;        ///< by the text before the first colon
};

/// A module's name out of its file's ("kernel/net/virtio-net.ko" → "virtio_net").
[[nodiscard]] std::string module_name(std::string_view file);

/// What a compressed module's file holds. Throws Error(input) when it is broken.
[[nodiscard]] std::string decompressed_module(std::string_view bytes, StreamInflater::Kind kind);

/// Loads what this machine's devices need.
class ModuleLoader {
 public:
  /// `directory` is /lib/modules/RELEASE.
  explicit ModuleLoader(std::string directory);

  /// A module by its name or alias. False when there is none or the kernel refused it.
  bool load(const std::string& name_or_alias);
  /// Loads for all devices that there are, again as long as loading makes further ones appear.
  void settle();
  /// Whether there were modules that the kernel would have had to unpack, and did not.
  [[nodiscard]] bool met_packed() const { return met_packed_; }

 private:
  bool load_new_devices();

  std::string directory_;
  ModuleCatalog catalog_;
  std::set<std::string> tried_;   ///< aliases
  std::set<std::string> loaded_;  ///< files
  bool met_packed_ = false;
};

/// The applet that the kernel calls as /sbin/modprobe. Exit codes: 0 loaded, 1 not. --help tells of it.
int modprobe_main(const std::vector<std::string>& words);

}  // namespace hearth::agent::deploy
