// Directories of the image cache that a hook bound into the target and left there: upstream's dpkg and zypper do so
// with /var/cache/apt/archives and /var/cache/zypp, its pip-cache and yum with /tmp/pip and /tmp/yum. What lies in them
// is the machine's, and no part of a layer; that they are bound is, and is done again where a build goes on from it.
//
// What must hold: only places of which nothing comes into the image, for what is read through a bind no fact tells. Why
// not every bind, then: a hook that copies from one into the image would be taken from a layer though the file changed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder {

struct CacheBind {
  std::string from;  ///< below the image cache; empty = all of it
  std::string to;    ///< below the target
  bool is_read_only = false;

  friend bool operator==(const CacheBind&, const CacheBind&) = default;
};

/// Of which directory nothing comes into an image: "var/cache/x", "tmp/x".
[[nodiscard]] bool is_place_of_cache_bind(std::string_view below_target);

/// What the mount at `point` is, from /proc/self/mountinfo's text; nothing where it is another mount, or elsewhere.
[[nodiscard]] std::optional<CacheBind> cache_bind(std::string_view mountinfo, const fs::path& point,
                                                  const fs::path& cache, const fs::path& target);

void unbind(const std::vector<CacheBind>& binds, const fs::path& target);

/// A directory of the cache that was removed meanwhile is made, empty. Throws where the target has none, or a link in
/// the path to it.
void bind_again(const std::vector<CacheBind>& binds, const fs::path& cache, const fs::path& target);

}  // namespace hearth::builder
