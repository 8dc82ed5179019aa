#include "metadata/compile/provenance.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_deepest_origin = 64;
constexpr std::size_t k_longest = 60;

using Keys = std::vector<std::string>;

Keys behind(const Keys& first, const Keys& rest) {
  Keys all = first;
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}
Keys after(const Keys& keys, std::size_t count) {
  return {keys.begin() + static_cast<std::ptrdiff_t>(std::min(count, keys.size())), keys.end()};
}

/// The index of an item by its name, or by its number.
std::optional<std::size_t> item_index(const std::vector<Value>& names, const std::string& key) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].is_string() && names[i].text() == key) return i;
  }
  const std::optional<std::uint64_t> number = parse_number(key);
  return number && *number < names.size() ? std::optional<std::size_t>(*number) : std::nullopt;
}

/// What stands behind a key of a constant; the whole where there is no such key.
Value inside(Value value, const Keys& keys) {
  for (const std::string& key : keys) {
    if (value.is_map()) {
      const Value* found = value.find(key);
      if (found == nullptr) return value;
      value = *found;
    } else if (value.is_list()) {
      std::vector<Value> names;
      for (const Value& item : value.items()) names.push_back(member(item, "name"));
      const auto index = item_index(names, key);
      if (!index) return value;
      value = value.items()[*index];
    }
  }
  return value;
}

/// The members of a group have no template: what they are made of stands in the group's properties.
Keys place_in_group(const Resource& group, const std::string& section) {
  if (group.family == Family::group) return {"resource_def", section};
  if (group.family == Family::chain) return section == "properties" ? Keys{"resource_properties"} : Keys{section};
  return {};
}

class Tracer {
 public:
  explicit Tracer(const Sources& sources) : sources_(sources) {}

  Origin section(Resource& resource, const std::string& name, const Keys& keys) {
    if (++depth_ > k_deepest_origin) return {.what = "…"};
    Resource* group = resource.owner->source() == nullptr ? resource.owner->parent() : nullptr;
    Origin origin;
    if (group != nullptr) {
      origin = section(*group, "properties", behind(place_in_group(*group, name), keys));
    } else {
      const ExpressionPtr& written =
          name == "properties" ? resource.definition->properties : resource.definition->metadata;
      origin = written ? trace(*written, *resource.owner, keys) : not_written(resource);
    }
    --depth_;
    return origin;
  }

 private:
  [[nodiscard]] Origin at(std::string what, const Mark& mark) const {
    return {.what = std::move(what), .place = sources_.text(mark)};
  }
  [[nodiscard]] Origin not_written(const Resource& resource) const {
    return at(cat("a default of ", resource.type, ", as ", resource.path, " says nothing of it"), resource.mark);
  }

  Origin trace(const Expression& expression, Stack& stack, const Keys& keys) {
    if (++depth_ > k_deepest_origin) return {.what = "…"};
    Origin origin = of(expression, stack, keys);
    --depth_;
    return origin;
  }

  Origin of(const Expression& expression, Stack& stack, const Keys& keys) {
    switch (expression.type) {
      case Expression::Type::faulty: return at("a fault", expression.mark);
      case Expression::Type::constant: {
        const Value value = inside(expression.constant, keys);
        return at("written", value.mark().known() ? value.mark() : expression.mark);
      }
      case Expression::Type::branch: return of_branch(expression, stack, keys);
      case Expression::Type::call: return of_call(expression, stack, keys);
      case Expression::Type::list:
      case Expression::Type::map: break;
    }
    if (!keys.empty()) {
      const std::vector<Value> names =
          expression.type == Expression::Type::map ? expression.keys : item_names(expression);
      if (const auto index = item_index(names, keys[0])) return trace(*expression.items[*index], stack, after(keys, 1));
      return at("a default, as nothing is written", expression.mark);
    }
    Origin origin = at(expression.type == Expression::Type::map ? "a map" : "a list", expression.mark);
    add_parts(expression, stack, origin);
    return origin;
  }

  static std::vector<Value> item_names(const Expression& list) {
    std::vector<Value> names(list.items.size());
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Expression& item = *list.items[i];
      if (item.type == Expression::Type::constant) names[i] = member(item.constant, "name");
      for (std::size_t k = 0; item.type == Expression::Type::map && k < item.keys.size(); ++k) {
        if (python_str(item.keys[k]) == "name") names[i] = item.items[k]->constant;
      }
    }
    return names;
  }

  /// The functions inside, not what is written as it is.
  void add_parts(const Expression& expression, Stack& stack, Origin& origin) {
    const bool computed = expression.type == Expression::Type::call || expression.type == Expression::Type::branch;
    if (computed) {
      origin.from.push_back(trace(expression, stack, {}));
      return;
    }
    for (const ExpressionPtr& item : expression.items) add_parts(*item, stack, origin);
  }

  Origin of_branch(const Expression& branch, Stack& stack, const Keys& keys) {
    Value decided = resolve(*branch.items[0], stack);
    const std::string name = decided.is_string() ? cat(" ", decided.text()) : "";
    if (decided.is_string()) decided = stack.condition(decided);
    if (!decided.is_bool()) return at(cat("if", name, ", which waits"), branch.mark);
    Origin origin = at(cat("if", name, " is ", decided.as_bool() ? "true" : "false"), branch.mark);
    origin.from.push_back(trace(*branch.items[decided.as_bool() ? 1 : 2], stack, keys));
    return origin;
  }

  Origin of_call(const Expression& call, Stack& stack, const Keys& keys) {
    const std::string name(call.function->name);
    Origin origin = at(name, call.mark);
    const bool looks_up = name == "get_param" || name == "Ref" || name == "get_attr" || name == "Fn::GetAtt" ||
                          name == "get_resource" || name == "get_file";
    if (looks_up) {
      const Keys words = words_of(resolve(call.arguments(), stack), name);
      if (!words.empty()) {
        origin.what = cat(name, " ", join(words, "."));
        const Keys inner = behind(after(words, 1), keys);
        const bool attribute = name == "get_attr" || name == "Fn::GetAtt";
        if (name == "get_file") {
          origin.from.push_back(of_file(call, stack));
        } else if (Resource* resource = stack.find(words[0]); attribute && resource != nullptr) {
          origin.from.push_back(of_attribute(*resource, inner));
        } else if (resource != nullptr && name != "get_param") {
          origin.from.push_back(at(cat("the id of ", resource->path), resource->mark));
        } else if (!attribute) {
          origin.from.push_back(of_parameter(words[0], stack, inner));
        }
        return origin;
      }
    }
    const Value value = resolve(call, stack);
    if (!value.has_waiting()) origin.value = value;
    add_parts(call.arguments(), stack, origin);
    return origin;
  }

  /// The name that a look-up begins with, and where it goes from there. A file's name is one word.
  static Keys words_of(const Value& arguments, const std::string& name) {
    Keys words;
    if (arguments.has_waiting()) return words;
    if (arguments.is_list()) {
      for (const Value& word : arguments.items()) words.push_back(python_str(word));
    } else if (name == "Fn::GetAtt") {
      words = split(python_str(arguments), '.');
    } else {
      words.push_back(python_str(arguments));
    }
    return words;
  }

  Origin of_file(const Expression& call, Stack& stack) {
    const Value text = resolve(call, stack);
    return {.what = "the file", .place = sources_.name(text.mark().file)};
  }

  Origin of_parameter(const std::string& name, Stack& stack, const Keys& keys) {
    using From = StackParameters::Origin;
    const StackParameters& parameters = stack.parameters();
    const ParameterSchema* schema = parameters.schema(name);
    switch (parameters.origin(name)) {
      case From::pseudo: return {.what = "known of the stack itself"};
      case From::missing: return {.what = "no such parameter"};
      case From::template_default: return at("default of the parameter", inside(schema->default_value, keys).mark());
      case From::parameter_defaults:
        return given(stack.tree().environment.parameter_defaults, "parameter_defaults", name, keys);
      case From::given: break;
    }
    if (Resource* parent = stack.parent()) {
      Origin origin = at(cat("property ", name, " of ", parent->path), parent->mark);
      origin.from.push_back(section(*parent, "properties", behind({name}, keys)));
      return origin;
    }
    return given(stack.parameters().given(), "parameters", name, keys);
  }

  /// What the command line gives has its name as the place.
  [[nodiscard]] Origin given(const Value& values, const std::string& section, const std::string& name,
                             const Keys& keys) const {
    for (const Entry& entry : values.entries()) {
      if (python_str(entry.key) != name) continue;
      const Value value = inside(entry.value, keys);
      if (value.mark().known()) return at(section, value.mark());
      const bool by_command = sources_.name(entry.key.mark().file).starts_with("-P ");
      return at(by_command ? "the command line" : section, entry.key.mark());
    }
    return {.what = section};
  }

  Origin of_attribute(Resource& resource, const Keys& keys) {
    const std::string name = keys.empty() ? "" : keys[0];
    if (stack_of(resource).tree().learned.count(resource.path) > 0)
      return at(cat("told of ", resource.path, " by a signal or an inventory"), resource.mark);
    if (resource.family == Family::value && name == "value") return section(resource, "properties", keys);
    if (resource.family == Family::config && name == "config") return section(resource, "properties", keys);
    if (resource.family == Family::group && name.starts_with("resource.")) {  // "resource.0", or "resource.0.said"
      const Keys words = behind(split(name.substr(9), '.'), after(keys, 1));
      Stack* members = stack_of(resource).nested_of(resource);
      Resource* member = members == nullptr ? nullptr : members->find(words[0]);
      if (member != nullptr && words.size() > 1) return of_attribute(*member, after(words, 1));
    }
    if (resource.family == Family::nested) {
      Stack* nested = stack_of(resource).nested_of(resource);
      if (nested != nullptr && nested->source() != nullptr) {
        for (const OutputDefinition& output : nested->source()->outputs()) {
          if (output.name != name) continue;
          Origin origin = at(cat("output ", name, " of ", resource.path), output.mark);
          origin.from.push_back(trace(*output.value, *nested, after(keys, 1)));
          return origin;
        }
      }
    }
    return at(cat("attribute ", name, " of ", resource.path), resource.mark);
  }

  static Stack& stack_of(const Resource& resource) { return *resource.owner; }

  const Sources& sources_;
  std::size_t depth_ = 0;
};

void add_lines(const Origin& origin, std::size_t depth, std::vector<std::string>& lines) {
  std::string line = cat(std::string(2 * depth, ' '), "from ", origin.what);
  if (!origin.place.empty()) line += cat(", ", origin.place);
  if (origin.value) {
    const std::string text = json_text(*origin.value);
    line += cat(" = ", text.size() > k_longest ? text.substr(0, k_longest - 3) + "..." : text);
  }
  lines.push_back(std::move(line));
  for (const Origin& each : origin.from) add_lines(each, depth + 1, lines);
}

}  // namespace

Origin property_origin(const Sources& sources, Resource& resource, const std::vector<std::string>& keys) {
  return Tracer(sources).section(resource, "properties", keys);
}

Origin metadata_origin(const Sources& sources, Resource& resource, const std::vector<std::string>& keys) {
  return Tracer(sources).section(resource, "metadata", keys);
}

std::vector<std::string> first_places(const Origin& origin) {
  if (origin.from.empty()) return origin.place.empty() ? std::vector<std::string>{} : std::vector{origin.place};
  std::vector<std::string> all;
  for (const Origin& each : origin.from) {
    for (std::string& place : first_places(each)) {
      if (std::find(all.begin(), all.end(), place) == all.end()) all.push_back(std::move(place));
    }
  }
  return all;
}

std::vector<std::string> origin_lines(const Origin& origin) {
  std::vector<std::string> lines;
  add_lines(origin, 1, lines);
  return lines;
}

Value origin_document(const Origin& origin) {
  MapBuilder made;
  made.set("what", Value::string(origin.what));
  made.set("place", origin.place.empty() ? Value() : Value::string(origin.place));
  if (origin.value) made.set("value", *origin.value);
  std::vector<Value> from;
  for (const Origin& each : origin.from) from.push_back(origin_document(each));
  made.set("from", Value::list(std::move(from)));
  return Value::map(std::move(made));
}

}  // namespace hearth::metadata
