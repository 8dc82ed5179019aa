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
  std::string manager = "deb";  ///< a type of package URLs: "deb", "rpm"
  std::string license;          ///< as the package itself calls it
};

/// A git repository that was put into the image.
struct SourceFact {
  std::string name;
  std::string path;
  std::string url;
  std::string commit;
};

/// An element, by the digest of everything in its directory.
struct ElementFact {
  std::string name;
  fs::path path;
  std::string sha256;
  std::string origin = {};  ///< JSON: of a tree that `hearth element fetch` kept; else empty
};

struct ImageFacts {
  std::string name;             ///< of the image, without type
  std::string version;          ///< --image-version; may be empty
  std::string builder;          ///< --builder
  std::string distribution;     ///< ID of the target's os-release ("debian"); empty when it has none
  std::int64_t created_s = 0;   ///< the image's own time
  std::int64_t finished_s = 0;  ///< when the build ended, by the clock
  bool is_ramdisk = false;
  std::vector<std::string> arguments;       ///< of `hearth image create`
  fs::path directory;                       ///< where it was called
  Environment environment;                  ///< as far as it says what is built
  std::vector<std::string> read_variables;  ///< further ones that hooks read: names only, since values may be secret
  std::vector<OutputFile> outputs;
  std::vector<OutputFile> evidence;  ///< what lies in NAME.d beside the statement; `file` is "NAME.d/FILE"
  std::vector<PackageFact> packages;
  std::vector<SourceFact> sources;
  std::string unlisted;  ///< why packages are missing in the list; empty = none are
  std::vector<ElementFact> elements;
  fetch::Lock fetched;  ///< of a recorded or replayed build
};

/// Whether a variable says what is built. Not: where things lie (ELEMENTS_PATH, DIB_IMAGE_CACHE), which programs are
/// run (PATH, DIB_PYTHON_EXEC), and secrets.
[[nodiscard]] bool tells_what_is_built(const std::string& name);

/// The absolute paths that a variable's value names: itself, parts of a list, file:// URLs.
[[nodiscard]] std::vector<fs::path> paths_in(const std::string& value);

/// The caller's variables that say what is built, without credentials in URLs.
[[nodiscard]] Environment telling_variables(const Environment& environment);

/// A file that came with an image, as text. Throws Error(input) for what is none, such as a pipe.
[[nodiscard]] std::string read_regular(const fs::path& file);

/// Reads and digests; a directory by directory_digest(). Throws Error when a file can't be read.
[[nodiscard]] OutputFile describe_output(const fs::path& file);

}  // namespace hearth::builder::evidence
