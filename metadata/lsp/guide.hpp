// What fits at a place of a template, what a word there means, and where it is defined: all from the tables that the
// compiler reads templates by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metadata/lsp/cursor_place.hpp"
#include "metadata/lsp/vocabulary.hpp"
#include "metadata/model/mark.hpp"

namespace hearth::metadata::lsp {

/// Numbers as LSP has them (CompletionItemKind).
enum class ChoiceKind {
  function = 3,
  variable = 6,
  type = 7,
  property = 10,
  value = 12,
  keyword = 14,
  file = 17,
  resource = 18,
  condition = 21
};

struct Choice {
  std::string name;
  ChoiceKind kind = ChoiceKind::keyword;
  std::string detail{};  ///< in a line; may be empty
  std::string insert{};  ///< what is typed for it
};

/// Where something is defined.
struct Target {
  std::string file;  ///< empty: in this document
  Mark mark{};       ///< where it is unknown: the file's beginning
};

/// What a template gives a name to.
struct Name {
  std::string section;  ///< "parameters", "resources", "conditions"
  std::string name;
  bool operator==(const Name&) const = default;
};

[[nodiscard]] std::vector<Choice> choices_at(const CursorPlace& place, const Vocabulary& words);
/// Markdown; empty where there is nothing to tell.
[[nodiscard]] std::string about(const CursorPlace& place, const Vocabulary& words);
/// What the word at a place names, where it is defined or used; nothing where the template does not define it.
[[nodiscard]] std::optional<Name> name_at(const CursorPlace& place, const Vocabulary& words);
[[nodiscard]] std::optional<Target> target_of(const CursorPlace& place, const Vocabulary& words);

}  // namespace hearth::metadata::lsp
