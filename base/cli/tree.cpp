#include "base/cli/tree.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_least_tree_room = 24;  ///< deep below a narrow terminal's edge words still have a line

/// A label with its note; lines behind the first begin with `indent`.
std::string tree_row(const TreeNode& node, const std::string& indent, std::size_t room) {
  const std::size_t begin = columns(indent);
  const std::size_t place = node.note.empty() ? 0 : columns(node.label) + 2;
  const std::size_t left = std::max(room - std::min(room, begin + place), k_least_tree_room);
  const std::string& text = node.note.empty() ? node.label : node.note;
  const bool fits = room == 0 || columns(text) <= left;
  const std::string lines = fits ? text : wrapped(text, left);
  const std::string shown = replace_all(lines, "\n", cat("\n", indent, std::string(place, ' ')));
  return cat(node.note.empty() ? "" : cat(node.label, "  "), shown, "\n");
}

void draw_tree(const TreeNode& node, const std::string& indent, bool unicode, std::size_t room, std::string& text) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const TreeNode& child = node.children[i];
    const bool last = i + 1 == node.children.size();
    const std::string below = cat(indent, last ? "   " : unicode ? "│  " : "|  ");
    // A row's own further lines go beside the line to its children.
    const std::string beside = child.children.empty() ? below : cat(below, unicode ? "│  " : "|  ");
    text += cat(indent, unicode ? (last ? "└─ " : "├─ ") : (last ? "`- " : "|- "), tree_row(child, beside, room));
    draw_tree(child, below, unicode, room, text);
  }
}

}  // namespace

std::string tree_text(const TreeNode& root, bool unicode, std::size_t room) {
  std::string text = tree_row(root, root.children.empty() ? "" : unicode ? "│  " : "|  ", room);
  draw_tree(root, "", unicode, room, text);
  return text;
}

}  // namespace hearth::cli
