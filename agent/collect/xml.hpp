// As much XML (1.0, UTF-8) as the CloudFormation API answers with: elements, text, the five named and the numeric
// references, CDATA; declaration and comments are passed over. Attributes are checked and dropped. A DOCTYPE is
// refused: it could define entities that blow up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hearth::agent {

struct XmlElement {
  std::string name;  ///< without namespace prefix
  std::string text;  ///< its own text, without that of its children
  std::vector<XmlElement> children;

  /// The element at the end of a way of child names; null when there is none.
  [[nodiscard]] const XmlElement* find(const std::vector<std::string>& way) const;
};

/// The root element. Nesting deeper than 64 is refused.
[[nodiscard]] Result<XmlElement> parse_xml(std::string_view text, const std::string& source);

}  // namespace hearth::agent
