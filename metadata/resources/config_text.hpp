// The texts that configs are written as: cloud-config and multipart MIME.
#pragma once

#include <string>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// "#cloud-config\n" and YAML in block style with sorted keys, as Heat writes it.
[[nodiscard]] std::string cloud_config_text(const Value& map);
/// A multipart/mixed text of parts.
struct MimePart {
  std::string text{};
  std::string type = "text/plain";
  std::string filename{};
  std::string whole{};  ///< with its own headers, instead of all the above
};
/// The parts of a multipart text, each with its headers; none where the text is no multipart one. Format: RFC 2046.
[[nodiscard]] std::vector<std::string> mime_parts(const std::string& text);
[[nodiscard]] std::string mime_text(const std::vector<MimePart>& parts);

}  // namespace hearth::metadata
