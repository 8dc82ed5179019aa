#include "metadata/model/value_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/json.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

std::string scalar_json(const Value& value) {
  switch (value.kind()) {
    case Kind::boolean: return value.as_bool() ? "true" : "false";
    case Kind::integer: return std::to_string(value.as_integer());
    case Kind::real: return python_json(Json(value.as_real()));
    case Kind::big_integer: return value.text();
    default: return "null";
  }
}

/// A plain ASCII text needs no help; the rest goes through base's writer.
void append_string(std::string& out, const std::string& text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c != 0x7f && c != '"' && c != '\\'; });
  if (plain) {
    out.push_back('"');
    out += text;
    out.push_back('"');
  } else {
    out += python_json(Json(text));
  }
}

std::string key_text(const Value& key) { return key.is_string() ? key.text() : scalar_json(key); }

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  void write(const Value& value, int depth) {
    switch (value.kind()) {
      case Kind::string: append_string(out, value.text()); return;
      case Kind::list: list(value, depth); return;
      case Kind::map: map(value, depth); return;
      case Kind::waiting: waiting(value, depth); return;
      default: out += scalar_json(value);
    }
  }

  std::string out;

 private:
  void line(int depth) {
    if (style_.indent < 0) return;
    out.push_back('\n');
    out.append(static_cast<std::size_t>(style_.indent) * static_cast<std::size_t>(depth), ' ');
  }
  void comma() { out += style_.indent < 0 ? ", " : ","; }

  void list(const Value& value, int depth) {
    if (value.items().empty()) {
      out += "[]";
      return;
    }
    out.push_back('[');
    bool first = true;
    for (const Value& item : value.items()) {
      if (!first) comma();
      first = false;
      line(depth + 1);
      write(item, depth + 1);
    }
    line(depth);
    out.push_back(']');
  }

  void map(const Value& value, int depth) {
    if (value.entries().empty()) {
      out += "{}";
      return;
    }
    std::vector<const Entry*> entries;
    entries.reserve(value.entries().size());
    for (const Entry& entry : value.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::sort(entries.begin(), entries.end(),
                [](const Entry* a, const Entry* b) { return key_text(a->key) < key_text(b->key); });
    }
    out.push_back('{');
    for (const Entry* entry : entries) {
      if (entry != entries.front()) comma();
      line(depth + 1);
      append_string(out, key_text(entry->key));
      out += ": ";
      write(entry->value, depth + 1);
    }
    line(depth);
    out.push_back('}');
  }

  void waiting(const Value& value, int depth) {
    std::vector<Value> names;
    for (const Event& event : value.events()) names.push_back(Value::string(event.text()));
    write(map_of({{"hearth::waiting", Value::list(std::move(names))}}), depth);
  }

  JsonStyle style_;
};

void append_repr(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::list: {
      out.push_back('[');
      for (const Value& item : value.items()) {
        if (&item != value.items().data()) out += ", ";
        append_repr(out, item);
      }
      out.push_back(']');
      return;
    }
    case Kind::map: {
      out.push_back('{');
      for (const Entry& entry : value.entries()) {
        if (&entry != value.entries().data()) out += ", ";
        append_repr(out, entry.key);
        out += ": ";
        append_repr(out, entry.value);
      }
      out.push_back('}');
      return;
    }
    case Kind::string: {
      // repr of a one-item list without its brackets: quoting is base's matter.
      const std::string listed = python_text(Json::array({Json(value.text())}));
      out += listed.substr(1, listed.size() - 2);
      return;
    }
    case Kind::boolean: out += value.as_bool() ? "True" : "False"; return;
    case Kind::real: out += python_text(Json(value.as_real())); return;
    case Kind::waiting: out += "<waiting>"; return;
    case Kind::null: out += "None"; return;
    case Kind::omitted: out += "Ellipsis"; return;
    default: out += scalar_json(value);
  }
}

void gather_events(const Value& value, std::vector<Event>& events) {
  if (!value.has_waiting()) return;
  if (value.is_waiting()) events.insert(events.end(), value.events().begin(), value.events().end());
  if (value.is_list()) {
    for (const Value& item : value.items()) gather_events(item, events);
  }
  if (value.is_map()) {
    for (const Entry& entry : value.entries()) gather_events(entry.value, events);
  }
}

}  // namespace

std::string json_text(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  writer.write(value, 0);
  return std::move(writer.out);
}

std::string python_repr(const Value& value) {
  std::string out;
  append_repr(out, value);
  return out;
}

std::string python_str(const Value& value) { return value.is_string() ? value.text() : python_repr(value); }

bool truth(const Value& value) {
  switch (value.kind()) {
    case Kind::null: return false;
    case Kind::boolean:
    case Kind::integer: return value.as_integer() != 0;
    case Kind::real: return value.as_real() != 0;
    case Kind::string: return !value.text().empty();
    case Kind::list: return !value.items().empty();
    case Kind::map: return !value.entries().empty();
    default: return true;
  }
}

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::null: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer:
    case Kind::big_integer: return "int";
    case Kind::real: return "float";
    case Kind::string: return "str";
    case Kind::list: return "list";
    case Kind::map: return "dict";
    default: return "ellipsis";
  }
}

std::optional<Value> integer_from(std::string_view text) {
  text = trim(text);
  std::string digits;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    if (text.front() == '-') digits = "-";
    text.remove_prefix(1);
  }
  bool digit_before = false;
  for (const char c : text) {
    if (c == '_' && digit_before) {
      digit_before = false;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    digits.push_back(c);
    digit_before = true;
  }
  if (!digit_before) return std::nullopt;
  return Value::big_integer(digits);
}

std::optional<double> real_from(std::string_view text) {
  const std::string lower = to_lower(trim(text));
  std::string_view magnitude = lower;
  if (!magnitude.empty() && (magnitude.front() == '+' || magnitude.front() == '-')) magnitude.remove_prefix(1);
  const bool named = magnitude == "inf" || magnitude == "infinity" || magnitude == "nan";
  std::string digits;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const bool between = lower[i] == '_' && i > 0 && i + 1 < lower.size() && std::isdigit(lower[i - 1]) != 0 &&
                         std::isdigit(lower[i + 1]) != 0;
    if (!between) digits.push_back(lower[i]);
  }
  if (!named && digits.find_first_not_of("0123456789.e+-") != std::string::npos) return std::nullopt;
  if (digits.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (end != digits.c_str() + digits.size()) return std::nullopt;
  return number;
}

std::vector<Event> events_in(const Value& value) {
  std::vector<Event> events;
  gather_events(value, events);
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

}  // namespace hearth::metadata
