// The mustache dialect of os-apply-config templates, parsed: for the agent that renders them, and for who writes an
// element and is to know before.
//
// Own, because the dialect differs from every library: nothing is escaped, values that aren't text are inserted as
// JSON, dotted names are looked up through objects only, and an unclosed section is no error: what came before it is
// lost and its inside is rendered without condition. Existing templates may rely on that, so that it is only reported
// (unclosed); the caller decides. The verified table of inputs and outputs is the renderer's test
// (tests/unit/agent/apply/mustache_renderer_test.cpp).
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/position.hpp"
#include "base/result.hpp"

namespace hearth {

struct MustacheNode;

/// A parsed template or the inside of a section. The nodes live behind the vector, since sections nest.
using MustacheNodes = std::vector<MustacheNode>;

struct MustacheText {
  std::string text;
};
struct MustacheVariable {
  std::string name;
  std::size_t line = 1;  ///< of the template
};
struct MustacheSection {
  std::string name;
  bool inverted = false;
  MustacheNodes inside;
};
struct MustachePartial {
  std::string name;
  std::string indent;  ///< put before each of its non-empty lines
};
struct MustacheNode {
  std::variant<MustacheText, MustacheVariable, MustacheSection, MustachePartial> value;
};

/// A section that was opened and never closed.
struct UnclosedSection {
  std::string name;
  Position at;
};

struct MustacheTemplate {
  MustacheNodes nodes;
  std::vector<UnclosedSection> unclosed;
};

/// CRLF and CR are read as LF. Errors: wrong or stray end tag, malformed delimiter tag, invalid UTF-8.
[[nodiscard]] Result<MustacheTemplate> parse_mustache(std::string_view text, std::string_view source);

}  // namespace hearth
