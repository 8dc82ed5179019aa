// The mustache dialect of os-apply-config templates, parsed and rendered by pure functions.
//
// Own, because the dialect differs from every library: nothing is escaped, values that aren't text are inserted as
// JSON, dotted names are looked up through objects only, and an unclosed section is no error: what came before it is
// lost and its inside is rendered without condition. Existing templates may rely on that, so that it is only reported
// (unclosed); the caller decides. The verified table of inputs and outputs is the test
// (tests/unit/agent/apply/mustache_test.cpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/apply/root.hpp"

namespace hearth::agent {

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

/// Gives the text of partial `name`; nothing when there is none (it renders as nothing).
using PartialLoader = std::function<std::optional<std::string>(const std::string& name)>;

/// A variable that was to be inserted and is not in the metadata, or null. It renders as nothing.
struct MissingKey {
  std::string name;
  std::string partial;  ///< the partial that names it; empty = the template itself
  std::size_t line;
};
using MissingReport = std::function<void(const MissingKey&)>;

/// Throws Error(input) when a partial does not parse or partials nest deeper than 100 levels. `missing`, where given,
/// is told of each variable without a value; sections ask whether there is one, and are not.
[[nodiscard]] std::string render_mustache(const MustacheTemplate& parsed, const MetadataRoot& root,
                                          const PartialLoader& partials, const MissingReport& missing = {});

}  // namespace hearth::agent
