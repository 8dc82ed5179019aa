// JSON by nlohmann, with key order kept and errors that give line and column.
#pragma once

namespace hearth {

/// Throws Json::out_of_range: `[]` of what can't change found no member of the name.
[[noreturn]] void throw_missing_member();

}  // namespace hearth

// Without this the library ends the process where `[]` finds nothing: whoever sent or wrote what we read could do that.
// The same in all units, as the linker keeps one of them (lint.forbidden: nobody else includes nlohmann's).
#define JSON_ASSERT(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : ::hearth::throw_missing_member())

// std::filesystem's paths and views of members, which we don't use: without their headers each unit is read sooner.
#define JSON_HAS_FILESYSTEM 0
#define JSON_HAS_EXPERIMENTAL_FILESYSTEM 0
#define JSON_HAS_RANGES 0

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace hearth {

using Json = nlohmann::ordered_json;

/// Parses a whole document. `source` names it in errors. Nesting deeper than 512 is refused (it would exhaust the
/// stack).
[[nodiscard]] Result<Json> parse_json(std::string_view text, std::string_view source);

/// A text that may be JSON; null when it is not.
[[nodiscard]] Json json_or_null(std::string_view text);

struct JsonStyle {
  int indent = -1;     ///< spaces a level; -1 = all in one line
  bool ascii = false;  ///< other characters are escaped
  bool lossy = false;  ///< bytes that are no UTF-8 become U+FFFD; else they throw Json::type_error
};

/// The value as JSON. Here and above, not by Json's own members: its reader and writer, compiled in each unit that uses
/// them, cost up to two seconds.
[[nodiscard]] std::string format_json(const Json& value, JsonStyle style = {});

/// The value as people read it and files keep it: a line for each member, and a newline at the end. Lossy.
[[nodiscard]] std::string json_document(const Json& value);

/// What an object holds under a name; nullptr where that is nothing, or where `value` is no object.
[[nodiscard]] const Json* find_member(const Json& value, std::string_view name);

/// As find_member(); null, no text, an empty object or an empty list where there is none of that kind.
[[nodiscard]] const Json& member_or_null(const Json& value, std::string_view name);
[[nodiscard]] std::string text_member(const Json& value, std::string_view name);
[[nodiscard]] const Json& object_member(const Json& value, std::string_view name);
[[nodiscard]] const Json& list_member(const Json& value, std::string_view name);

/// The text behind a JSON pointer ("/a/b"); empty where there is none.
[[nodiscard]] std::string text_at(const Json& value, const char* pointer);

}  // namespace hearth
