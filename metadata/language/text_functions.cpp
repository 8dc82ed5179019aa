// list_join, str_replace and its strict forms, str_split, digest, make_url.
#include <algorithm>

#include "metadata/language/arguments.hpp"
#include "metadata/language/digest.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/language/placeholders.hpp"
#include "metadata/language/url.hpp"

namespace hearth::metadata {

namespace {

std::string shortened_repr(const Value& value) { return python_repr(value).substr(0, 200); }

void check_join_pair(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 2) {
    const std::string text = cat("Incorrect arguments to ", in_quotes(call.function->name),
                                 " should be: ", in_quotes(call.function->name), " : [ \" \", [ \"str1\", \"str2\"]]");
    throw value_fault(text);
  }
}

void check_join_many(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) < 2) {
    throw value_fault(
        "Incorrect arguments to \"list_join\" should be: \"list_join\" : [ \" \", [ \"str1\", \"str2\"] ...]");
  }
}

std::string joined(const std::vector<Value>& items, const std::string& delimiter, bool json) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += delimiter;
    const Value& item = items[i];
    if (item.is_null()) continue;
    if (item.is_string()) {
      out += item.text();
    } else if (json && (item.is_list() || item.is_map())) {
      out += json_text(item, {.sort_keys = true});
    } else {
      throw type_fault(
          cat(json ? "Items to join must be string, map or list not " : "Items to join must be strings not ",
              shortened_repr(item)),
          item.mark());
    }
  }
  return out;
}

const std::string& delimiter_of(const Expression& call, const Value& value) {
  if (!value.is_string())
    throw type_fault(cat(in_quotes(call.function->name), " delimiter must be a string"), value.mark());
  return value.text();
}

Value join_pair(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const Value& strings = arguments.items()[1];
  if (!strings.is_null() && !strings.is_list()) {
    throw type_fault(cat(in_quotes(call.function->name), " must operate on a list"), strings.mark());
  }
  const std::string& delimiter = delimiter_of(call, arguments.items()[0]);
  return Value::string(joined(strings.is_null() ? std::vector<Value>{} : strings.items(), delimiter, false));
}

Value join_many(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  std::vector<Value> strings;
  for (std::size_t i = 1; i < arguments.items().size(); ++i) {
    const Value& list = arguments.items()[i];
    if (!truth(list)) continue;
    if (!list.is_list()) throw type_fault("\"list_join\" must operate on a list", list.mark());
    strings.insert(strings.end(), list.items().begin(), list.items().end());
  }
  return Value::string(joined(strings, delimiter_of(call, arguments.items()[0]), true));
}

/// How much a form of str_replace demands.
struct Strictness {
  bool json = true;
  bool all_used = false;
  bool no_empty = false;
};

std::string replacement(const Expression& call, const Strictness& how, const std::string& key, const Value& value) {
  const auto empty = [&]() -> std::string {
    if (!how.no_empty) return "";
    throw value_fault(cat(call.function->name, " has an undefined or empty value for param ", key,
                          ", must be a defined non-empty value"),
                      value.mark());
  };
  if (value.is_null()) return empty();
  if (value.is_list() || value.is_map()) {
    if (!how.json) {
      throw type_fault(
          cat(in_quotes(call.function->name), " params must be strings or numbers, param ", key, " is not valid"),
          value.mark());
    }
    if (!truth(value)) return how.no_empty ? empty() : json_text(value);
    return json_text(value, {.sort_keys = true});
  }
  std::string text = python_str(value);
  return text.empty() ? empty() : text;
}

void check_replace(const Expression& call) {
  const std::string name(call.function->name);
  const Expression& arguments = call.arguments();
  if (!is_map_expression(arguments))
    throw type_fault(cat(in_quotes(name), " arguments must be a map: template and params"));
  const ExpressionPtr params = member(arguments, "params");
  if (params == nullptr || member(arguments, "template") == nullptr) {
    throw with_near_key(
        key_fault(cat("'\"", name, "\" syntax should be ", name,
                      ":\\n              template: This is var1 template var2\\n"
                      "              params:\\n                var1: a\\n                var2: string'")),
        call, {"template", "params"});
  }
  if (!is_map_expression(*params) && !is_dynamic(*params)) {
    throw type_fault(cat(in_quotes(name), " parameters must be a mapping"), params->mark);
  }
}

Placeholders placeholders_of(const Expression& call, const Strictness& how, const Value& params) {
  std::vector<Placeholder> all;
  for (const Entry& entry : params.entries()) {
    if (!entry.key.is_string()) {
      throw type_fault(cat(in_quotes(call.function->name), " param placeholders must be strings"), entry.key.mark());
    }
    all.push_back({entry.key.text(), ""});
  }
  Placeholders sorted(std::move(all));
  for (Placeholder& each : sorted.all()) each.value = replacement(call, how, each.key, *params.find(each.key));
  return sorted;
}

constexpr std::uint64_t k_cost_of_a_place = 256;  ///< in bytes that would take as long to make

/// What of the text could be meant by a placeholder: the words of it that have the same signs around them.
std::vector<std::string> candidates(std::string_view placeholder, std::string_view text) {
  constexpr std::string_view k_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  const std::size_t begin = placeholder.find_first_of(k_letters);
  if (begin == std::string_view::npos) return {};
  const std::string_view before = placeholder.substr(0, begin);
  const std::string_view after = placeholder.substr(placeholder.find_last_of(k_letters) + 1);
  std::vector<std::string> found;
  for (std::size_t at = text.find_first_of(k_letters), end = 0; at != std::string_view::npos;
       at = text.find_first_of(k_letters, end)) {
    end = std::min(text.find_first_not_of(k_letters, at), text.size());
    const bool is_like = text.substr(0, at).ends_with(before) && text.substr(end).starts_with(after);
    if (is_like) found.push_back(cat(before, text.substr(at, end - at), after));
  }
  return found;
}

std::string advice_of_unused(const std::vector<std::string>& unused, std::string_view text) {
  constexpr std::size_t k_beginning = 4096;
  for (const std::string& placeholder : unused) {
    const auto near = nearest(placeholder, candidates(placeholder, text.substr(0, k_beginning)));
    if (near) return cat("The template has ", *near, " where ", placeholder, " may be meant.");
  }
  return "";
}

Value replace_in(const Expression& call, Scope& scope, const Strictness& how, const Value& text, const Value& params) {
  if (!text.is_string())
    throw type_fault(cat(in_quotes(call.function->name), " template must be a string"), text.mark());
  if (!params.is_map()) throw type_fault(cat(in_quotes(call.function->name), " params must be a map"), params.mark());
  Placeholders placeholders = placeholders_of(call, how, params);
  const Placeholders::Replaced replaced = placeholders.replace_in(text.text(), call);
  scope.spend(text.text().size() + replaced.places * k_cost_of_a_place);
  if (how.all_used && !replaced.unused.empty()) {
    Fault fault = value_fault(cat("The following params were not found in the template: ", join(replaced.unused, ",")));
    if (std::string advice = advice_of_unused(replaced.unused, text.text()); !advice.empty()) fault.hint(advice);
    throw fault;
  }
  return Value::string(replaced.text);
}

template <bool json, bool all_used, bool no_empty>
Value replace_text(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  return replace_in(call, scope, {json, all_used, no_empty}, *arguments.find("template"), *arguments.find("params"));
}

void check_cfn_replace(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 2) {
    throw type_fault(cat("Incorrect arguments to ", in_quotes(call.function->name), " should be: {",
                         in_quotes(call.function->name),
                         ": [ {\"$var1\": \"foo\", \"%var2%\": \"bar\"}, \"$var1 is %var2%\"]}"));
  }
  const ExpressionPtr params = item(call.arguments(), 0);
  if (!is_map_expression(*params) && !is_dynamic(*params)) {
    throw type_fault(cat(in_quotes(call.function->name), " parameters must be a mapping"), params->mark);
  }
}

Value cfn_replace(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  return replace_in(call, scope, {.json = false}, arguments.items()[1], arguments.items()[0]);
}

constexpr std::string_view k_split_use =
    "Incorrect arguments to \"str_split\" should be: \"str_split\" : [ \",\", \"apples,pears\", <index>]";

void check_str_split(const Expression& call) {
  const Expression& arguments = call.arguments();
  const bool text = arguments.type == Expression::Type::constant && arguments.constant.is_string();
  if (text || is_map_expression(arguments)) throw type_fault(std::string(k_split_use));
}

/// str.split(delimiter); None splits at white space.
std::vector<Value> split_text(const std::string& text, const Value& delimiter) {
  std::vector<Value> parts;
  if (delimiter.is_null()) {
    for (std::string& word : split_words(text)) parts.push_back(Value::string(std::move(word)));
    return parts;
  }
  if (!delimiter.is_string()) {
    throw type_fault(cat("must be str or None, not ", type_name(delimiter)), delimiter.mark());
  }
  if (delimiter.text().empty()) throw value_fault("empty separator", delimiter.mark());
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(delimiter.text(), begin);
    parts.push_back(Value::string(text.substr(begin, end == std::string::npos ? end : end - begin)));
    if (end == std::string::npos) return parts;
    begin = end + delimiter.text().size();
  }
}

Value split_index(const Value& value) {
  if (value.is_string()) {
    if (std::optional<Value> number = integer_from(value.text())) return *number;
    throw value_fault("Incorrect index to \"str_split\" should be: \"str_split\" : [ \",\", \"apples,pears\", <index>]",
                      value.mark());
  }
  if (value.kind() == Kind::real) return Value::integer(static_cast<std::int64_t>(value.as_real()));
  if (value.is_number()) return Value::integer(value.as_integer());
  throw type_fault(
      cat("int() argument must be a string, a bytes-like object or a real number, not '", type_name(value), "'"),
      value.mark());
}

Value str_split(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  if (arguments.is_map() && !arguments.entries().empty()) throw key_fault("0");
  if (!arguments.is_list() || arguments.items().size() < 2) throw value_fault(std::string(k_split_use));
  const Value& text = arguments.items()[1];
  if (text.is_null()) return {};
  if (!text.is_string()) {
    throw Fault("AttributeError", cat("'", type_name(text), "' object has no attribute 'split'"), text.mark());
  }
  std::vector<Value> parts = split_text(text.text(), arguments.items()[0]);
  if (arguments.items().size() < 3) return Value::list(std::move(parts));
  std::int64_t index = split_index(arguments.items()[2]).as_integer();
  const auto size = static_cast<std::int64_t>(parts.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) {
    throw value_fault(cat("Incorrect index to \"str_split\" should be between 0 and ", size - 1),
                      arguments.items()[2].mark());
  }
  return parts[static_cast<std::size_t>(index)];
}

Value digest(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const bool strings = arguments.is_list() && std::all_of(arguments.items().begin(), arguments.items().end(),
                                                          [](const Value& v) { return v.is_string(); });
  if (!strings) throw type_fault("Argument to function \"digest\" must be a list of strings");
  if (arguments.items().size() != 2) throw value_fault("Function \"digest\" usage: [\"<algorithm>\", \"<value>\"]");
  return Value::string(text_digest(arguments.items()[0].text(), arguments.items()[1].text()));
}

}  // namespace

const std::vector<Function>& text_functions() {
  using V = Version;
  using enum Function::Waits;
  static const std::vector<Function> table = {
      {"list_join", V::v2013_05_23, V::v2015_10_15, strictly, check_join_pair, nullptr, join_pair},
      {"list_join", V::v2015_10_15, V::hot_end, strictly, check_join_many, nullptr, join_many},
      {"Fn::Join", V::v2013_05_23, V::v2014_10_16, strictly, check_join_pair, nullptr, join_pair},
      {"Fn::Join", V::aws_2010_09_09, V::cfn_end, strictly, check_join_pair, nullptr, join_pair},
      {"str_replace", V::v2013_05_23, V::v2015_10_15, strictly, check_replace, nullptr,
       replace_text<false, false, false>},
      {"str_replace", V::v2015_10_15, V::hot_end, strictly, check_replace, nullptr, replace_text<true, false, false>},
      {"str_replace_strict", V::v2017_02_24, V::hot_end, strictly, check_replace, nullptr,
       replace_text<true, true, false>},
      {"str_replace_vstrict", V::v2017_09_01, V::hot_end, strictly, check_replace, nullptr,
       replace_text<true, true, true>},
      {"Fn::Replace", V::v2013_05_23, V::v2014_10_16, strictly, check_cfn_replace, nullptr, cfn_replace},
      {"Fn::Replace", V::aws_2010_09_09, V::cfn_end, strictly, check_cfn_replace, nullptr, cfn_replace},
      {"str_split", V::v2015_10_15, V::hot_end, strictly, check_str_split, nullptr, str_split},
      {"digest", V::v2015_04_30, V::hot_end, strictly, nullptr, nullptr, digest},
      {"make_url", V::v2017_09_01, V::hot_end, strictly, nullptr, validate_url, make_url},
  };
  return table;
}

}  // namespace hearth::metadata
