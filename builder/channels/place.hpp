// Where images are published: a directory, a server that takes PUT (WebDAV), or an OCI registry. Files go by digest and
// never change; a channel is one small text, which is replaced at once. docs/explanation/channels.md has the layout.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/path.hpp"
#include "builder/channels/pointer.hpp"

namespace hearth::builder::channels {

/// The bytes of a file that is published, piece by piece; empty at the end. Throws Error(input) before the last piece
/// when they are not those of its digest any more: nothing wrong is ever whole.
using Pieces = std::function<std::string_view()>;
[[nodiscard]] Pieces pieces_of(const fs::path& path, const NamedFile& file);

/// Takes the bytes of a file that is fetched.
using Take = std::function<void(std::string_view)>;

class Place {
 public:
  virtual ~Place() = default;
  /// For people, without credentials.
  [[nodiscard]] virtual std::string text() const = 0;
  /// What stands at a channel; nothing when nothing does.
  [[nodiscard]] virtual std::optional<std::string> pointer(const Reference& reference) = 0;
  virtual void set_pointer(const Pointer& pointer, const std::string& envelope) = 0;
  /// Whether a file of that digest and size is there for images of this name.
  [[nodiscard]] virtual bool has(const std::string& name, const NamedFile& file) = 0;
  virtual void put(const std::string& name, const NamedFile& file, const Pieces& next) = 0;
  /// Throws Error(not_found) where there is none. What comes is for the caller to check.
  virtual void get(const std::string& name, const NamedFile& file, const Take& take) = 0;
  /// What there is, sorted; a hint only, signed by nobody.
  [[nodiscard]] virtual std::vector<Reference> list() = 0;
  /// Held while one publishes, where others can be kept waiting.
  struct Held {
    virtual ~Held() = default;
  };
  [[nodiscard]] virtual std::unique_ptr<Held> hold(const std::string& /*name*/) { return nullptr; }
};

/// "/srv/images", "https://HOST/PATH", "oci://HOST/PATH" (plain HTTP to this machine, as docker does, and by
/// "oci+http://"). Throws Error(usage) for other schemes.
[[nodiscard]] std::unique_ptr<Place> open_place(const std::string& where, const Environment& environment,
                                                const Clock& clock);

/// By kind.
[[nodiscard]] std::unique_ptr<Place> directory_place(const fs::path& directory);
[[nodiscard]] std::unique_ptr<Place> web_place(const std::string& url, const Environment& environment,
                                               const Clock& clock);
[[nodiscard]] std::unique_ptr<Place> registry_place(const std::string& where, const Environment& environment,
                                                    const Clock& clock);

/// Names of a place's list, as `{"channels": ["web@stable", …]}`, and back. Throws Error(input) for what is no list.
[[nodiscard]] std::string list_text(const std::vector<Reference>& references);
[[nodiscard]] std::vector<Reference> parse_list(const std::string& text, const std::string& source);

constexpr std::size_t k_largest_pointer = std::size_t{16} << 20U;

}  // namespace hearth::builder::channels
