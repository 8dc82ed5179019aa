// The keys by which what is secret in a database is sealed: a file of mode 0600 that is no part of the database, so
// that a copy of one without the other tells nothing.
//
// The file is {"keys": [{"key": HEX}, {"key": HEX, "until": SECONDS}…]}: the first seals, each opens. `until` is when a
// former one may go; it goes only after all of the database is sealed with the first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/sys/secret.hpp"

namespace hearth {

/// The usual file, in a state directory.
constexpr const char* k_seal_key = "seal-key";

struct SealKey {
  std::string id;  ///< follows from the key and tells nothing of it
  Secret text;
  std::int64_t until = 0;  ///< 0: it is the one that seals
};

class Seal {
 public:
  /// Nothing is sealed: tests look into databases.
  Seal() = default;
  /// Throws Error: not there, readable by others, no such file's contents.
  [[nodiscard]] static Seal read(const fs::path& file);
  /// Reads the file, or makes it with a random key.
  [[nodiscard]] static Seal read_or_make(const fs::path& file);

  [[nodiscard]] bool is_on() const { return !keys_.empty(); }
  /// Of the key that seals.
  [[nodiscard]] const std::string& key_id() const { return keys_[sealing_].id; }
  [[nodiscard]] bool has(std::string_view key_id) const;
  /// Has to have it.
  void seal_with(std::string_view key_id);
  /// Where the file got another first key since it was read last (`again`: also where it looks as it did then),
  /// `seal_all` seals with it what is kept. False where there was nothing to do. Throws Error, also seal_all's: the
  /// former key seals on.
  bool seal_anew(bool again, const std::function<void(const std::string& former)>& seal_all);
  /// The file, where somebody removed it: what is sealed from now on could never be opened. Whether it was so.
  [[nodiscard]] bool put_back() const;

  /// `place`: where it is kept; sealed texts that change places are no longer opened. An empty text stays so.
  [[nodiscard]] std::string seal(std::string_view place, std::string_view text) const;
  /// Throws Error that says why not.
  [[nodiscard]] std::string open(std::string_view place, std::string_view sealed) const;

 private:
  std::vector<SealKey> keys_;
  std::size_t sealing_ = 0;  ///< which of them seals
  fs::path file_;
  std::string seen_;  ///< file_state() when it was read last
};

/// A new key seals as soon as a server has read it; the former ones open at least until `until`. Throws Error where
/// another process is at it.
void rotate_seal(const fs::path& file, std::int64_t until);

/// Of keys whose time is over; but not the one `in_use`, with which all is sealed: the file may have been rotated
/// since.
void forget_former_keys(const fs::path& file, std::string_view in_use, std::int64_t now);

}  // namespace hearth
