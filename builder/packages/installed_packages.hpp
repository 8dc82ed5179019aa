// What is installed in a tree, as its package databases say: the source of an image's bill of materials.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sys/process.hpp"
#include "base/sys/tree_reader.hpp"

namespace hearth::builder {

struct ListedPackage {
  std::string manager;  ///< "deb", "rpm": a type of package URLs
  std::string name;
  std::string version;  ///< EPOCH:VERSION-RELEASE of an rpm
  std::string architecture;
  std::string license;  ///< as the package itself calls it; may be empty
  bool operator==(const ListedPackage&) const = default;
};

/// Sources that the element source-repositories brought (its dib-manifest-git files).
struct ListedSource {
  std::string name;
  std::string path;  ///< in the tree
  std::string url;
  std::string commit;
  bool operator==(const ListedSource&) const = default;
};

struct InstalledPackages {
  std::vector<ListedPackage> packages;
  std::vector<ListedSource> sources;
  std::string unlisted;  ///< why the list is not whole; empty = it is
};

/// An rpm database is read by this machine's rpm, since the tree's own
/// programs are whoever made it's.
[[nodiscard]] InstalledPackages installed_packages(const TreeReader& tree, CommandRunner& runner,
                                                   const Environment& environment);

/// Lines of `rpm -qa --qf k_rpm_format`. Keys of repositories, which rpm keeps among packages, are left out.
[[nodiscard]] std::vector<ListedPackage> parse_rpm_list(std::string_view text);
inline constexpr const char* k_rpm_format =
    R"(%{NAME}\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\t%{ARCH}\t%{LICENSE}\n)";

/// The licences that a debian/copyright names, in its order; empty when it is not in the machine-readable form (DEP-5).
[[nodiscard]] std::string copyright_licenses(std::string_view text);

/// Lines "NAME git PATH URL COMMIT".
[[nodiscard]] std::vector<ListedSource> parse_git_manifest(std::string_view text);

}  // namespace hearth::builder
