#include "base/json.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/foreign_json.hpp"
#include "base/text.hpp"

namespace hearth {

void throw_missing_member() { throw Json::out_of_range::create(403, "a member is missing", nullptr); }

namespace {

constexpr std::size_t k_usual_depth = 512;

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

/// Where a comma stands that nothing follows; `offset`: of the bracket that closes there.
std::optional<std::size_t> needless_comma(std::string_view text, std::size_t offset) {
  if (offset == 0 || offset >= text.size() || (text[offset] != '}' && text[offset] != ']')) return std::nullopt;
  const std::size_t before = text.find_last_not_of(" \t\r\n", offset - 1);
  return before != std::string_view::npos && text[before] == ',' ? std::optional(before) : std::nullopt;
}

/// Makes the document. Not nlohmann's own maker: for each member of an object, that looks through all before it, so
/// that a few megabytes take minutes.
class DocumentMaker final : public nlohmann::json_sax<Json> {
 public:
  DocumentMaker(std::string_view text, std::string_view source, std::size_t deepest)
      : text_(text), source_(source), deepest_(deepest) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) override { return add(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t /*size*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    Level& level = levels_.back();
    auto& members = level.value.get_ref<Json::object_t&>();
    level.member = level.place_of(name, members);
    if (level.member == members.size()) members.emplace_back(std::move(name), Json());
    return true;
  }
  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/, const Json::exception& error) override {
    const auto* placed = dynamic_cast<const Json::parse_error*>(&error);  // a number that no double holds has no place
    const std::size_t offset = placed == nullptr || placed->byte == 0 ? 0 : placed->byte - 1;
    const Position at = placed == nullptr ? Position{} : position_of(text_, offset);
    fault_ = ParseError{std::string(source_), at, reason_of(error.what())};
    if (const auto comma = needless_comma(text_, offset))
      fault_ = ParseError{std::string(source_), position_of(text_, *comma),
                          cat("a comma too much: nothing follows it before '", text_.substr(offset, 1), "'")};
    return false;
  }

  [[nodiscard]] Result<Json> take() {
    if (fault_) return std::move(*fault_);
    return std::move(whole_);
  }

 private:
  /// An array or object that is not closed yet.
  struct Level {
    Json value;
    std::size_t member = 0;                                    ///< of an object: whose value comes next
    std::unordered_map<std::string, std::size_t> places = {};  ///< of names, once there are many

    /// Where a name is already (the last value wins, at the first's place), or the end.
    std::size_t place_of(const std::string& name, const Json::object_t& members) {
      if (members.size() < k_few_members) {
        const auto found =
            std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.first == name; });
        return static_cast<std::size_t>(found - members.begin());
      }
      for (std::size_t i = places.size(); i < members.size(); ++i) places.emplace(members.data()[i].first, i);
      const auto found = places.find(name);
      return found == places.end() ? members.size() : found->second;
    }
  };

  bool add(Json value) {
    if (levels_.empty()) {
      whole_ = std::move(value);
    } else if (Level& level = levels_.back(); level.value.is_array()) {
      level.value.get_ref<Json::array_t&>().push_back(std::move(value));
    } else {
      level.value.get_ref<Json::object_t&>().data()[level.member].second = std::move(value);
    }
    return true;
  }
  bool open(Json empty) {
    levels_.push_back({std::move(empty)});
    if (levels_.size() <= deepest_) return true;
    fault_ = ParseError{std::string(source_), {}, cat("nested deeper than ", deepest_, " levels")};
    return false;
  }
  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }

  static constexpr std::size_t k_few_members = 16;
  std::string_view text_;
  std::string_view source_;
  std::size_t deepest_;
  std::vector<Level> levels_;
  Json whole_;
  std::optional<ParseError> fault_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view source) {
  return parse_json(text, source, k_usual_depth);
}

Result<Json> parse_json(std::string_view text, std::string_view source, std::size_t deepest) {
  DocumentMaker maker(text, source, deepest);
  (void)Json::sax_parse(text.begin(), text.end(), &maker);
  return maker.take();
}

Json json_or_null(std::string_view text) {
  Result<Json> parsed = parse_json(text, "");
  return parsed.ok() ? std::move(parsed).value() : Json();
}

std::string format_json(const Json& value, JsonStyle style) {
  return value.dump(style.indent, ' ', style.ascii,
                    style.lossy ? Json::error_handler_t::replace : Json::error_handler_t::strict);
}

std::string json_document(const Json& value) { return format_json(value, {.indent = 2, .lossy = true}) + "\n"; }

const Json* find_member(const Json& value, std::string_view name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

const Json& member_or_null(const Json& value, std::string_view name) {
  static const Json null;
  const Json* found = find_member(value, name);
  return found == nullptr ? null : *found;
}

std::string text_member(const Json& value, std::string_view name) {
  const Json* found = find_member(value, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

const Json& object_member(const Json& value, std::string_view name) {
  static const Json none = Json::object();
  const Json* found = find_member(value, name);
  return found != nullptr && found->is_object() ? *found : none;
}

const Json& list_member(const Json& value, std::string_view name) {
  static const Json none = Json::array();
  const Json* found = find_member(value, name);
  return found != nullptr && found->is_array() ? *found : none;
}

std::string text_at(const Json& value, const char* pointer) {
  const Json::json_pointer path(pointer);
  return value.contains(path) && value.at(path).is_string() ? value.at(path).get<std::string>() : "";
}

}  // namespace hearth
