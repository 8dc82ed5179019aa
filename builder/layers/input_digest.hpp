// Digests of files and whole directories of the host, as inputs. What takes long to read is read once: as long as all
// of it looks the same (sizes, times of change, inodes), the digest that is known of it holds.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/sys/file.hpp"

namespace hearth::builder {

/// The digest, or look, of what is not there.
inline constexpr const char* k_no_file = "missing";

/// What the packages of the operating system fill: /etc/os-release and the names stand for what is below.
[[nodiscard]] bool is_filled_by_packages(const fs::path& path);

/// Whether it is one of the directories that every system has programs in: packages' own, or /usr/local.
[[nodiscard]] bool is_systems_for_programs(const fs::path& directory);

/// Whether `path` is the directory or below it, by their texts.
[[nodiscard]] bool holds(const fs::path& directory, const fs::path& path);

/// Names, modes, links and contents of everything below a directory, and below directories that links there lead to, as
/// one digest. Of more than 4 GiB the looks count in place of the contents.
[[nodiscard]] std::string tree_digest(const FileReader& files, const fs::path& directory);

/// What asking for a path tells (test -e, -f, -x, -s, -O): kind, of files mode, size and owner as hooks see it, where a
/// link leads; words where there is none. Nothing when it may not be looked at. Hooks see nobody as the owner of what
/// `is_nobodys`.
[[nodiscard]] std::optional<std::string> asked_look(const fs::path& path, bool is_nobodys = false);

/// What is another text when a file was written meanwhile, or the names in a directory have changed.
[[nodiscard]] std::string input_stamp(const fs::path& path);

/// Digests that are computed once in a process, and large ones once while nothing changes.
class InputDigests {
 public:
  /// `memory` is the file in which digests of large inputs are kept from build to build; empty = none.
  /// What `is_nobodys` tells of counts as nobody's, as an ordinary user's hooks see what is others'.
  explicit InputDigests(const FileReader& files, fs::path memory = {},
                        std::function<bool(const fs::path&)> is_nobodys = {});
  /// Kind, mode, owner and content of a file or a whole directory, as one digest; words where there is none. Of
  /// directories that only the operating system's packages fill (/usr, /var/lib/dpkg, …) the names.
  [[nodiscard]] const std::string& host(const fs::path& path);
  /// Whether it may be another than it was when host() began to read it, or at the last look_again().
  [[nodiscard]] bool has_changed(const fs::path& path) const;
  /// Those that have, of all that host() was asked for.
  [[nodiscard]] std::set<std::string> changed() const;
  /// In the sandbox: some places look different from there.
  void look_again();
  /// As asked_look().
  [[nodiscard]] std::optional<std::string> asked(const fs::path& path) const;
  /// As host() of something that no package of the operating system fills.
  [[nodiscard]] const std::string& path(const fs::path& path);
  /// Keeps what was learned. A failure is none of the build's business: the next one reads again.
  void save() const;

 private:
  struct Known {
    std::string look;
    std::string digest;
  };
  [[nodiscard]] Known digest_now(const fs::path& path, bool may_be_system);
  [[nodiscard]] const std::string& remembered(const std::string& name, const fs::path& path, bool may_be_system);
  [[nodiscard]] bool is_nobodys(const fs::path& path) const { return is_nobodys_ && is_nobodys_(path); }
  const FileReader& files_;
  RealFileSystem system_;  ///< for the machine's: they may be large and many, and are read once as it is
  fs::path memory_;
  std::function<bool(const fs::path&)> is_nobodys_;
  std::map<std::string, Known> told_;
  std::map<std::string, Known> known_;
  bool learned_ = false;
};

}  // namespace hearth::builder
