#include "builder/outdated/package_offers.hpp"

#include <algorithm>

#include "base/debian_version.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// The characters that Debian policy (5.6.1, 5.6.12) has for names and versions: others have no place on a terminal.
bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-+.~:").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::size_t PackageOffers::add_repository(const ReleaseFile& release) {
  repositories_.push_back({release.not_automatic, release.automatic_upgrades, release.is_security});
  return repositories_.size() - 1;
}

void PackageOffers::add_list(std::string_view text) {
  std::string package;
  std::string architecture;
  std::string version;
  const auto end_paragraph = [&] {
    if (is_word(package) && is_word(version) && is_word(architecture)) add(package, architecture, version);
    package = architecture = version = "";
  };
  bool is_list = trim(text).empty();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty()) {
      end_paragraph();
    } else if (line.starts_with("Package: ")) {
      package = trim(line.substr(9));
      is_list = true;
    } else if (line.starts_with("Version: ")) {
      version = trim(line.substr(9));
    } else if (line.starts_with("Architecture: ")) {
      architecture = trim(line.substr(14));
    }
  }
  end_paragraph();
  if (!is_list) throw Error(ErrorKind::input, "it is no list of packages");
}

void PackageOffers::add(const std::string& package, const std::string& architecture, const std::string& version) {
  std::vector<Entry>& entries = entries_[package];
  const std::size_t repository = repositories_.size() - 1;
  const auto known = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.repository == repository && entry.architecture == architecture;
  });
  if (known == entries.end()) {
    entries.push_back({repository, architecture, version});
  } else if (compare_debian_versions(known->version, version) < 0) {
    known->version = version;
  }
}

/// apt's default pins (apt_preferences(5)): 500, or 1 where nothing is taken unasked, 100 where upgrades are.
bool PackageOffers::may_replace(const Entry& entry, const std::string& installed,
                                const std::optional<std::string>& newest_automatic) const {
  const Repository& repository = repositories_.at(entry.repository);
  if (!repository.not_automatic) return true;
  if (!repository.automatic_upgrades) return false;
  return !newest_automatic || compare_debian_versions(installed, *newest_automatic) > 0;
}

InstalledState PackageOffers::state_of(const std::string& package, const std::string& architecture,
                                       const std::string& version, const std::vector<std::size_t>& repositories) const {
  InstalledState state;
  const auto found = entries_.find(package);
  if (found == entries_.end()) return state;
  std::vector<Entry> fitting;
  for (const Entry& entry : found->second) {
    const bool is_ours = std::find(repositories.begin(), repositories.end(), entry.repository) != repositories.end();
    // A package may have become one of "all", or ceased to be.
    const bool fits = entry.architecture == architecture || entry.architecture == "all" || architecture == "all";
    if (is_ours && fits) fitting.push_back(entry);
  }
  state.is_offered = !fitting.empty();
  std::optional<std::string> newest_automatic;
  for (const Entry& entry : fitting) {
    if (repositories_.at(entry.repository).not_automatic) continue;
    if (!newest_automatic || compare_debian_versions(*newest_automatic, entry.version) < 0)
      newest_automatic = entry.version;
  }
  for (const Entry& entry : fitting) {
    if (!may_replace(entry, version, newest_automatic) || compare_debian_versions(version, entry.version) >= 0)
      continue;
    if (repositories_.at(entry.repository).is_security) state.by_security = true;
    if (state.newer && compare_debian_versions(state.newer->version, entry.version) >= 0) continue;
    state.newer = PackageOffer{entry.version, entry.repository};
  }
  return state;
}

}  // namespace hearth::builder
