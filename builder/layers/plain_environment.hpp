// Files of environment.d that only set variables: what such a one does is seen in these, so it is no input of a step
// that can't see them. Pure text work.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::builder {

struct Assignment {
  std::string variable;
  std::string text;  ///< `A=${A:-x}`, or `A` where it is only exported
};

/// What the file sets, in its order, where it is nothing but assignments and exports of words in which nothing runs and
/// no variable is set (`export A=${A:-x}`, `B="$A y"`). Nothing where it may do more: commands, conditions, `$( )`,
/// `${A:=x}`, `${A:?}`, arrays, backslashes; and where it sets what is bash's own.
[[nodiscard]] std::optional<std::vector<Assignment>> plainly_set(std::string_view text);

/// The variables that a file may set which besides looks at what is set, and refuses it: `if`, `case` and `for` around
/// tests, echo, exit and assignments. What each is made of only the whole file tells. Nothing where it may do more:
/// other commands, files, `$( )`, functions.
[[nodiscard]] std::optional<std::set<std::string>> set_with_checks(std::string_view text);

}  // namespace hearth::builder
