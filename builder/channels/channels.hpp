// Publishing images in channels, promoting them, and taking them. Whatever ends it, a channel is what it was or what it
// is to be: files go first, the channel last and at once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/path.hpp"
#include "builder/channels/place.hpp"
#include "builder/channels/seen.hpp"

namespace hearth::builder::channels {

/// What everybody here works with.
struct World {
  Place& place;
  Seen seen;
  std::int64_t now_s = 0;
  std::function<void(const std::string&)> note;  ///< a line for people
};

/// An image of this machine with what lies beside it: its evidence, checked against its bytes.
struct LocalImage {
  std::string name;
  std::string version;
  std::int64_t built_s = 0;
  std::vector<NamedFile> files;   ///< the image first
  std::vector<fs::path> sources;  ///< where each lies
};
enum class Evidence { is_needed, may_be_missing };
/// Throws Error: not_found when evidence is needed and not there, input when it is not what it says.
[[nodiscard]] LocalImage local_image(const fs::path& image, Evidence needed);

struct PublishWish {
  Reference reference;
  std::string key_pem;                    ///< signs it
  std::vector<std::string> other_keys;    ///< that may have signed what stands there, hexadecimal
  std::optional<std::int64_t> expires_s;  ///< when it is to expire
  Older older = Older::is_refused;
  bool again = false;  ///< files travel also when the place says that it has them
};

/// What is there now: the channel as it was already, or as it was made. Throws Error(input) for an image that is older
/// than what stands there, or for what is not signed by whom it should be.
Pointer publish(const World& world, const PublishWish& wish, const LocalImage& image);

/// The image of `from` as `wish.reference` of the same name. No file of it travels.
Pointer promote(const World& world, const PublishWish& wish, const Reference& from);

/// What a channel is, once it is checked and not older than what was seen. Throws Error: not_found, input.
[[nodiscard]] Opened current(const World& world, const Reference& reference, const std::vector<std::string>& keys,
                             Older older);

/// The image of a channel in `directory`, with what lies beside it: all of them right, or nothing there has changed.
/// The image's path.
fs::path fetch_into(const World& world, const Pointer& pointer, const fs::path& directory);

}  // namespace hearth::builder::channels
