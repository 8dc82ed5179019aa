#include "metadata/language/functions.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

void refuse_here(const Expression& call) {
  throw value_fault(cat("The function \"", call.function->name, "\" is invalid in this context"));
}

Value never(const Expression&, Scope&) { return {}; }

/// One table a version, by name.
using Index = std::unordered_map<std::string_view, const Function*>;

Index function_index(std::initializer_list<const std::vector<Function>*> tables, Version version) {
  Index index;
  for (const std::vector<Function>* table : tables) {
    for (const Function& function : *table) {
      if (function.from <= version && version < function.until) index[function.name] = &function;
    }
  }
  return index;
}

const Index& functions_of(Version version) {
  static const std::vector<Index> all = [] {
    std::vector<Index> indexes;
    for (int v = 0; v < static_cast<int>(Version::cfn_end); ++v) {
      indexes.push_back(function_index(
          {&lookup_functions(), &text_functions(), &collection_functions(), &cloud_functions(), &yaql_functions()},
          static_cast<Version>(v)));
    }
    return indexes;
  }();
  return all[static_cast<std::size_t>(version)];
}

bool allowed_in_conditions(std::string_view name, Version version) {
  if (is_cfn(version)) return name == "Ref" || name == "Fn::FindInMap";
  if (name == "get_param") return true;
  return version >= Version::v2017_09_01 && (name == "yaql" || name == "contains");
}

/// Twins of all other functions that refuse to be used.
const Index& refused_functions() {
  static const std::vector<Function> twins = [] {
    std::vector<Function> made;
    for (const auto* table :
         {&lookup_functions(), &text_functions(), &collection_functions(), &cloud_functions(), &yaql_functions()}) {
      for (const Function& function : *table) {
        made.push_back({function.name, function.from, function.until, function.waits, refuse_here, nullptr, never});
      }
    }
    made.push_back(
        {"if", Version::v2016_10_14, Version::hot_end, Function::Waits::strictly, refuse_here, nullptr, never});
    made.push_back(
        {"Fn::If", Version::aws_2010_09_09, Version::cfn_end, Function::Waits::strictly, refuse_here, nullptr, never});
    return made;
  }();
  static const Index index = [] {
    Index all;
    for (const Function& twin : twins) all[twin.name] = &twin;
    return all;
  }();
  return index;
}

bool is_removed(const Function& function, Version version) {
  return version < Version::hot_end && (function.name.rfind("Fn::", 0) == 0 || function.name == "Ref") &&
         version >= Version::v2014_10_16 && function.validate != nullptr;
}

}  // namespace

const Function* find_function(std::string_view name, Version version) {
  const Index& index = functions_of(version);
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

const Function* find_condition_function(std::string_view name, Version version) {
  for (const Function& function : condition_functions()) {
    if (function.name == name && function.from <= version && version < function.until) return &function;
  }
  if (is_branch(name, version)) return refused_functions().at(name);
  const Function* function = find_function(name, version);
  if (function == nullptr || allowed_in_conditions(name, version) || is_removed(*function, version)) return function;
  return refused_functions().at(name);
}

bool is_branch(std::string_view name, Version version) {
  if (version == Version::aws_2010_09_09) return name == "Fn::If";
  return name == "if" && version >= Version::v2016_10_14 && version < Version::hot_end;
}

std::vector<std::string> function_names(Version version) {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions_of(version)) {
    if (!is_removed(*function, version)) names.emplace_back(name);
  }
  if (is_branch("if", version)) names.emplace_back("if");
  if (is_branch("Fn::If", version)) names.emplace_back("Fn::If");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> condition_function_names(Version version) {
  std::vector<std::string> names;
  for (const Function& function : condition_functions()) {
    if (function.from <= version && version < function.until) names.emplace_back(function.name);
  }
  return names;
}

std::string_view function_purpose(std::string_view name) {
  static const std::map<std::string_view, std::string_view> words = {
      {"get_param", "the value of a parameter, or a part of it"},
      {"get_resource", "the id of a resource"},
      {"get_attr", "an attribute of a resource, or a part of it"},
      {"get_file", "the contents of a file"},
      {"resource_facade", "what the parent template says of the nested stack's resource"},
      {"list_join", "lists joined to a text"},
      {"str_replace", "a text with names replaced by values"},
      {"str_replace_strict", "as str_replace; every name must occur"},
      {"str_replace_vstrict", "as str_replace_strict; no value may be empty"},
      {"str_split", "a text split to a list, or one part of it"},
      {"repeat", "a template repeated for each item of lists"},
      {"digest", "a checksum of a text"},
      {"map_merge", "maps merged, later ones win"},
      {"map_replace", "a map with keys or values replaced"},
      {"yaql", "the result of a YAQL expression"},
      {"if", "one of two values, by a condition"},
      {"equals", "whether two values are equal"},
      {"not", "the opposite of a condition"},
      {"and", "whether all conditions hold"},
      {"or", "whether any condition holds"},
      {"filter", "a list without certain values"},
      {"make_url", "a URL of its parts"},
      {"list_concat", "lists put together"},
      {"list_concat_unique", "lists put together, without repetition"},
      {"contains", "whether a value is in a list or a text"},
      {"Ref", "the value of a parameter, or the id of a resource"},
      {"Fn::GetAtt", "an attribute of a resource"},
      {"Fn::GetAZs", "the availability zones"},
      {"Fn::Select", "one item of a list or a map"},
      {"Fn::Join", "a list joined to a text"},
      {"Fn::Split", "a text split to a list"},
      {"Fn::Replace", "a text with names replaced by values"},
      {"Fn::Base64", "the text itself"},
      {"Fn::MemberListToMap", "a map of a list of names and values"},
      {"Fn::ResourceFacade", "what the parent template says of the nested stack's resource"},
      {"Fn::FindInMap", "a value of the Mappings section"},
      {"Fn::If", "one of two values, by a condition"},
      {"Fn::Equals", "whether two values are equal"},
      {"Fn::Not", "the opposite of a condition"},
      {"Fn::And", "whether all conditions hold"},
      {"Fn::Or", "whether any condition holds"}};
  const auto found = words.find(name);
  return found == words.end() ? std::string_view{} : found->second;
}

}  // namespace hearth::metadata
