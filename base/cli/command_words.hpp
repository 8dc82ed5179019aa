// Which command the words of a command line mean: in another order, of another program, in the plural, in one,
// mistyped. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hearth::cli {

/// "list nodes" → "node list", "node alpha power on" → "node power on alpha": the commands of `names` that have these
/// words, all of them as near; empty where none has.
[[nodiscard]] std::vector<std::string> commands_of_words(const std::vector<std::string>& names,
                                                         const std::vector<std::string>& words);

/// What other programs call the same, the likeliest first: of "ls" list, show; empty where nothing is known.
[[nodiscard]] std::vector<std::string> alike_words(const std::string& word);

/// What other programs are called, before words that are ours, too.
[[nodiscard]] bool is_foreign_beginning(const std::string& word);

/// Every word of these names, once.
[[nodiscard]] std::vector<std::string> vocabulary_of(const std::vector<std::string>& names);

}  // namespace hearth::cli
