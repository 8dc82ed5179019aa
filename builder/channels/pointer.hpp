// What NAME@CHANNEL is now: a signed statement (docs/explanation/channels.md has the format). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::builder::channels {

struct Reference {
  std::string name;     ///< of the image
  std::string channel;  ///< "stable"
  [[nodiscard]] std::string text() const { return name + "@" + channel; }
  auto operator<=>(const Reference&) const = default;
};

/// "web@stable"; nothing when it is none: both are of letters, digits, "_", "." and "-", and begin with no "." or "-".
[[nodiscard]] std::optional<Reference> parse_reference(std::string_view text);
/// Throws Error(usage).
[[nodiscard]] Reference reference_of(std::string_view text);

/// A file that belongs to an image, by its path beside the others: "web.qcow2", "web.d/manifest.json".
struct NamedFile {
  std::string path;
  std::string sha256;
  std::uint64_t size = 0;
};

struct Pointer {
  Reference reference;
  std::uint64_t serial = 0;  ///< each is larger than those before it
  std::int64_t published_s = 0;
  std::optional<std::int64_t> expires_s;
  std::string version;           ///< of the image; may be empty
  std::int64_t built_s = 0;      ///< when its build ended; 0 = nobody knows
  std::vector<NamedFile> files;  ///< the image, then what lies beside it

  [[nodiscard]] const NamedFile& image() const { return files.front(); }
};

/// The statement in its envelope, signed by a private key (PEM).
[[nodiscard]] std::string sealed(const Pointer& pointer, std::string_view key_pem);

/// A pointer that somebody has published.
struct Opened {
  Pointer pointer;
  std::string key_id;     ///< who signed it, hexadecimal
  std::string statement;  ///< what was signed
};

/// Reads an envelope; `source` names it in errors. One of `keys` (64 hexadecimal digits each) must have signed it,
/// where there are any; the signature must hold in any case, and the statement be one about `wanted`. Throws
/// Error(input): cut short, altered, by another key, about another channel.
[[nodiscard]] Opened open_pointer(const std::string& envelope, const Reference& wanted,
                                  const std::vector<std::string>& keys, const std::string& source);

/// Throws Error(input) when it holds no longer.
void require_unexpired(const Pointer& pointer, std::int64_t now_s);

/// Why `next` is an older image than `now`, as a sentence; empty where it is none: by version, where both have one and
/// these differ, else by when their builds ended.
[[nodiscard]] std::string older_than(const Pointer& next, const Pointer& now);

}  // namespace hearth::builder::channels
