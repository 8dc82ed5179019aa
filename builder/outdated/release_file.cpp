#include "builder/outdated/release_file.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "builder/blobs/blob_store.hpp"

namespace hearth::builder {

namespace {

/// The smallest first.
constexpr std::array<std::string_view, 5> k_forms = {".xz", ".zst", ".bz2", ".gz", ""};

/// What may be shown on a terminal and be a part of a URL.
bool is_plain(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-+.~_/").find(c) != std::string_view::npos;
  });
}

/// "main/binary-amd64" of "main/binary-amd64/Packages.xz", and where ".xz" stands in k_forms; nothing when it is no
/// list of packages that is wanted.
std::optional<std::pair<std::string, std::size_t>> list_place(const std::string& path,
                                                              const std::set<std::string>& architectures) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  constexpr std::string_view packages = "Packages";
  if (!is_plain(path) || path.front() == '/' || !name.starts_with(packages)) return std::nullopt;
  const auto form = std::find(k_forms.begin(), k_forms.end(), name.substr(packages.size()));
  if (form == k_forms.end()) return std::nullopt;
  for (const std::string& part : split(directory, '/')) {
    if (part == ".." || part == "debian-installer") return std::nullopt;  // the installer's packages are no image's
  }
  const std::string last = directory.substr(directory.rfind('/') + 1);  // of a flat repository it is empty
  constexpr std::string_view binary = "binary-";
  const bool is_wanted = last.starts_with(binary)
                             ? last == "binary-all" || architectures.count(last.substr(binary.size())) > 0
                             : directory.empty();
  if (!is_wanted) return std::nullopt;
  return std::pair(directory, static_cast<std::size_t>(form - k_forms.begin()));
}

}  // namespace

ReleaseFile parse_release_file(std::string_view text, const std::set<std::string>& architectures) {
  ReleaseFile release;
  std::map<std::string, std::string> fields;
  std::map<std::string, std::pair<std::size_t, PackageListFile>> lists;  // by directory
  std::string field;
  for (const std::string& line : split_lines(text)) {
    if (!line.starts_with(' ')) {
      const std::size_t colon = line.find(':');
      field = colon == std::string::npos ? "" : line.substr(0, colon);
      if (!field.empty()) fields[field] = std::string(trim(line.substr(colon + 1)));
      continue;
    }
    const std::vector<std::string> words = field == "SHA256" ? split_words(line) : std::vector<std::string>{};
    if (words.size() != 3 || !is_digest(words[0])) continue;
    const auto place = list_place(words[2], architectures);
    const auto bytes = parse_number(words[1]);
    if (!place || !bytes) continue;
    const auto known = lists.find(place->first);
    if (known != lists.end() && known->second.first <= place->second) continue;
    lists[place->first] = {place->second, {words[2], words[0], *bytes}};
  }
  // As apt has it: else packages of "all" are in each architecture's list, and their own may be there and be stale.
  const std::vector<std::string> all = split_words(fields["Architectures"]);
  const bool has_all =
      std::find(all.begin(), all.end(), "all") != all.end() && fields["No-Support-for-Architecture-all"] != "Packages";
  for (auto& [directory, list] : lists) {
    if (has_all || !directory.ends_with("binary-all")) release.lists.push_back(std::move(list.second));
  }
  for (const char* name : {"Codename", "Suite"}) {
    if (is_plain(fields[name])) release.suite = fields[name];
  }
  // Debian calls it "Debian-Security", Ubuntu "noble-security".
  release.is_security = fields["Label"].ends_with("-Security") || fields["Suite"].ends_with("-security");
  release.not_automatic = fields["NotAutomatic"] == "yes";
  release.automatic_upgrades = fields["ButAutomaticUpgrades"] == "yes";
  release.by_hash = fields["Acquire-By-Hash"] == "yes";
  return release;
}

std::optional<std::string> clear_signed_text(std::string_view text) {
  std::string inner;
  enum { before, headers, within } state = before;
  for (std::string& line : split_lines(text)) {
    if (line.ends_with('\r')) line.pop_back();
    if (state == before) {
      if (line == "-----BEGIN PGP SIGNED MESSAGE-----") state = headers;
    } else if (state == headers) {
      if (line.empty()) state = within;
    } else {
      if (line == "-----BEGIN PGP SIGNATURE-----") return inner;
      inner += cat(line.starts_with("- ") ? std::string_view(line).substr(2) : std::string_view(line), "\n");
    }
  }
  return std::nullopt;
}

}  // namespace hearth::builder
