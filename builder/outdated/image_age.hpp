// Whether an image is behind what it is made of, as far as that can be told without building: its packages beside
// today's repositories, its elements, branches and documents beside what they are now. Pure but for reading NAME.d; the
// world comes as functions.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "builder/outdated/repositories.hpp"
#include "builder/packages/installed_packages.hpp"

namespace hearth::builder {

/// What NAME.d says of a build.
struct BuildRecords {
  std::string image;  ///< NAME
  std::vector<ListedPackage> packages;
  std::map<std::string, std::string> repositories;  ///< URL of a Release file → the digest that it had
  std::map<std::string, std::string> remotes;       ///< "git URL REF", "url URL" → commit, validators
  std::map<std::string, std::string> elements;      ///< directory → digest
  std::string unlisted;                             ///< why the packages are not all; empty when they are
  bool has_steps = false;                           ///< the build noted what its steps took
};

/// Throws Error: not_found when there is no manifest, input when one of the files can't be understood.
[[nodiscard]] BuildRecords read_build_records(const FileReader& files, const fs::path& directory);

/// How things are now. Each function is asked once for each thing, if it remembers.
struct World {
  std::function<const RepositoryLook&(const std::string& url)> repository;
  std::function<const PackageOffers&()> offers;
  /// As RepositoryStates::digest(); nothing when nobody answers.
  std::function<std::optional<std::string>(const std::string& what)> remote;
  /// directory_digest(); nothing when there is no such directory.
  std::function<std::optional<std::string>(const std::string& directory)> element;
};

struct NewerPackage {
  std::string package;
  std::string installed;
  std::string version;
  std::string repository;
  bool is_security = false;
};
struct MovedInput {
  std::string what;  ///< "element DIRECTORY", "git URL REF", "url URL"
  std::string was;
  std::string now;
};

struct ImageAge {
  std::string image;
  std::size_t compared = 0;            ///< packages that some repository has
  std::vector<NewerPackage> packages;  ///< security updates first
  std::vector<MovedInput> moved;
  std::vector<std::string> unknown;  ///< why it may be outdated nevertheless
  std::vector<std::string> notes;
  [[nodiscard]] bool is_outdated() const { return !packages.empty() || !moved.empty(); }
};

[[nodiscard]] ImageAge image_age(const BuildRecords& records, const World& world);

/// One line for each image, and below it what has moved on.
[[nodiscard]] std::string age_text(const std::vector<ImageAge>& images);
[[nodiscard]] Json age_json(const std::vector<ImageAge>& images);

}  // namespace hearth::builder
