// What is in a bundle: bundle.json, the first entry of the file. Pure.
//
// A bundle is one uncompressed tar file (what is in it is compressed already): bundle.json, bundle.sig.json (a DSSE
// envelope around it, when there is a key), then the entries in the manifest's order. So it can be checked while it is
// read, from a pipe or a tape, and what isn't named by the signed manifest is never written anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace hearth::bootstrap::bundle {

struct Entry {
  std::string path;  ///< relative, "/" between parts
  bool is_link = false;
  std::uint32_t mode = 0644;
  std::uint64_t size = 0;
  std::string content;  ///< sha256 of a file; a link's target
};

struct Manifest {
  std::string name;
  std::int64_t created_s = 0;
  std::string made_by;         ///< "hearth VERSION"
  std::vector<Entry> entries;  ///< sorted by path
  Json site;                   ///< what the maker says of the site; may be null

  [[nodiscard]] std::uint64_t bytes() const;
};

[[nodiscard]] std::string manifest_text(const Manifest& manifest);
/// Refuses paths that lead out of the directory it is unpacked into, or through a link, and what stands there twice.
[[nodiscard]] Result<Manifest> parse_manifest(std::string_view text, std::string_view source);

inline constexpr const char* k_manifest_name = "bundle.json";
inline constexpr const char* k_signature_name = "bundle.sig.json";

}  // namespace hearth::bootstrap::bundle
