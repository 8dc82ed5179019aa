// What get_resource and get_attr give, by what the type's description says.
#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "metadata/graph/identity.hpp"
#include "metadata/graph/network.hpp"
#include "metadata/graph/stack.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/config_text.hpp"

namespace hearth::metadata {

namespace {

Value text(std::string value) { return Value::string(std::move(value)); }

std::string without_extension(const std::string& name) { return name.substr(0, name.rfind('.')); }

/// The config behind an id, or the text as it is.
std::string part_text(const Value& config, Stack& stack) {
  std::string text = python_str(config);
  const auto known = stack.tree().by_id.find(text);
  if (known == stack.tree().by_id.end() || known->second->family != Family::config) return text;
  const Value content =
      config_value(known->second->real_type, known->second->owner->properties(*known->second), *known->second->owner);
  return content.is_string() ? content.text() : json_text(content);
}

Value multipart(const Value& properties, Stack& stack) {
  std::vector<MimePart> parts;
  const Value given = member(properties, "parts");
  for (const Value& part : given.is_list() ? given.items() : std::vector<Value>{}) {
    MimePart made{.text = part_text(member(part, "config"), stack),
                  .type = "text/plain",
                  .filename = python_str(member(part, "filename"))};
    if (member(part, "filename").is_null()) made.filename.clear();
    const Value subtype = member(part, "subtype");
    if (truth(subtype)) {
      made.type = "text/" + python_str(subtype);
    } else if (!made.filename.empty()) {
      made.type = "text/" + without_extension(made.filename);
    }
    std::vector<std::string> inner;
    if (python_str(member(part, "type")) == "multipart") inner = mime_parts(made.text);
    for (std::string& each : inner) parts.push_back({.whole = std::move(each)});
    if (inner.empty()) parts.push_back(std::move(made));
  }
  return Value::string(mime_text(parts));
}

}  // namespace

Value Stack::reference_of(Resource& resource) {
  switch (reference_kind(resource.family, resource.real_type)) {
    case ReferenceKind::id: break;
    case ReferenceKind::name: return text(resource.physical_name);
    case ReferenceKind::own_name: return member(properties(resource), "name");
    case ReferenceKind::text: return plain_attribute(resource, {text("value")});
    case ReferenceKind::url: {
      use_event(resource.path);
      const auto known = tree_.learned.find(resource.path);
      if (known != tree_.learned.end() && known->second.find("url") != nullptr) return *known->second.find("url");
      break;
    }
    case ReferenceKind::stack: return stack_reference(resource);
    case ReferenceKind::external_id:
      check(*resource.definition->external_id, *this);
      return resolve(*resource.definition->external_id, *this);
  }
  return text(resource.uuid);
}

Value Stack::stack_reference(Resource& resource) {
  Stack* nested = nested_of(resource);
  if (nested == nullptr)
    return Value::waiting(raw_properties(resource).has_waiting() ? events_in(raw_properties(resource))
                                                                 : std::vector<Event>{});
  if (nested->has_output("OS::stack_id")) return nested->output("OS::stack_id");
  return text(nested->identity().arn());
}

Value Stack::event_value(Resource& resource, const std::string& attribute) {
  use_event(resource.path);
  auto known = tree_.learned.find(resource.path);
  if (known == tree_.learned.end() && resource.family == Family::external) {  // an inventory may know it by its id
    const std::string id = python_str(reference_of(resource));
    use_event(id);
    known = tree_.learned.find(id);
  }
  if (known == tree_.learned.end()) return Value::waiting({{resource.path, attribute}}).with_mark(resource.mark);
  return member(known->second, attribute);
}

Value Stack::attribute_of(Resource& resource, const std::vector<Value>& path) {
  switch (description_of(resource.family).attributes) {
    case Attributes::none: return {};
    case Attributes::deployment: return deployment_attribute(resource, path);
    case Attributes::members: return members_attribute(resource, path);
    case Attributes::outputs: return nested_attribute(resource, path);
    case Attributes::network: return port_attribute(resource, path);
    case Attributes::learned:
      if (path.empty()) return {};
      return select_attribute(event_value(resource, python_str(path[0])), path, 1);
    case Attributes::properties:
    case Attributes::config:
    case Attributes::value:
    case Attributes::random_text:
    case Attributes::server:
    case Attributes::key_pair: break;
  }
  return plain_attribute(resource, path);
}

Value Stack::deployment_attribute(Resource& resource, const std::vector<Value>& path) {
  const Value given = properties(resource);
  const Value transport = member(given, "signal_transport");
  const Value actions = member(given, "actions");
  const bool silent = transport.is_string() && transport.text() == "NO_SIGNAL";
  const bool idle =
      actions.is_list() && std::none_of(actions.items().begin(), actions.items().end(),
                                        [](const Value& a) { return a.is_string() && a.text() == "CREATE"; });
  if (path.empty()) return {};
  if ((silent || idle) && tree_.learned.count(resource.path) == 0) {
    use_event(resource.path);  // it has run, or may yet run, for another action than CREATE
    return {};
  }
  return select_attribute(event_value(resource, python_str(path[0])), path, 1);
}

Value Stack::nested_attribute(Resource& resource, const std::vector<Value>& path) {
  Stack* nested = nested_of(resource);
  if (nested == nullptr) return Value::waiting(events_in(raw_properties(resource)));
  if (!path.empty()) return select_attribute(nested->output(python_str(path[0])), path, 1);
  MapBuilder all;
  for (const OutputDefinition& definition : nested->source()->outputs())
    all.set(definition.name, nested->output(definition.name));
  return Value::map(std::move(all));
}

Value Stack::members_attribute(Resource& resource, const std::vector<Value>& path) {
  Stack* nested = nested_of(resource);
  if (nested == nullptr) return Value::waiting(events_in(raw_properties(resource)));
  if (resource.family == Family::group) use_event(resource.path);  // which members there are may be learned
  if (path.empty()) return {};
  const std::string name = python_str(path[0]);
  if (resource.family != Family::deployment_group) return group_attribute(resource, *nested, path);
  static const std::unordered_map<std::string, std::string> plurals = {{"deploy_stdouts", "deploy_stdout"},
                                                                       {"deploy_stderrs", "deploy_stderr"},
                                                                       {"deploy_status_codes", "deploy_status_code"}};
  std::vector<Value> inner = path;
  const auto plural = plurals.find(name);
  if (plural != plurals.end()) inner = {text(plural->second)};
  MapBuilder values;
  for (Resource* each : nested->resources()) values.set(each->name, nested->attribute_of(*each, inner));
  const Value all = Value::map(std::move(values));
  return plural != plurals.end() ? select_attribute(all, path, 1) : all;
}

Value Stack::group_attribute(Resource& resource, Stack& nested, const std::vector<Value>& path) {
  const std::string name = python_str(path[0]);
  const std::vector<Resource*> members = nested.resources();
  if (name == "removed_rsrc_list") {
    std::vector<Value> removed;
    for (const std::string& each : resource.passed_over) removed.push_back(text(each));
    return select_attribute(Value::list(std::move(removed)), path, 1);
  }
  if (name == "refs") {
    std::vector<Value> references;
    for (Resource* each : members) references.push_back(nested.reference_of(*each));
    return select_attribute(Value::list(std::move(references)), path, 1);
  }
  if (name == "refs_map") {
    MapBuilder references;
    for (Resource* each : members) references.set(each->name, nested.reference_of(*each));
    return select_attribute(Value::map(std::move(references)), path, 1);
  }
  if (name == "attributes") {
    if (path.size() < 2)
      throw value_fault(cat("\"attributes\" of ", resource.name, " needs the name of an attribute"), path[0].mark());
    MapBuilder values;
    for (Resource* each : members) values.set(each->name, nested.attribute_of(*each, {path.begin() + 1, path.end()}));
    return Value::map(std::move(values));
  }
  if (name.rfind("resource.", 0) == 0) {
    std::string inner = name.substr(9);
    const std::size_t dot = inner.find('.');
    Resource* each = nested.find(inner.substr(0, dot));
    if (each == nullptr) {
      throw Fault("NotFound",
                  cat("Member '", inner.substr(0, dot), "' not found in group resource '", resource.name, "'."),
                  path[0].mark());
    }
    std::vector<Value> rest(path.begin() + 1, path.end());
    if (dot != std::string::npos) rest.insert(rest.begin(), text(inner.substr(dot + 1)));
    return rest.empty() ? nested.reference_of(*each) : nested.attribute_of(*each, rest);
  }
  std::vector<Value> values;
  for (Resource* each : members) {
    if (!nested.has_attribute(each->name, name)) {
      throw Fault("InvalidTemplateAttribute",
                  cat("The Referenced Attribute (", resource.name, " ", name, ") is incorrect."), path[0].mark());
    }
    values.push_back(nested.attribute_of(*each, path));
  }
  return Value::list(std::move(values));
}

Value Stack::plain_attribute(Resource& resource, const std::vector<Value>& path) {
  const std::string name = path.empty() ? "" : python_str(path[0]);
  Value given = properties(resource);
  if (given.is_waiting()) return given;
  const auto learned = tree_.learned.find(resource.path);
  if (learned != tree_.learned.end() && !path.empty() && learned->second.find(name) != nullptr) {
    use_event(resource.path);
    return select_attribute(*learned->second.find(name), path, 1);
  }
  const Attributes kind = description_of(resource.family).attributes;
  switch (kind) {
    case Attributes::value: {
      const Value value = member(raw_properties(resource), "value");  // its type converts what is checked, not this
      return path.empty() ? map_of({{"value", value}}) : select_attribute(value, path, 1);
    }
    case Attributes::random_text: {
      const auto known = tree_.random_texts.find(resource.path);
      if (known != tree_.random_texts.end()) return text(known->second);
      std::string place = tree_.secret_place(resource.path);
      for (const Resource* each = &resource; each != nullptr; each = each->owner->parent()) {
        place += tree_.era_of(each->path);
      }
      const Value salt = member(given, "salt");
      if (truth(salt)) place += cat("/", python_str(salt));  // another one is a new text
      return text(random_text(given, derived_secret(tree_.settings.seed, "random", place, 64)));
    }
    case Attributes::config: {
      const Value config = config_value(resource.real_type, given, *this);
      return path.empty() ? map_of({{"config", config}}) : select_attribute(config, path, 1);
    }
    case Attributes::server: {
      const Value own = member(given, "name");
      if (name == "name" || name == "instance_name")
        return own.is_null() || !truth(own) ? text(resource.physical_name) : own;
      if (const std::optional<Value> known = server_addresses(*this, given, name)) {
        use_event(resource.path);
        return select_attribute(*known, path, 1);
      }
      break;
    }
    case Attributes::none:
    case Attributes::learned:
    case Attributes::properties:
    case Attributes::key_pair:
    case Attributes::network:
    case Attributes::deployment:
    case Attributes::members:
    case Attributes::outputs: break;
  }
  if (kind == Attributes::server) return select_attribute(event_value(resource, name), path, 1);
  if (kind == Attributes::key_pair && name == "private_key") return text("");  // only its owner has it
  const Value same = member(given, name);
  if (!same.is_null()) return select_attribute(same, path, 1);
  return select_attribute(event_value(resource, name), path, 1);
}

Value Stack::port_attribute(Resource& resource, const std::vector<Value>& path) {
  const Value given = properties(resource);
  if (given.has_waiting()) return Value::waiting(events_in(given));
  if (path.empty()) return {};
  const std::string name = python_str(path[0]);
  const auto learned = tree_.learned.find(resource.path);
  use_event(resource.path);
  if (learned != tree_.learned.end() && learned->second.find(name) != nullptr)
    return select_attribute(*learned->second.find(name), path, 1);
  const Value all = network_attributes(*this, resource, given);
  // On a network that is not of this stack only the cloud, or the inventory, gives addresses.
  if (all.find(name) == nullptr) return select_attribute(event_value(resource, name), path, 1);
  return select_attribute(*all.find(name), path, 1);
}

Value config_value(const std::string& type, const Value& properties, Stack& stack) {
  if (properties.is_waiting()) return properties;
  if (type == "OS::Heat::CloudConfig") {
    const Value map = member(properties, "cloud_config");
    return map.has_waiting() ? Value::waiting(events_in(map)) : Value::string(cloud_config_text(map));
  }
  if (type == "OS::Heat::MultipartMime") {
    return properties.has_waiting() ? Value::waiting(events_in(properties)) : multipart(properties, stack);
  }
  if (type == "OS::Heat::SoftwareComponent") return map_of({{"configs", member(properties, "configs")}});
  return member(properties, "config");
}

std::string random_text(const Value& properties, const std::string& seed) {
  static const std::unordered_map<std::string, std::string> classes = {
      {"lettersdigits", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"},
      {"letters", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
      {"lowercase", "abcdefghijklmnopqrstuvwxyz"},
      {"uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
      {"digits", "0123456789"},
      {"hexdigits", "0123456789ABCDEF"},
      {"octdigits", "01234567"}};
  std::string stream;
  std::size_t used = 0;
  const auto next = [&](std::size_t below) {
    if (used + 4 > stream.size()) {
      stream = hex_digest(HashKind::sha256, cat(seed, used, stream));
      used = 0;
    }
    const std::size_t number = std::stoul(stream.substr(used, 4), nullptr, 16);
    used += 4;
    return number % below;
  };
  const Value length = member(properties, "length");
  const auto wanted = static_cast<std::size_t>(length.kind() == Kind::integer ? length.as_integer() : 32);
  std::string out;
  std::string pool;
  const Value asked = member(properties, "character_classes");
  for (const Value& entry : asked.is_list() ? asked.items() : std::vector<Value>{}) {
    const auto known = classes.find(python_str(member(entry, "class")));
    const std::string& letters = known == classes.end() ? classes.at("lettersdigits") : known->second;
    const Value min = member(entry, "min");
    for (std::int64_t i = 0; i < (min.kind() == Kind::integer ? min.as_integer() : 1); ++i)
      out.push_back(letters[next(letters.size())]);
    pool += letters;
  }
  const Value sequences = member(properties, "character_sequences");
  for (const Value& entry : sequences.is_list() ? sequences.items() : std::vector<Value>{}) {
    const std::string letters = python_str(member(entry, "sequence"));
    const Value min = member(entry, "min");
    for (std::int64_t i = 0; i < (min.kind() == Kind::integer ? min.as_integer() : 1) && !letters.empty(); ++i) {
      out.push_back(letters[next(letters.size())]);
    }
    pool += letters;
  }
  if (pool.empty()) pool = classes.at("lettersdigits");
  if (out.size() > wanted)
    throw validation_fault(
        "Length property cannot be smaller than combined character class and character sequence minimums",
        properties.mark());
  while (out.size() < wanted) out.push_back(pool[next(pool.size())]);
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[next(i)]);
  return out;
}

}  // namespace hearth::metadata
