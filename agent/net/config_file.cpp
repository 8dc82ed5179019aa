#include "agent/net/config_file.hpp"

#include "agent/apply/yaml_reader.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

Result<Json> parse_config(const std::string& text, std::string_view source) {
  const std::string_view trimmed = trim(text);
  if (!trimmed.empty() && trimmed.front() == '{') {
    Result<Json> json = parse_python_json(text, source);
    if (json) return json;
  }
  return parse_yaml11(text, source);
}

const Json& section_of(const Json& document, const std::string& section, std::string_view source) {
  static const Json none = Json::array();
  if (document.is_null()) return none;
  if (!document.is_object()) {
    throw Error(ErrorKind::input, cat(source, ": the document is not a mapping with a key network_config"));
  }
  const auto found = document.find(section);
  if (found == document.end() || found->is_null()) return none;
  if (!found->is_array()) throw Error(ErrorKind::input, cat(source, ": ", section, " is not a list"));
  return *found;
}

}  // namespace hearth::agent::net
