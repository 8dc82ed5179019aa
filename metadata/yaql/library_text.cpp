// Texts, and what becomes a number.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "metadata/model/characters.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/yaql/evaluator.hpp"
#include "metadata/yaql/letter_case.hpp"

namespace hearth::metadata::yaql {

namespace {

Item texts(const Call& call, std::vector<std::string> parts) {
  call.evaluator.count_items(parts.size());
  std::vector<Value> items;
  for (std::string& part : parts) items.push_back(Value::string(std::move(part)));
  return Value::list(std::move(items));
}

Item str(const Call& call) {
  const Value value = call.at(0).value;
  call.evaluator.count_items(value.weight());
  return Value::string(text_of(value));
}
Item upper(const Call& call) { return Value::string(upper_case(call.text(0))); }
Item lower(const Call& call) { return Value::string(lower_case(call.text(0))); }

std::vector<std::string> split_text(const std::string& text, const std::string& separator, std::int64_t most) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = most >= 0 && static_cast<std::int64_t>(parts.size()) >= most
                                ? std::string::npos
                                : find_part(text, separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + separator.size();
  }
}

Item split_apart(const Call& call) {
  const Item first = call.at(0);
  const Item second = call.at(1);
  if (first.type == Item::Type::regex || second.type == Item::Type::regex) return split_by_regex(call);
  const std::string text = call.text(0);
  if (second.value.is_null()) return texts(call, split_words(text));
  const std::string separator = call.text(1);
  if (separator.empty()) throw value_fault("empty separator");
  return texts(call, split_text(text, separator, call.integer(2, -1)));
}

/// Words from the right, as many as that; what is left of them is the first.
std::vector<std::string> right_words(std::string text, std::int64_t most) {
  constexpr std::string_view blank = " \t\n\r\v\f";
  std::vector<std::string> words;
  while (true) {
    text.resize(text.find_last_not_of(blank) + 1);  // npos + 1 is 0
    if (text.empty()) break;
    const std::size_t gap = most == 0 ? std::string::npos : text.find_last_of(blank);
    words.push_back(gap == std::string::npos ? text : text.substr(gap + 1));
    if (gap == std::string::npos) break;
    text.resize(gap);
    if (most > 0) --most;
  }
  std::reverse(words.begin(), words.end());
  return words;
}

Item right_split(const Call& call) {
  const std::string text = call.text(0);
  const std::size_t limit = call.place_of("maxSplits", 2);
  const std::size_t where = call.place_of("separator", 1);
  if (!call.has(where) || call.at(where).value.is_null())
    return texts(call, right_words(text, call.integer(limit, -1)));
  const std::string separator = call.text(where);
  if (separator.empty()) throw value_fault("empty separator");
  const auto turned = [](const std::string& each) { return std::string(each.rbegin(), each.rend()); };
  std::vector<std::string> parts = split_text(turned(text), turned(separator), call.integer(limit, -1));
  std::reverse(parts.begin(), parts.end());
  for (std::string& part : parts) part = turned(part);
  return texts(call, std::move(parts));
}

std::string stripped(const std::string& text, const std::string& characters, bool left, bool right) {
  std::array<bool, 256> off{};  // both may be large
  for (const char c : characters) off[static_cast<unsigned char>(c)] = true;
  const auto stays = [&](char c) { return !off[static_cast<unsigned char>(c)]; };
  const auto begin = left ? std::find_if(text.begin(), text.end(), stays) : text.begin();
  const auto end = right ? std::find_if(text.rbegin(), text.rend(), stays).base() : text.end();
  return begin < end ? std::string(begin, end) : "";
}

template <bool left, bool right>
Item trimmed_at(const Call& call) {
  return Value::string(
      stripped(call.text(0), call.has(1) && !call.at(1).value.is_null() ? call.text(1) : " \t\n\r\v\f", left, right));
}

Item is_empty(const Call& call) {
  const Item text = call.at(0);
  if (text.value.is_null()) return Value::boolean(true);
  return Value::boolean(stripped(call.text(0), " \t\n\r\v\f", true, true).empty());
}

std::string replaced_all(const Call& call, const std::string& text, const std::string& old, const std::string& with,
                         std::int64_t most) {
  if (old.empty()) return text;
  const std::vector<std::string> parts = split_text(text, old, most);
  constexpr std::size_t parts_of_an_item = 8;
  call.evaluator.count_items(parts.size() / parts_of_an_item);
  call.evaluator.count_letters(text.size());
  require_room(text.size() + parts.size() * with.size());
  return join(parts, with);
}

Item replace(const Call& call) {
  const Item first = call.at(0);
  const Item second = call.at(1);
  if (first.type == Item::Type::regex || second.type == Item::Type::regex) return replace_by_regex(call);
  if (first.is_text() && second.is_map()) {
    std::string text = call.text(0);
    for (const Entry& entry : second.value.entries())
      text = replaced_all(call, text, text_of(entry.key), text_of(entry.value), -1);
    return Value::string(text);
  }
  if (!first.is_text()) {  // replace(position, value, count) of a list
    Item holder;
    std::vector<Value> all = call.collection(0, holder);
    const std::int64_t at = call.integer(1);
    if (at >= 0 && at < static_cast<std::int64_t>(all.size()))
      all[static_cast<std::size_t>(at)] = call.evaluator.output(call.at(2));
    return {Item::Type::iterator, Value::list(std::move(all))};
  }
  const std::string old = call.text(1);
  const std::int64_t most = call.integer(3, -1);
  return Value::string(replaced_all(call, call.text(0), old, call.text(2), most));
}

/// Filled up to the width of a format such as ">5" or "*^10"; numbers stand right by themselves.
std::string padded(const std::string& text, std::string_view how, bool right) {
  std::size_t align = std::string_view::npos;
  if (how.size() > 1 && std::string_view("<>^").find(how[1]) != std::string_view::npos) align = 1;
  if (align == std::string_view::npos && !how.empty() && std::string_view("<>^").find(how[0]) != std::string_view::npos)
    align = 0;
  const std::string fill(1, align == 1 ? how[0] : ' ');
  const char side = align == std::string_view::npos ? (right ? '>' : '<') : how[align];
  if (align != std::string_view::npos) how.remove_prefix(align + 1);
  if (!how.empty() && (how.back() == 's' || how.back() == 'd')) how.remove_suffix(1);
  const std::optional<std::uint64_t> width = how.empty() ? 0 : parse_number(how);
  if (!width || *width > 10'000) throw value_fault("Invalid format specifier");
  if (*width <= text.size()) return text;
  const std::size_t gap = *width - text.size();
  const std::size_t before = side == '<' ? 0 : side == '>' ? gap : gap / 2;
  return cat(std::string(before, fill[0]), text, std::string(gap - before, fill[0]));
}

/// What stands for {field} of a format; `next` counts those without a number.
std::string field(const Call& call, const std::string& whole, std::size_t& next) {
  const std::size_t colon = whole.find(':');
  const std::size_t bang = whole.substr(0, colon).find('!');
  const std::string name = whole.substr(0, std::min(bang, colon));
  const std::optional<std::uint64_t> number = parse_number(name);
  if (!name.empty() && !number) throw key_fault(python_repr(Value::string(name)));
  const std::size_t place = name.empty() ? next++ : *number + 1;
  if (!call.has(place)) throw Fault("IndexError", "Replacement index out of range for positional args tuple");
  const Value value = call.at(place).value;
  const bool container = value.is_list() || value.is_map();
  if (container) call.evaluator.count_items(value.weight());
  if (bang == std::string::npos && colon != std::string::npos && colon + 1 < whole.size() && container)
    throw type_fault(cat("unsupported format string passed to ", type_name(value), ".__format__"));
  std::string text = container || bang != std::string::npos ? shown(value) : python_str(value);
  if (colon == std::string::npos) return text;
  return padded(value.is_bool() ? (value.as_bool() ? "1" : "0") : text, std::string_view(whole).substr(colon + 1),
                value.is_number());
}

/// {0} {1} {name}; {{ and }} are braces.
Item format(const Call& call) {
  const std::string pattern = call.text(0);
  std::string out;
  std::size_t next = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
      out.push_back(c);
      ++i;
    } else if (c == '{') {
      const std::size_t end = pattern.find('}', i);
      if (end == std::string::npos) throw value_fault("expected '}' before end of string");
      out += field(call, pattern.substr(i + 1, end - i - 1), next);
      require_room(out.size());
      i = end;
    } else {
      out.push_back(c);
    }
  }
  return Value::string(out);
}

Item substring(const Call& call) {
  const std::string text = call.text(0);
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t start = call.integer(1) + (call.integer(1) < 0 ? size : 0);
  const std::int64_t length = call.integer(2, -1);
  // As Python slices: what is still negative counts from the end once more.
  const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size); };
  const std::int64_t begin = place(start);
  const std::int64_t end = std::max(begin, place(start + (length < 0 ? size : std::min(length, size))));
  return Value::string(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

template <bool at_end>
Item edge(const Call& call) {
  const std::string text = call.text(0);
  for (std::size_t i = 1; i < call.count(); ++i) {
    const std::string part = call.text(i);
    if (part.size() > text.size()) continue;
    if (at_end ? text.compare(text.size() - part.size(), part.size(), part) == 0
               : text.compare(0, part.size(), part) == 0) {
      return Value::boolean(true);
    }
  }
  return Value::boolean(false);
}

Item characters_of(const Call& call) { return texts(call, metadata::characters(call.text(0))); }

Item integer(const Call& call) {
  const Value value = call.at(0).value;
  if (value.is_null()) return Value::integer(0);
  if (value.is_string()) {
    if (std::optional<Value> number = integer_from(value.text())) return *number;
    throw value_fault(cat("invalid literal for int() with base 10: ", python_repr(value)));
  }
  if (value.kind() == Kind::real) return Value::integer(static_cast<std::int64_t>(value.as_real()));
  if (value.is_bool()) return Value::integer(value.as_integer());
  if (!value.is_integer())
    throw type_fault(
        cat("int() argument must be a string, a bytes-like object or a real number, not '", type_name(value), "'"));
  return value;
}

Item real(const Call& call) {
  const Value value = call.at(0).value;
  if (value.is_null()) return Value::real(0);
  if (value.is_number()) return Value::real(value.as_real());
  const std::optional<double> number = value.is_string() ? real_from(value.text()) : std::nullopt;
  if (!number) throw value_fault(cat("could not convert string to float: ", python_repr(value)));
  return Value::real(*number);
}

Item boolean(const Call& call) { return Value::boolean(is_true(call.at(0))); }

Item hex(const Call& call) {
  char buffer[32];
  const std::int64_t number = call.integer(0);
  std::snprintf(buffer, sizeof buffer, "%s0x%llx", number < 0 ? "-" : "",
                static_cast<unsigned long long>(number < 0 ? -number : number));
  return Value::string(buffer);
}

Item absolute(const Call& call) {
  const Value value = call.at(0).value;
  if (value.kind() == Kind::real) return Value::real(std::fabs(value.as_real()));
  return Value::integer(std::llabs(call.integer(0)));
}

Item rounded(const Call& call) {
  const double scale = std::pow(10, static_cast<double>(call.integer(1, 0)));
  const Value value = call.at(0).value;
  if (!value.is_number()) call.mismatch();
  if (value.is_integer()) return value;
  return Value::real(std::nearbyint(value.as_real() * scale) / scale);
}

/// trim() that gives null for what is empty then.
Item norm(const Call& call) {
  if (call.at(0).value.is_null()) return {};
  Item trimmed = trimmed_at<true, true>(call);
  return trimmed.value.text().empty() ? Item() : trimmed;
}

/// The characters of the kinds that are asked for by name. YAQL's are a set in no order; ours come in ASCII's.
Item character_kinds(const Call& call) {
  static const std::vector<std::pair<std::string_view, std::string_view>> kinds = {
      {"digits", "0123456789"},
      {"hexdigits", "0123456789abcdefABCDEF"},
      {"asciiLowercase", "abcdefghijklmnopqrstuvwxyz"},
      {"asciiUppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
      {"asciiLetters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"},
      {"octdigits", "01234567"},
      {"punctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"},
      {"printable",
       "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\v\f"},
      {"whitespace", " \t\n\r\v\f"}};
  std::string all;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::size_t place = call.place_of(kinds[i].first, call.count());
    if (call.has(place) && is_true(call.at(place))) all += kinds[i].second;
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<Value> items;
  for (const char c : all) items.push_back(Value::string(std::string(1, c)));
  return {Item::Type::set, Value::list(std::move(items))};
}

Item is_string(const Call& call) { return Value::boolean(call.at(0).is_text()); }
Item is_integer(const Call& call) { return Value::boolean(call.at(0).value.is_integer()); }
Item is_number_type(const Call& call) {
  const Item i = call.at(0);
  return Value::boolean(i.value.is_number() && !i.value.is_bool());
}
Item is_boolean(const Call& call) { return Value::boolean(call.at(0).value.is_bool()); }

}  // namespace

const std::vector<Library>& text_library() {
  static const std::vector<Library> library = {{"str", Form::function, str},
                                               {"toUpper", Form::method, upper},
                                               {"toLower", Form::method, lower},
                                               {"split", Form::method, split_apart},
                                               {"rightSplit", Form::method, right_split},
                                               {"trim", Form::method, trimmed_at<true, true>},
                                               {"trimLeft", Form::method, trimmed_at<true, false>},
                                               {"trimRight", Form::method, trimmed_at<false, true>},
                                               {"isEmpty", Form::both, is_empty},
                                               {"replace", Form::method, replace},
                                               {"format", Form::both, format},
                                               {"substring", Form::method, substring},
                                               {"startsWith", Form::method, edge<false>},
                                               {"endsWith", Form::method, edge<true>},
                                               {"toCharArray", Form::method, characters_of},
                                               {"int", Form::function, integer},
                                               {"float", Form::function, real},
                                               {"bool", Form::function, boolean},
                                               {"hex", Form::function, hex},
                                               {"abs", Form::function, absolute},
                                               {"round", Form::function, rounded},
                                               {"norm", Form::both, norm},
                                               {"characters", Form::function, character_kinds},
                                               {"isString", Form::function, is_string},
                                               {"isInteger", Form::function, is_integer},
                                               {"isNumber", Form::function, is_number_type},
                                               {"isBoolean", Form::function, is_boolean}};
  return library;
}

}  // namespace hearth::metadata::yaql
