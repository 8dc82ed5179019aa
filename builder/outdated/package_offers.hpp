// What package repositories offer: of each package the newest version, as their lists (Packages files, deb822) say.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "builder/outdated/release_file.hpp"

namespace hearth::builder {

struct PackageOffer {
  std::string version;
  std::size_t repository = 0;  ///< its number, as add() was told
};

/// What an image has, and what apt would put in its place.
struct InstalledState {
  bool is_offered = false;  ///< some repository has the package
  /// The newest version that apt would take; nothing when the installed one is as new.
  std::optional<PackageOffer> newer = std::nullopt;
  bool by_security = false;  ///< one of security updates, this or an older one, is newer than the installed one
};

class PackageOffers {
 public:
  /// The next repository; its lists follow. Returns its number.
  std::size_t add_repository(const ReleaseFile& release);
  /// A list of the repository that was added last. Entries without a package's name or with a version that is none are
  /// passed over. Throws Error(input) when it is no such list.
  void add_list(std::string_view text);

  /// `version` of a package of an architecture ("all" counts as each) that is installed; of `repositories` only.
  [[nodiscard]] InstalledState state_of(const std::string& package, const std::string& architecture,
                                        const std::string& version, const std::vector<std::size_t>& repositories) const;

 private:
  struct Repository {
    bool not_automatic = false;
    bool automatic_upgrades = false;
    bool is_security = false;
  };
  struct Entry {
    std::size_t repository = 0;
    std::string architecture;
    std::string version;
  };
  [[nodiscard]] bool may_replace(const Entry& entry, const std::string& installed,
                                 const std::optional<std::string>& newest_automatic) const;
  void add(const std::string& package, const std::string& architecture, const std::string& version);

  std::vector<Repository> repositories_;
  std::unordered_map<std::string, std::vector<Entry>> entries_;  ///< by package
};

}  // namespace hearth::builder
