#include "metadata/batch/request_body.hpp"

#include "base/text.hpp"
#include "metadata/model/characters.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_longest_tag = 80;

Fault bad_request(const std::string& text) { return {"HTTPBadRequest", text}; }
Fault wrong_member(std::string_view key, const Value& value) {
  return type_fault(cat(key, " of the request is a ", type_name(value)), value.mark());
}

/// Whole numbers, or the texts that Python writes for them.
void check_timeout(const Value& timeout) {
  if (timeout.is_null()) return;
  const std::optional<Value> number = timeout.is_string() ? integer_from(timeout.text()) : std::optional(timeout);
  const bool whole = number && number->is_integer() && python_str(*number) == python_str(timeout);
  if (!whole) throw bad_request("Only integer is acceptable by 'timeout_mins'.");
  if (number->as_real() < 0)
    throw bad_request(cat("Value '", python_str(timeout),
                          "' is invalid for 'timeout_mins' which only accepts non-negative integer."));
}

void check_tags(const Value& tags) {
  if (tags.is_null()) return;
  if (!tags.is_string()) throw Fault("AttributeError", "tags of a request are a text with commas", tags.mark());
  for (const std::string& tag : split(tags.text(), ',')) {
    if (characters(tag).size() > k_longest_tag)
      throw bad_request(cat("Invalid tag, \"", tag, "\" is longer than ", k_longest_tag, " characters"));
  }
}

void check_rollback(const Value& body) {
  const Value* given = body.find("disable_rollback");
  if (given == nullptr) return;
  const std::string word = to_lower(python_str(*given));
  if (word == "true" || word == "false") return;
  throw value_fault(cat("Unrecognized value \"", python_str(*given),
                        "\" for \"disable_rollback\", acceptable values are: true, false."));
}

/// What dict.update() takes: a map, or pairs, of which none is a good request.
void check_parameters(const Value& body) {
  const bool merged = !truth(member(body, "environment_files"));  // else the files take its place
  const Value sections = merged ? member(body, "environment") : Value();
  const Value declared = member(sections, "parameters");
  if (sections.is_map() && !declared.is_null() && !declared.is_map())
    throw Fault("AttributeError", "parameters of the environment are a map", declared.mark());
  const Value* given = body.find("parameters");
  if (given == nullptr || given->is_map()) return;
  const bool nothing = (given->is_list() && given->items().empty()) || (given->is_string() && given->text().empty());
  if (nothing) return;
  const Value first = given->is_list() ? given->items()[0] : Value();
  const bool no_sequence = given->is_list() && !first.is_list() && !first.is_string() && !first.is_map();
  if (no_sequence || !(given->is_list() || given->is_string())) throw wrong_member("parameters", *given);
  throw value_fault("parameters of the request are a map", given->mark());
}

void check_files(const Value& files) {
  if (files.is_null()) return;
  if (files.is_integer() || files.is_bool() || (!files.is_map() && !truth(files)))
    throw Fault("AttributeError", "files of the request are a map");
  if (!files.is_map()) throw value_fault(cat("Expected a map of files, got a ", type_name(files)), files.mark());
  for (const Entry& file : files.entries()) {
    if (!file.value.is_string()) throw wrong_member(cat("file ", python_str(file.key)), file.value);
  }
}

/// Names of files in the request.
void check_environment_files(const Value& names, const Value& files) {
  if (!truth(names)) return;
  std::vector<Value> each;
  if (names.is_list()) {
    each = names.items();
  } else if (names.is_map()) {
    for (const Entry& entry : names.entries()) each.push_back(entry.key);
  } else if (names.is_string()) {
    for (const std::string& character : characters(names.text())) each.push_back(Value::string(character));
  } else {
    throw wrong_member("environment_files", names);
  }
  for (const Value& name : each) {
    if (files.find(name) == nullptr)
      throw Fault("KeyError", cat("there is no environment file ", python_str(name)), name.mark());
  }
}

}  // namespace

void check_request_body(const Value& body) {
  check_timeout(member(body, "timeout_mins"));
  check_tags(member(body, "tags"));
  if (body.find("adopt_stack_data") != nullptr) throw bad_request("Invalid adopt data: no stack is adopted here");
  check_parameters(body);
  if (truth(member(body, "files_container")) && !member(body, "files_container").is_string())
    throw wrong_member("files_container", member(body, "files_container"));
  check_rollback(body);
  check_files(member(body, "files"));
  check_environment_files(member(body, "environment_files"), member(body, "files"));
}

void check_environment_sections(const Value& environment) {
  const Value registry = member(environment, "resource_registry");
  if (!registry.is_null() && !registry.is_map())
    throw Fault("AttributeError", "the resource_registry of the environment is a map", registry.mark());
  const Value sinks = member(environment, "event_sinks");
  if (!sinks.is_null()) check_event_sinks(sinks);
}

void check_event_sinks(const Value& sinks) {
  if (sinks.is_map() ? !sinks.entries().empty() : sinks.is_string() && !sinks.text().empty())
    throw Fault("AttributeError", "event_sinks of an environment are a list of maps", sinks.mark());
  if (sinks.is_map() || sinks.is_string()) return;
  if (!sinks.is_list()) throw wrong_member("event_sinks", sinks);
  for (const Value& sink : sinks.items()) {
    if (sink.is_list()) throw wrong_member("an event sink", sink);
    if (!sink.is_map()) throw Fault("AttributeError", "an event sink is a map", sink.mark());
    const Value type = member(sink, "type");
    if (!type.is_string() || type.text() != "zaqar-queue")
      throw Fault("KeyError", cat("there is no event sink of type ", python_repr(type)), sink.mark());
    for (const Entry& entry : sink.entries()) {
      const std::string key = python_str(entry.key);
      if (key != "type" && key != "target" && key != "ttl") throw type_fault(cat("an event sink has no ", key));
    }
    if (sink.find("target") == nullptr) throw type_fault("an event sink has a target", sink.mark());
  }
}

}  // namespace hearth::metadata
