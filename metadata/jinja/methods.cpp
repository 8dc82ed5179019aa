// Methods of Python's str, list and dict that templates call.
#include <algorithm>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "metadata/jinja/evaluator.hpp"

namespace hearth::metadata::jinja {

namespace {

using Arguments = CallArguments;

const std::string& text_of(const Arguments& arguments, std::size_t index, std::string_view method) {
  if (index >= arguments.positional.size() || arguments.positional[index].string() == nullptr)
    throw EvaluationError{cat(method, "() takes a text here")};
  return *arguments.positional[index].string();
}

Object item_of(const Arguments& arguments, std::string_view method) {
  if (arguments.positional.empty()) throw EvaluationError{cat(method, "() takes an argument")};
  return arguments.positional[0];
}

std::string changed_case(const std::string& text, bool upper) {
  std::string out = text;
  for (char& c : out) {
    if (c >= 'a' && c <= 'z' && upper) c = static_cast<char>(c - 'a' + 'A');
    if (c >= 'A' && c <= 'Z' && !upper) c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string capitalized(const std::string& text) {
  return text.empty() ? "" : changed_case(text.substr(0, 1), true) + changed_case(text.substr(1), false);
}

std::string titled(const std::string& text) {
  std::string out;
  bool inside = false;
  for (const char c : text) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    out += changed_case(std::string(1, c), !inside);
    inside = letter;
  }
  return out;
}

std::string stripped(const std::string& text, const std::string& of, bool left, bool right) {
  const std::size_t from = left ? text.find_first_not_of(of) : 0;
  if (from == std::string::npos) return "";
  const std::size_t to = right ? text.find_last_not_of(of) : text.size() - 1;
  return to == std::string::npos ? "" : text.substr(from, to - from + 1);
}

Object split_text(const std::string& text, const Arguments& arguments) {
  List out;
  if (arguments.positional.empty() || arguments.positional[0].is_none()) {
    for (std::string& each : split_words(text)) out.emplace_back(std::move(each));
    return Object::list(std::move(out));
  }
  const std::string& separator = text_of(arguments, 0, "split");
  if (separator.empty()) throw EvaluationError{"empty separator"};
  const std::int64_t most = arguments.get(1, "maxsplit").integer().value_or(-1);
  std::size_t from = 0;
  for (std::size_t next = text.find(separator); next != std::string::npos; next = text.find(separator, from)) {
    if (most >= 0 && static_cast<std::int64_t>(out.size()) >= most) break;
    out.emplace_back(text.substr(from, next - from));
    from = next + separator.size();
  }
  out.emplace_back(text.substr(from));
  return Object::list(std::move(out));
}

bool has_end(const std::string& text, const Object& ends, bool front) {
  const auto matches = [&](const Object& end) {
    if (end.string() == nullptr) throw EvaluationError{"startswith() and endswith() take texts"};
    const std::string& part = *end.string();
    if (part.size() > text.size()) return false;
    return text.compare(front ? 0 : text.size() - part.size(), part.size(), part) == 0;
  };
  if (const List* list = ends.items()) return std::any_of(list->begin(), list->end(), matches);
  return matches(ends);
}

std::string replaced(const std::string& text, const Arguments& arguments) {
  const std::string& from = text_of(arguments, 0, "replace");
  const std::string& to = text_of(arguments, 1, "replace");
  if (from.empty()) throw EvaluationError{"replace() of nothing is not supported"};
  if (to.size() > from.size() && text.size() / from.size() > k_most_text / to.size())
    throw EvaluationError{"a text became too long"};
  return replace_all(text, from, to);
}

std::string joined_text(const std::string& between, const Object& items) {
  std::string out;
  bool first = true;
  for (const Object& each : iterate(items)) {
    if (each.string() == nullptr) throw EvaluationError{"join() takes texts"};
    if (!first) out += between;
    out += *each.string();
    first = false;
  }
  return out;
}

Object text_method(const std::string& text, const std::string& name, const Arguments& arguments) {
  static const std::string k_blanks = " \t\n\r\f\v";
  const auto blanks = [&] { return arguments.positional.empty() ? k_blanks : text_of(arguments, 0, name); };
  if (name == "lower") return changed_case(text, false);
  if (name == "upper") return changed_case(text, true);
  if (name == "capitalize") return capitalized(text);
  if (name == "title") return titled(text);
  if (name == "strip") return stripped(text, blanks(), true, true);
  if (name == "lstrip") return stripped(text, blanks(), true, false);
  if (name == "rstrip") return text.empty() ? text : stripped(text, blanks(), false, true);
  if (name == "split") return split_text(text, arguments);
  if (name == "startswith" || name == "endswith") return has_end(text, item_of(arguments, name), name == "startswith");
  if (name == "replace") return replaced(text, arguments);
  if (name == "join") return joined_text(text, item_of(arguments, name));
  if (name == "isdigit")
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (name == "find") {
    const std::size_t place = text.find(text_of(arguments, 0, name));
    return place == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(place);
  }
  if (name == "count") {
    const std::string& part = text_of(arguments, 0, name);
    std::int64_t count = 0;
    if (part.empty()) throw EvaluationError{"count() of nothing"};
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
    return count;
  }
  throw EvaluationError{cat("'str object' has no attribute '", name, "'")};
}

Object pop_item(List& list, const Arguments& arguments) {
  if (list.empty()) throw EvaluationError{"pop from empty list"};
  const auto size = static_cast<std::int64_t>(list.size());
  const std::int64_t index = arguments.positional.empty() ? -1 : arguments.positional[0].integer().value_or(-1);
  const std::int64_t place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) throw EvaluationError{"pop index out of range"};
  Object item = list[static_cast<std::size_t>(place)];
  list.erase(list.begin() + place);
  return item;
}

Object list_method(List& list, const std::string& name, const Arguments& arguments) {
  if (list.size() > k_most_items) throw EvaluationError{"a list became too long"};
  const auto place = [&] {
    const Object wanted = item_of(arguments, name);
    const auto found = std::find_if(list.begin(), list.end(), [&](const Object& o) { return equal(o, wanted); });
    if (found == list.end()) throw EvaluationError{cat(printed(wanted), " is not in the list")};
    return found;
  };
  if (name == "append") {
    list.push_back(held(&list, item_of(arguments, name)));
  } else if (name == "extend") {
    const List more = iterate(held(&list, item_of(arguments, name)));
    list.insert(list.end(), more.begin(), more.end());
  } else if (name == "insert") {
    if (arguments.positional.size() < 2) throw EvaluationError{"insert() takes an index and an item"};
    const auto size = static_cast<std::int64_t>(list.size());
    const std::int64_t index = arguments.positional[0].integer().value_or(0);
    list.insert(list.begin() + std::clamp(index < 0 ? index + size : index, std::int64_t{0}, size),
                held(&list, arguments.positional[1]));
  } else if (name == "pop") {
    return pop_item(list, arguments);
  } else if (name == "remove") {
    list.erase(place());
  } else if (name == "reverse") {
    std::reverse(list.begin(), list.end());
  } else if (name == "clear") {
    list.clear();
  } else if (name == "copy") {
    return Object::list(list);
  } else if (name == "index") {
    return static_cast<std::int64_t>(place() - list.begin());
  } else if (name == "count") {
    const Object wanted = item_of(arguments, name);
    return static_cast<std::int64_t>(
        std::count_if(list.begin(), list.end(), [&](const Object& o) { return equal(o, wanted); }));
  } else {
    throw EvaluationError{cat("'list object' has no attribute '", name, "'")};
  }
  return {};
}

void update(Dict& dict, const Arguments& arguments) {
  for (const Object& each : arguments.positional) {
    if (each.members() == nullptr) throw EvaluationError{"update() takes a map"};
    const auto more = each.members()->members;
    for (const auto& [key, value] : more) dict.set(key, held(&dict, value));
  }
  for (const auto& [key, value] : arguments.named) dict.set(Object(key), held(&dict, value));
}

Object dict_method(Dict& dict, const std::string& name, const Arguments& arguments) {
  if (dict.members.size() > k_most_items) throw EvaluationError{"a map became too large"};
  List all;
  if (name == "items" || name == "iteritems" || name == "values" || name == "keys") {
    for (const auto& [key, value] : dict.members) {
      all.push_back(name == "keys" ? key : name == "values" ? value : Object::list({key, value}));
    }
    return Object::list(std::move(all));
  }
  Object otherwise = arguments.positional.size() > 1 ? arguments.positional[1] : Object();
  if (name == "get" || name == "setdefault" || name == "pop") {
    const Object key = item_of(arguments, name);
    if (const Object* found = dict.find(key)) {
      Object value = *found;
      if (name == "pop") (void)dict.remove(key);
      return value;
    }
    if (name == "setdefault") dict.set(key, held(&dict, otherwise));
    if (name == "pop" && arguments.positional.size() < 2) throw EvaluationError{cat("no key ", printed(key))};
    return otherwise;
  }
  if (name == "update") {
    update(dict, arguments);
    return {};
  }
  if (name == "copy") {
    Object copy = Object::dict();
    copy.members()->members = dict.members;
    return copy;
  }
  if (name == "clear") {
    dict.members.clear();
    return {};
  }
  throw EvaluationError{cat("'dict object' has no attribute '", name, "'")};
}

}  // namespace

Object call_method(const Object& object, const std::string& name, const CallArguments& arguments) {
  if (object.is_undefined()) refuse_undefined(object);
  if (object.string() != nullptr) return text_method(*object.string(), name, arguments);
  if (object.items() != nullptr) return list_method(*object.items(), name, arguments);
  if (object.members() != nullptr) return dict_method(*object.members(), name, arguments);
  throw EvaluationError{cat("'", kind_name(object), " object' has no attribute '", name, "'")};
}

}  // namespace hearth::metadata::jinja
