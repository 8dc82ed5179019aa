// What a script says of its inputs in so many words: files that it may only ask for (test -e opens nothing, so that no
// watch sees it), and the clock. Pure text work: paths that a script puts together while it runs are not found.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace hearth::builder {

struct ScriptInputs {
  std::set<std::string> hooks;      ///< of the merged hooks: "data/x", relative; of a pattern the directory
  bool own_hooks = false;           ///< of those some two steps up from where it lies itself
  bool any_hook = false;            ///< it names the directory, but what below it is not plain to see
  bool own_directory = false;       ///< it asks where it lies itself, which may be there
  std::set<std::string> host;       ///< absolute, of the machine; of a pattern the directory
  std::set<std::string> temporary;  ///< likewise, below /tmp and /var/tmp: mostly a script's own scratch files
  std::set<std::string> relative;   ///< of files, with a slash: "data/x", which may lie where hooks start
};

/// `home` is what ~ and $HOME stand for. Paths of kernel file systems and cache directories don't count.
[[nodiscard]] ScriptInputs inputs_in(std::string_view text, const std::string& home);

/// By which words a script asks for the time of day ("date", "EPOCHSECONDS", …); nothing when it doesn't. A date that
/// follows from something else (date -d, date -r) is not the clock's.
[[nodiscard]] std::optional<std::string> clock_words(std::string_view text);

}  // namespace hearth::builder
