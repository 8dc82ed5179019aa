// Where a cursor is in a YAML or JSON text that somebody is typing. No parser takes such a text; lines, their
// indentation and what is open around the cursor tell enough, and every text gives an answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::metadata::lsp {

/// One level on the way from the document to the cursor.
struct Step {
  std::string key{};                   ///< of a map
  bool item = false;                   ///< of a list
  std::vector<std::string> earlier{};  ///< plain items of the list before this one
};

struct CursorPlace {
  enum class Role { none, key, value };
  Role role = Role::none;    ///< none: in a comment, in a text of several lines, behind a value
  std::vector<Step> path{};  ///< from the document on; of a value itself, of a key the map that it is in
  std::string typed{};       ///< of the word, up to the cursor
  std::string word{};        ///< the whole word at the cursor
  std::size_t begin = 0;     ///< of the word
  std::size_t end = 0;
  bool flow = false;  ///< within brackets

  /// The key of the level `up` from the innermost; empty for an item and beyond the document.
  [[nodiscard]] std::string_view key(std::size_t up = 0) const {
    return up < path.size() ? std::string_view(path[path.size() - 1 - up].key) : std::string_view();
  }
};

[[nodiscard]] CursorPlace place_at(std::string_view text, std::size_t offset);

}  // namespace hearth::metadata::lsp
