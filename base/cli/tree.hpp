// Trees for people: each row below the one that it is part of, with lines between them. Pure.
#pragma once

#include <string>
#include <vector>

namespace hearth::cli {

struct TreeNode {
  std::string label;
  std::string note = {};  ///< behind the label, wrapped in a column of its own; below it where that has no room
  std::vector<TreeNode> children = {};
};

/// The root at the margin, its children below it. `unicode`: lines beyond ASCII. `room`: columns that it may be wide
/// (0: any number), as notes and labels are wrapped; a label that a note is beside stays whole.
[[nodiscard]] std::string tree_text(const TreeNode& root, bool unicode, std::size_t room = 0);

}  // namespace hearth::cli
