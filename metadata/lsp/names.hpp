// The names that a template gives to its parameters, resources and conditions: where each stands, whether it may have
// another, and the template as an outline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/lsp/guide.hpp"

namespace hearth::metadata::lsp {

struct Occurrence {
  std::size_t begin = 0;  ///< bytes; without quotes
  std::size_t end = 0;
  bool defines = false;  ///< else it is used there
};

/// In the order of the text; nothing where to look at all would take too long.
[[nodiscard]] std::optional<std::vector<Occurrence>> occurrences(std::string_view text, const Name& name,
                                                                 const Vocabulary& words);

/// Why it can't be called that; empty where it can.
[[nodiscard]] std::string rename_fault(const Name& name, const std::string& wanted, const Vocabulary& words);

/// Numbers as LSP has them (SymbolKind).
enum class SymbolKind { section = 3, output = 7, parameter = 13, condition = 17, resource = 19, other = 20 };

struct Symbol {
  std::string name;
  std::string detail{};  ///< its type; may be empty
  SymbolKind kind = SymbolKind::section;
  std::size_t begin = 0;  ///< bytes of the whole
  std::size_t end = 0;
  std::size_t name_end = 0;  ///< its name begins where the whole does
  std::vector<Symbol> children{};
};

/// Its sections, and what is in them.
[[nodiscard]] std::vector<Symbol> outline(std::string_view text, const Value& document);

}  // namespace hearth::metadata::lsp
