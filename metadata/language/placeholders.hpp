// What str_replace and its kin put into a text: one pass, the longest placeholders first, those of one length in order;
// replaced text is never looked at again. Many placeholders cost a pass for each length, not for each of them.
#pragma once

#include <string>
#include <vector>

#include "metadata/language/expression.hpp"

namespace hearth::metadata {

struct Placeholder {
  std::string key;
  std::string value;
};

class Placeholders {
 public:
  explicit Placeholders(std::vector<Placeholder> all);
  /// In the order in which they are looked for.
  [[nodiscard]] std::vector<Placeholder>& all() { return all_; }

  struct Replaced {
    std::string text;
    std::size_t places = 0;           ///< where a placeholder stood
    std::vector<std::string> unused;  ///< the placeholders that the text does not have
  };
  /// Throws ValueError for an empty placeholder, and where the text or the work gets too large; `call` is the subject.
  [[nodiscard]] Replaced replace_in(const std::string& text, const Expression& call) const;

 private:
  std::vector<Placeholder> all_;
};

}  // namespace hearth::metadata
