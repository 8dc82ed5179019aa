#include "base/cli/tree.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_note_room = 24;       ///< less beside its label, and a note goes below it
constexpr std::size_t k_least_tree_room = 8;  ///< deep below a narrow terminal's edge there is still a line

/// The text behind `indent`; its further lines begin with `indent`, too. Of no room nothing is wrapped.
std::string flowed(const std::string& text, const std::string& indent, std::size_t room) {
  const std::size_t left = std::max(room - std::min(room, columns(indent)), k_least_tree_room);
  const bool fits = room == 0 || columns(text) <= left;
  return fits ? text : replace_all(fitted(text, left), "\n", cat("\n", indent));
}

/// A label with its note, which goes below it where it would have no room beside; lines behind the first begin with
/// `indent`.
std::string tree_row(const TreeNode& node, const std::string& indent, std::size_t room) {
  if (node.note.empty()) return cat(flowed(node.label, indent, room), "\n");
  const std::string place = cat(indent, std::string(columns(node.label) + 2, ' '));
  const std::size_t least = columns(place) + std::min(columns(node.note), k_note_room);
  if (room == 0 || least <= room) return cat(node.label, "  ", flowed(node.note, place, room), "\n");
  return cat(flowed(node.label, indent, room), "\n", indent, "  ", flowed(node.note, cat(indent, "  "), room), "\n");
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
