// A Jinja template in pieces: text, {{ outputs }} and {% statements %}, the latter two as words.
//
// White space as Jinja2's defaults have it: "-" inside a delimiter strips on that side, one newline at the very end of
// a template is dropped, \r\n is a newline. {# comments #} and {% raw %} are done with here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metadata/model/fault.hpp"

namespace hearth::metadata::jinja {

struct Word {
  enum class Type { name, string, integer, real, symbol, end };
  Type type = Type::end;
  std::string text{};  ///< of a string: what it means
};

struct Piece {
  enum class Type { text, output, statement };
  Type type = Type::text;
  std::string text{};
  std::vector<Word> words{};  ///< closed by one of the type `end`
  std::uint32_t line = 1;
};

/// `file`: the template's number in Sources. Throws Fault.
[[nodiscard]] std::vector<Piece> split_template(std::string_view text, std::uint32_t file);

[[nodiscard]] inline Fault template_fault(std::string text, std::uint32_t file, std::uint32_t line) {
  return {"TemplateError", std::move(text), Mark{file, line, 1}};
}

}  // namespace hearth::metadata::jinja
