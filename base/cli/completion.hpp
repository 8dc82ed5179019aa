// What a shell offers for a command line that is being typed, from the command table. The shells' own scripts are thin:
// they ask the program (--complete WORD…, the last word being the one at the cursor) and show what it answers.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::cli {

struct Offer {
  std::string word;
  std::string about;  ///< what it stands for; may be empty

  bool operator==(const Offer&) const = default;
};

struct Offers {
  enum class Places { none, files, directories };
  std::vector<Offer> words;      ///< each begins with the word at the cursor
  Places places = Places::none;  ///< what the shell is to offer besides, by itself
};

/// `line` begins with the program's name and ends with the word at the cursor, which may be empty. bash makes a word of
/// each '=' in the line; others leave it in its word: both are understood.
[[nodiscard]] Offers offers(const Program& program, std::vector<std::string> line);

/// The same for a shell: a line each, WORD, a tab and what it stands for; without a WORD "files" or "directories".
[[nodiscard]] std::string offer_lines(const Offers& offers);

/// A script for `shell` (bash, zsh, fish) that makes it ask the program. Throws Error(usage) for another.
[[nodiscard]] std::string completion_script(const Program& program, const std::string& shell);

}  // namespace hearth::cli
