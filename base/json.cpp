#include "base/json.hpp"

#include "base/text.hpp"

namespace hearth {

namespace {

constexpr int k_max_depth = 512;

Position position_of(std::string_view text, std::size_t offset) {
  Position at{1, 1};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  return at;
}

/// nlohmann's text without its own "[json.exception…] " and "parse error at line 1, column 2: " leads, which repeat the
/// place.
std::string reason_of(std::string_view what) {
  const std::size_t bracket = what.find("] ");
  if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
  const std::size_t place = what.find(" at line ");
  const std::size_t colon = place == std::string_view::npos ? place : what.find(": ", place);
  return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view source) {
  bool too_deep = false;
  const Json::parser_callback_t guard = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > k_max_depth;
    return !too_deep;
  };
  try {
    Json value = Json::parse(text.begin(), text.end(), guard);
    if (too_deep) return ParseError{std::string(source), {}, cat("nested deeper than ", k_max_depth, " levels")};
    return value;
  } catch (const Json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    return ParseError{std::string(source), position_of(text, offset), reason_of(error.what())};
  } catch (const Json::exception& error) {  // out_of_range: a number that no double holds; it tells no place
    return ParseError{std::string(source), {}, reason_of(error.what())};
  }
}

Json json_or_null(std::string_view text) {
  Result<Json> parsed = parse_json(text, "");
  return parsed.ok() ? std::move(parsed).value() : Json();
}

std::string format_json(const Json& value, JsonStyle style) {
  return value.dump(style.indent, ' ', style.ascii,
                    style.lossy ? Json::error_handler_t::replace : Json::error_handler_t::strict);
}

}  // namespace hearth
