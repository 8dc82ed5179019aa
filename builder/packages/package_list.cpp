#include "builder/packages/package_list.hpp"

#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_prefix = "package-installs-";

}  // namespace

std::vector<PackageEntry> parse_package_list(std::string_view text, const std::string& file, const std::string& element,
                                             Phase phase) {
  std::vector<PackageEntry> entries;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    std::string_view name = trim(line);
    if (name.empty() || name.front() == '#') continue;
    PackageEntry entry{.element = element, .phase = phase, .at = {number, 1}, .file = file};
    if (name.front() == '-') {
      entry.action = PackageEntry::Action::build_only;
      name.remove_prefix(1);
    }
    // A line may hold several names: upstream hands it to a shell unquoted.
    for (std::string& package : split_words(name)) {
      entry.package = std::move(package);
      entries.push_back(entry);
    }
  }
  return entries;
}

std::vector<PackageEntry> load_package_lists(const FileReader& files, const Element& element) {
  std::vector<PackageEntry> all;
  for (const Phase phase : {Phase::pre_install, Phase::install, Phase::post_install}) {
    const fs::path directory = element.path / directory_name(phase);
    for (const std::string& name : files.list(directory)) {
      if (name.compare(0, k_prefix.size(), k_prefix) != 0) continue;
      const fs::path path = directory / name;
      const std::string text = files.read(path).value_or("");
      const std::string owner = name.substr(k_prefix.size());
      for (PackageEntry& entry : parse_package_list(text, path.string(), owner, phase)) all.push_back(std::move(entry));
    }
  }
  return all;
}

}  // namespace hearth::builder
