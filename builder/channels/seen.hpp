// What this user has seen of channels: nothing older is taken for today's again, whoever serves it. A file,
// ~/.local/state/hearth/channels.json; which place a channel was read from does not matter, who signs it does.
#pragma once

#include <string>

#include "base/path.hpp"
#include "base/sys/lock.hpp"
#include "builder/channels/pointer.hpp"

namespace hearth::builder::channels {

enum class Older { is_refused, is_taken };

class Seen {
 public:
  explicit Seen(fs::path file) : file_(std::move(file)) {}

  /// Throws Error(input) when `opened` has a smaller serial than what its key was seen to have signed for this channel,
  /// or the same one and says something else; unless `older` is taken. Then keeps it as what was seen last.
  void accept(const Opened& opened, Older older) const;

  /// The largest serial that was seen of a channel; 0 for none.
  [[nodiscard]] std::uint64_t serial(const std::string& key_id, const Reference& reference) const;

  /// Throws Error where nothing that is seen could be kept.
  void require_kept() const;

 private:
  [[nodiscard]] FileLock hold() const;

  fs::path file_;
};

}  // namespace hearth::builder::channels
