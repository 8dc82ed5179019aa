#include "builder/packages/package_map.hpp"

#include "base/json.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

const std::map<std::string, std::string> k_families = {
    {"almalinux", "redhat"}, {"centos", "redhat"}, {"centos7", "redhat"}, {"fedora", "redhat"},
    {"openeuler", "redhat"}, {"rhel", "redhat"},   {"rhel7", "redhat"},   {"rocky", "redhat"},
    {"debian", "debian"},    {"ubuntu", "debian"}, {"opensuse", "suse"},  {"gentoo", "gentoo"}};

/// Sections are objects of text; anything else is an error that names the path.
std::optional<ParseError> fold(const Json& section, const std::string& path, std::string_view file,
                               std::map<std::string, std::string>& names) {
  if (section.is_null()) return std::nullopt;
  if (!section.is_object()) return ParseError{std::string(file), {}, cat(path, " must be an object")};
  for (const auto& [name, value] : section.items()) {
    if (!value.is_string()) return ParseError{std::string(file), {}, cat(path, ".", name, " must be a text")};
    names[name] = value.get<std::string>();
  }
  return std::nullopt;
}

/// "8-stream" counts as "8"; upstream makes this one exception.
std::string plain_release(const std::string& release) { return release == "8-stream" ? "8" : release; }

}  // namespace

const std::vector<std::string>& map_families() {
  static const std::vector<std::string> families = {"debian", "redhat", "suse", "gentoo"};
  return families;
}

const std::vector<std::string>& map_distributions() {
  static const std::vector<std::string> names = {"almalinux", "centos",    "centos7",  "debian", "fedora",
                                                 "gentoo",    "openeuler", "opensuse", "rhel",   "rhel7",
                                                 "rhel8",     "rhel9",     "rocky",    "ubuntu"};
  return names;
}

std::string distribution_family(const std::string& distro) {
  const auto found = k_families.find(distro);
  return found == k_families.end() ? "" : found->second;
}

Result<PackageMap> PackageMap::parse(std::string_view text, std::string_view file, const std::string& distro,
                                     const std::string& release) {
  const Result<Json> parsed = parse_json(text, file);
  if (!parsed) return parsed.error();
  const Json& root = *parsed;
  if (!root.is_object()) return ParseError{std::string(file), {1, 1}, "a pkg-map must be a JSON object"};
  PackageMap map;
  const std::string family = distribution_family(distro);
  const std::string version = plain_release(release);
  const std::vector<std::pair<std::string, const Json*>> sections = {
      {"default", &member_or_null(root, "default")},
      {cat("family.", family), &member_or_null(member_or_null(root, "family"), family)},
      {cat("distro.", distro), &member_or_null(member_or_null(root, "distro"), distro)},
      {cat("release.", distro, ".", version),
       &member_or_null(member_or_null(member_or_null(root, "release"), distro), version)}};
  for (const auto& [path, section] : sections) {
    if (const std::optional<ParseError> error = fold(*section, path, file, map.names_)) return *error;
  }
  return map;
}

std::optional<std::vector<std::string>> PackageMap::find(const std::string& name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return std::nullopt;
  return split_words(found->second);
}

}  // namespace hearth::builder
