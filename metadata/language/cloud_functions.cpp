// The functions of CloudFormation templates, some of which the first HOT version knows, too.
#include <algorithm>
#include <map>

#include "metadata/language/arguments.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/characters.hpp"
#include "metadata/model/json_reader.hpp"

namespace hearth::metadata {

namespace {

void check_ref(const Expression& call) {
  const Expression& name = call.arguments();
  if (is_list_expression(name)) throw type_fault("unhashable type: 'list'", name.mark);
  if (is_map_expression(name)) throw type_fault("unhashable type: 'dict'", name.mark);
}

Value ref(const Expression& call, Scope& scope) {
  const Value name = resolved(call, scope);
  if (name.is_list() || name.is_map()) throw type_fault(cat("unhashable type: '", type_name(name), "'"), name.mark());
  const std::string text = python_str(name);
  if (scope.has_resource(text)) return scope.reference(text);
  if (std::optional<Value> value = scope.parameter(text)) return *value;
  throw Fault("InvalidTemplateReference", cat("The specified reference \"", text, "\" (in unknown) is incorrect."),
              name.mark());
}

void check_get_att(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 2) {
    throw value_fault("Arguments to \"Fn::GetAtt\" must be of the form [resource_name, attribute]");
  }
}

Value get_att(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  return scope.attribute(python_str(arguments.items()[0]), {arguments.items()[1]});
}

void validate_get_att(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const std::string resource = python_str(arguments.items()[0]);
  const std::string attribute = python_str(arguments.items()[1]);
  if (!scope.has_resource(resource)) {
    throw Fault("InvalidTemplateReference",
                cat("The specified reference \"", resource, "\" (in unknown) is incorrect."));
  }
  if (!scope.has_attribute(resource, attribute)) {
    throw Fault("InvalidTemplateAttribute",
                cat("The Referenced Attribute (", resource, " ", attribute, ") is incorrect."));
  }
}

void check_select(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 2) {
    throw value_fault("Arguments to \"Fn::Select\" must be of the form [index, collection]");
  }
}

Value collection_of(const Value& value) {
  if (!value.is_string()) return value;
  Result<Value> read = parse_json_value(value.text(), "");
  if (!read) throw value_fault(cat("\"Fn::Select\": ", json_error_text(read.error(), value.text())), value.mark());
  return *read;
}

Value select(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  Value index = arguments.items()[0];
  if (arguments.items()[1].is_string() && arguments.items()[1].text().empty()) return Value::string("");
  const Value collection = collection_of(arguments.items()[1]);
  if (collection.is_map()) {
    if (!index.is_string()) throw type_fault("Index to \"Fn::Select\" must be a string", index.mark());
    const Value* found = collection.find(index.text());
    return found == nullptr ? Value::string("") : *found;
  }
  if (index.is_string()) {
    if (std::optional<Value> number = integer_from(index.text())) index = *number;
  } else if (index.kind() == Kind::real) {
    index = Value::integer(static_cast<std::int64_t>(index.as_real()));
  }
  if (collection.is_list()) {
    if (!index.is_integer() && !index.is_bool())
      throw type_fault("Index to \"Fn::Select\" must be an integer", index.mark());
    const std::optional<Value> found = step_into(collection, index);
    return found ? *found : Value::string("");
  }
  if (collection.is_null()) return Value::string("");
  throw type_fault("Arguments to Fn::Select not fully resolved");
}

void check_fn_split(const Expression& call) {
  if (!is_list_expression(call.arguments()) || length_of(call.arguments()) != 2) {
    throw type_fault("Incorrect arguments to \"Fn::Split\" should be: \"Fn::Split\" : [ \",\", \"str1,str2\"]]");
  }
}

Value split_at(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const Value& delimiter = arguments.items()[0];
  const Value& text = arguments.items()[1];
  if (!delimiter.is_string()) throw type_fault("Delimiter for Fn::Split must be string", delimiter.mark());
  if (!text.is_string())
    throw type_fault(cat("String to split must be string; got <class '", type_name(text), "'>"), text.mark());
  if (delimiter.text().empty()) throw value_fault("empty separator", delimiter.mark());
  std::vector<Value> parts;
  std::string_view rest = text.text();
  for (;;) {
    const std::size_t end = rest.find(delimiter.text());
    parts.push_back(Value::string(std::string(rest.substr(0, end))));
    if (end == std::string_view::npos) return Value::list(std::move(parts));
    rest.remove_prefix(end + delimiter.text().size());
  }
}

Value base64(const Expression& call, Scope& scope) {
  Value text = resolved(call, scope);
  if (!text.is_string()) throw type_fault("\"Fn::Base64\" argument must be a string", text.mark());
  return text;
}

void check_member_list(const Expression& call) {
  const Expression& arguments = call.arguments();
  if (!is_list_expression(arguments) || length_of(arguments) != 3) {
    throw type_fault(
        "Wrong Arguments try: {'Fn::MemberListToMap': ['Name', 'Value', ['.member.0.Name=key', "
        "'.member.0.Value=door']]}");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const ExpressionPtr name = item(arguments, i);
    if (name->type != Expression::Type::constant || !name->constant.is_string()) {
      throw type_fault(cat("Fn::MemberListToMap ", i == 0 ? "Key" : "Value", " Name must be a string"), name->mark);
    }
  }
}

/// As Python iterates over it: a text by its characters, a map by its keys.
std::vector<Value> iterated(const Value& value) {
  if (value.is_list()) return value.items();
  std::vector<Value> items;
  if (value.is_map()) {
    for (const Entry& entry : value.entries()) items.push_back(entry.key);
  } else if (value.is_string()) {
    for (std::string& character : characters(value.text())) items.push_back(Value::string(std::move(character)));
  } else {
    throw type_fault("Member list must be a list", value.mark());
  }
  return items;
}

/// ".member.N.Name=key" and ".member.N.Value=value" by N, in order of N.
Value member_list_to_map(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const std::vector<Value> list = iterated(arguments.items()[2]);
  std::map<std::int64_t, std::pair<std::optional<std::string>, std::optional<std::string>>> pairs;
  for (const Value& text : list) {
    if (!text.is_string()) throw type_fault("Member list items must be strings", text.mark());
    const std::size_t equals = text.text().find('=');
    if (equals == std::string::npos) {
      throw value_fault("dictionary update sequence element #0 has length 1; 2 is required", text.mark());
    }
    const std::vector<std::string> words = split(text.text().substr(0, equals), '.');
    if (words.size() != 4 || words[1] != "member") continue;
    const std::optional<std::uint64_t> number = parse_number(words[2]);
    if (!number) continue;
    auto& pair = pairs[static_cast<std::int64_t>(*number)];
    if (words[3] == arguments.items()[0].text()) pair.first = text.text().substr(equals + 1);
    if (words[3] == arguments.items()[1].text()) pair.second = text.text().substr(equals + 1);
  }
  MapBuilder members;
  for (auto& [number, pair] : pairs) {
    if (pair.first && pair.second) members.set(*pair.first, Value::string(*pair.second));
  }
  return Value::map(std::move(members));
}

Value availability_zones(const Expression&, Scope&) { return Value::list({Value::string("nova")}); }

void check_find_in_map(const Expression& call) {
  const std::size_t length = is_list_expression(call.arguments()) ? length_of(call.arguments()) : 0;
  if (length == 3) return;
  throw key_fault(cat("'", length < 3 ? "not enough" : "too many", " values to unpack (expected 3",
                      length < 3 ? cat(", got ", length) : "", ")'"));
}

Value find_in_map(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  Value value = scope.mappings();
  for (const Value& key : arguments.items()) {
    const Value* found = value.find(key);
    if (found == nullptr) throw key_fault(python_repr(key), key.mark());
    value = *found;
  }
  return value;
}

}  // namespace

const std::vector<Function>& cloud_functions() {
  using V = Version;
  using enum Function::Waits;
  static const std::vector<Function> table = {
      {"Ref", V::v2013_05_23, V::v2014_10_16, by_itself, check_ref, nullptr, ref},
      {"Ref", V::aws_2010_09_09, V::cfn_end, by_itself, check_ref, nullptr, ref},
      {"Fn::GetAtt", V::aws_2010_09_09, V::cfn_end, strictly, check_get_att, validate_get_att, get_att},
      {"Fn::Select", V::v2013_05_23, V::v2015_10_15, strictly, check_select, nullptr, select},
      {"Fn::Select", V::aws_2010_09_09, V::cfn_end, strictly, check_select, nullptr, select},
      {"Fn::Split", V::v2013_05_23, V::v2014_10_16, strictly, check_fn_split, nullptr, split_at},
      {"Fn::Split", V::aws_2010_09_09, V::cfn_end, strictly, check_fn_split, nullptr, split_at},
      {"Fn::Base64", V::v2013_05_23, V::v2014_10_16, strictly, nullptr, nullptr, base64},
      {"Fn::Base64", V::aws_2010_09_09, V::cfn_end, strictly, nullptr, nullptr, base64},
      {"Fn::MemberListToMap", V::v2013_05_23, V::v2014_10_16, strictly, check_member_list, nullptr, member_list_to_map},
      {"Fn::MemberListToMap", V::aws_2010_09_09, V::cfn_end, strictly, check_member_list, nullptr, member_list_to_map},
      {"Fn::GetAZs", V::v2013_05_23, V::v2014_10_16, by_itself, nullptr, nullptr, availability_zones},
      {"Fn::GetAZs", V::aws_2010_09_09, V::cfn_end, by_itself, nullptr, nullptr, availability_zones},
      {"Fn::FindInMap", V::aws_2010_09_09, V::cfn_end, strictly, check_find_in_map, nullptr, find_in_map},
  };
  return table;
}

}  // namespace hearth::metadata
