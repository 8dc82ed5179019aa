// Regular expressions, as Python's re has them.
#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/python_pattern.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

using Match = PythonPattern::Match;

PythonPattern compiled(const Item& regex) {
  return PythonPattern(
      regex.value.text(),
      {.ignore_case = (regex.flags & 1) != 0, .multi_line = (regex.flags & 2) != 0, .dot_all = (regex.flags & 4) != 0});
}

std::string part_of(const std::string& text, const Match::Group& group) {
  return group.begin == std::string::npos ? "" : text.substr(group.begin, group.end - group.begin);
}

/// Python counts characters.
Value characters_before(const std::string& text, std::size_t byte) {
  if (byte == std::string::npos) return Value::integer(-1);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < byte; ++i) count += (static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U ? 1 : 0;
  return Value::integer(count);
}

/// The pattern and the text of a call, in either order.
struct Subject {
  Item regex;
  std::string text;
};

Subject subject_of(const Call& call) {
  Item first = call.at(0);
  if (first.type == Item::Type::regex) return {std::move(first), call.text(1)};
  Item second = call.at(1);
  if (second.type != Item::Type::regex) call.mismatch();
  return {std::move(second), call.text(0)};
}

/// $ and $2 … of a selector: {value, start, end} of the whole and of each group.
std::vector<Item> published(const std::string& text, const Match& match) {
  std::vector<Item> groups;
  for (const Match::Group& group : match.groups) {
    const bool took_part = group.begin != std::string::npos;
    groups.emplace_back(map_of({{"value", took_part ? Value::string(part_of(text, group)) : Value()},
                                {"start", characters_before(text, group.begin)},
                                {"end", characters_before(text, group.end)}}));
  }
  return groups;
}

Item regex(const Call& call) {
  Item item(Item::Type::regex, Value::string(call.text(0)));
  static constexpr std::array<std::string_view, 3> flags = {"ignoreCase", "multiLine", "dotAll"};
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::size_t place = call.place_of(flags[i], i + 1);
    if (call.has(place) && is_true(call.at(place))) item.flags |= 1 << i;
  }
  (void)compiled(item);
  return item;
}

Item matches_regex(const Call& call) {
  const Item first = call.at(0);
  if (first.is_text()) {  // text.matches("pattern")
    const Item pattern(Item::Type::regex, Value::string(call.text(1)));
    return Value::boolean(!matches_of(call.evaluator, pattern, first.value.text(), 1).empty());
  }
  if (first.type != Item::Type::regex) call.mismatch();
  return Value::boolean(!matches_of(call.evaluator, first, call.text(1), 1).empty());
}

/// What the selector makes of a match; without one, the text that matched.
Value selected(const Call& call, const std::string& text, const Match& match) {
  if (!call.has(2)) return Value::string(part_of(text, match.groups.front()));
  return call.evaluator.output(call.apply(2, published(text, match)));
}

Item search(const Call& call) {
  if (call.at(0).type != Item::Type::regex) call.mismatch();
  const auto [regex, text] = subject_of(call);
  const std::vector<Match> found = matches_of(call.evaluator, regex, text, 1);
  return found.empty() ? Item() : Item(selected(call, text, found.front()));
}

Item search_all(const Call& call) {
  if (call.at(0).type != Item::Type::regex) call.mismatch();
  const auto [regex, text] = subject_of(call);
  std::vector<Value> all;
  for (const Match& match : matches_of(call.evaluator, regex, text)) all.push_back(selected(call, text, match));
  return {Item::Type::iterator, Value::list(std::move(all))};
}

/// What stands for a match: \1, \g<1>, \n and the like in a replacement are what Python's re.sub() takes them for.
std::string expanded(const std::string& with, const std::string& text, const Match& match) {
  std::string out;
  const auto group = [&](std::size_t number) {
    if (number >= match.groups.size()) throw Fault("error", cat("invalid group reference ", number));
    out += part_of(text, match.groups[number]);
  };
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with[i] != '\\' || i + 1 == with.size()) {
      out.push_back(with[i]);
      continue;
    }
    const char c = with[++i];
    const std::size_t close = c == 'g' ? with.find('>', i) : std::string::npos;
    if (c >= '1' && c <= '9') {
      std::size_t number = static_cast<std::size_t>(c - '0');
      if (i + 1 < with.size() && with[i + 1] >= '0' && with[i + 1] <= '9')
        number = number * 10 + static_cast<std::size_t>(with[++i] - '0');
      group(number);
    } else if (close != std::string::npos && parse_number(with.substr(i + 2, close - i - 2))) {
      group(*parse_number(with.substr(i + 2, close - i - 2)));
      i = close;
    } else if (c == 'n' || c == 't' || c == '\\') {
      out.push_back(c == 'n' ? '\n' : c == 't' ? '\t' : '\\');
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      throw Fault("error", cat("bad escape \\", c, " at position ", i - 1));
    } else {
      out += cat("\\", c);
    }
  }
  return out;
}

template <class Replacement>
Item replaced(const Call& call, Replacement&& replacement) {
  const auto [regex, text] = subject_of(call);
  const std::int64_t most = std::max<std::int64_t>(0, call.integer(call.place_of("count", 3), 0));
  std::string out;
  std::size_t begin = 0;
  for (const Match& match : matches_of(call.evaluator, regex, text, static_cast<std::size_t>(most))) {
    out += text.substr(begin, match.groups.front().begin - begin) + replacement(text, match);
    begin = match.groups.front().end;
    require_room(out.size());
  }
  return Value::string(out + text.substr(begin));
}

Item replace_by(const Call& call) {
  return replaced(call, [&](const std::string& text, const Match& match) {
    const Item made = call.apply(2, published(text, match));
    if (!made.is_text()) throw type_fault("sequence item: expected str instance");
    return made.value.text();
  });
}

Item escape_regex(const Call& call) {
  static constexpr std::string_view special = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f";
  std::string out;
  for (const char c : call.text(0)) out += special.find(c) == std::string_view::npos ? std::string(1, c) : cat("\\", c);
  return Value::string(out);
}

Item is_regex(const Call& call) { return Value::boolean(call.at(0).type == Item::Type::regex); }

}  // namespace

std::vector<Match> matches_of(Evaluator& evaluator, const Item& regex, const std::string& text, std::size_t most) {
  return compiled(regex).find_all(text, most, evaluator.patterns());
}

Item split_by_regex(const Call& call) {
  const auto [regex, text] = subject_of(call);
  const std::int64_t most = std::max<std::int64_t>(0, call.integer(call.place_of("maxSplit", 2), 0));
  std::vector<Value> parts;
  std::size_t begin = 0;
  for (const Match& match : matches_of(call.evaluator, regex, text, static_cast<std::size_t>(most))) {
    parts.push_back(Value::string(text.substr(begin, match.groups.front().begin - begin)));
    for (std::size_t i = 1; i < match.groups.size(); ++i) {
      const bool took_part = match.groups[i].begin != std::string::npos;
      parts.push_back(took_part ? Value::string(part_of(text, match.groups[i])) : Value());
    }
    begin = match.groups.front().end;
  }
  parts.push_back(Value::string(text.substr(begin)));
  return Value::list(std::move(parts));
}

Item replace_by_regex(const Call& call) {
  const std::string with = call.text(2);
  return replaced(call, [&](const std::string& text, const Match& match) { return expanded(with, text, match); });
}

const std::vector<Library>& regex_library() {
  static const std::vector<Library> library = {
      {"regex", Form::function, regex},        {"matches", Form::method, matches_regex},
      {"search", Form::method, search},        {"searchAll", Form::method, search_all},
      {"replaceBy", Form::method, replace_by}, {"escapeRegex", Form::function, escape_regex},
      {"isRegex", Form::function, is_regex}};
  return library;
}

}  // namespace hearth::metadata::yaql
