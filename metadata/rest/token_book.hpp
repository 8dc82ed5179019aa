// People's tokens of one state directory: api-token, which may do everything and is made at the first start, and those
// of tokens.json, of which only digests are kept. `hearth metadata token` writes the files, the server reads them again
// when they are others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/path.hpp"

namespace hearth::metadata::live {

/// Whoever has more may do what those with less may.
enum class Right : std::uint8_t {
  reads,      ///< sees states, events and outputs, but nothing that opens something else
  works,      ///< makes, changes and deletes stacks
  everything  ///< in each project
};

[[nodiscard]] std::string_view word(Right right);
[[nodiscard]] std::optional<Right> parse_right(std::string_view text);

struct PeopleToken {
  std::string name;
  Right right = Right::reads;
  std::string project;       ///< that it opens; empty = each
  std::int64_t expires = 0;  ///< Unix seconds; 0 = never
  std::string digest;        ///< SHA-256 of its text
};

class TokenBook {
 public:
  /// Makes api-token where there is none. Throws Error for a file that can't be read.
  explicit TokenBook(fs::path state);
  /// Reads the files again if they are others; what is wrong with them is logged, and what was read before holds. So it
  /// does where the whole directory is another one, or gone: that is an accident, and nobody's word.
  void refresh(Logger& log);
  /// The token with this text, if it holds still.
  [[nodiscard]] std::optional<PeopleToken> find(std::string_view text, std::int64_t now) const;
  /// A token of this process, which no file has.
  [[nodiscard]] const std::string& own() const { return own_; }

 private:
  void read();

  fs::path state_;
  std::string home_;  ///< which directory that is
  std::string own_;
  std::string seen_;
  std::vector<PeopleToken> tokens_;
};

/// A server has begun there, or somebody has made a token.
[[nodiscard]] bool has_tokens(const fs::path& state);
/// Those of tokens.json. Throws Error.
[[nodiscard]] std::vector<PeopleToken> kept_tokens(const fs::path& state);
/// Adds a token; its text, which nobody can ask for again. Throws Error(usage) for a name that is there.
[[nodiscard]] std::string add_token(const fs::path& state, PeopleToken token, std::int64_t now);
/// False when there is none of that name.
bool revoke_token(const fs::path& state, const std::string& name);
/// Makes a new api-token. The one that it was holds until then.
void rotate_api_token(const fs::path& state, std::int64_t now, std::int64_t until);

}  // namespace hearth::metadata::live
