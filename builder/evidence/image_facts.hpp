// What is known of an image once it is made: the one value that manifest, SBOM and provenance are written from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/fetch/lock_file.hpp"

namespace hearth::builder::evidence {

struct OutputFile {
  fs::path file;
  std::string sha256;
  std::uint64_t size = 0;
};

struct PackageFact {
  std::string name;
  std::string version;
  std::string architecture;
};

/// An element, by the digest of everything in its directory.
struct ElementFact {
  std::string name;
  fs::path path;
  std::string sha256;
};

struct ImageFacts {
  std::string name;          ///< of the image, without type
  std::string distribution;  ///< ID of the target's os-release ("debian"); empty when it has none
  std::int64_t created_s = 0;
  std::vector<std::string> arguments;  ///< of `hearth image create`
  fs::path directory;                  ///< where it was called
  Environment environment;             ///< as far as it says what is built
  std::vector<OutputFile> outputs;
  std::vector<PackageFact> packages;
  std::vector<ElementFact> elements;
  fetch::Lock fetched;  ///< of a recorded or replayed build
};

/// The caller's variables that say what is built; secrets are not among them.
[[nodiscard]] Environment telling_variables(const Environment& environment);

/// The digest of a directory: names, kinds, executable bits and contents of everything in it, in a fixed order.
[[nodiscard]] std::string directory_digest(const fs::path& directory);

/// Reads and digests; a directory by directory_digest(). Throws Error when a file can't be read.
[[nodiscard]] OutputFile describe_output(const fs::path& file);

}  // namespace hearth::builder::evidence
