#include "bootstrap/deploy/stack_side.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "metadata/live/stack_failures.hpp"
#include "metadata/live/stack_text.hpp"

namespace hearth::bootstrap {

bool is_running(const std::string& stack_status) { return stack_status.find("IN_PROGRESS") != std::string::npos; }
bool has_failed(const std::string& stack_status) { return stack_status.find("FAILED") != std::string::npos; }

std::string StackSide::find() {
  try {
    return client_.locate(name_);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::not_found) return "";
    throw;
  }
}

void StackSide::begin(const Json& body) {
  place_ = find();
  if (place_.empty()) {
    const Json made = client_.call("POST", "/stacks", body);
    place_ = cat("/stacks/", name_, "/", made["stack"]["id"].get<std::string>());
    return;
  }
  const std::string now = status();
  if (is_running(now)) {
    tell_(cat("The stack ", name_, " is ", now, " already: going on with it.\n"), "stack", Json());
    return;
  }
  skip_old_events();
  tell_(cat("The stack ", name_, " is ", now, ": bringing it to what the templates say.\n"), "stack", Json());
  client_.call("PUT", place_, body);
}

void StackSide::skip_old_events() {
  const Json found = client_.call("GET", cat(place_, "/events?nested_depth=9&sort_dir=asc"));
  for (const Json& event : found.at("events")) {
    static_cast<void>(paths_.line(event));  // a nested stack's events are named by its parent's
    marker_ = text_in(event, "id");
  }
}

void StackSide::tell_events() {
  const std::string query = cat("?nested_depth=9&sort_dir=asc", marker_.empty() ? "" : cat("&marker=", marker_));
  const Json found = client_.call("GET", cat(place_, "/events", query));
  for (const Json& event : found.at("events")) {
    tell_(cat(paths_.line(event), "\n"), "stack", event);
    marker_ = text_in(event, "id");
  }
}

std::string StackSide::status() {
  return text_in(client_.call("GET", cat(place_, "?resolve_outputs=False"))["stack"], "stack_status");
}

std::vector<std::string> StackSide::waits() {
  std::vector<std::string> told;
  const Json found = client_.call("GET", cat(place_, "/resources?nested_depth=9&status=IN_PROGRESS"));
  for (const Json& resource : found.at("resources")) {
    const std::string reason = metadata::live::waits_for(resource);
    if (!reason.empty()) told.push_back(cat(text_in(resource, "resource_name"), ": ", one_line(reason)));
  }
  return told;
}

StackSide::Standing StackSide::standing() {
  Standing now;
  const Json found = client_.call("GET", cat(place_, "/resources?nested_depth=9"));
  for (const Json& resource : found.at("resources")) {
    ++now.all;
    if (text_in(resource, "resource_status").ends_with("COMPLETE")) ++now.complete;
  }
  return now;
}

Json StackSide::servers() { return client_.call("GET", cat(place_, "/servers"))["servers"]; }

Json StackSide::server(const std::string& id) { return client_.call("GET", cat(place_, "/servers/", id))["server"]; }

void StackSide::machine_came(const std::string& server, const Json& machine) {
  client_.call("PUT", cat(place_, "/servers/", server), machine);
}

void StackSide::machine_failed(const std::string& server, const std::string& why) {
  client_.call("PUT", cat(place_, "/servers/", server), {{"failure", why}});
}

std::string StackSide::failures() { return metadata::live::failures_text(client_, place_, name_); }

Json StackSide::output_values() {
  const Json stack = client_.call("GET", place_)["stack"];
  Json values = Json::object();
  for (const Json& output : stack.value("outputs", Json::array()))
    values[text_in(output, "output_key")] = output.value("output_value", Json());
  return values;
}

std::string StackSide::outputs() {
  const Json stack = client_.call("GET", place_)["stack"];
  std::string text;
  for (const Json& output : stack.value("outputs", Json::array())) {
    const Json value = output.value("output_value", Json());
    text += cat("  ", text_in(output, "output_key"), " = ",
                value.is_string() ? value.get<std::string>() : format_json(value), "\n");
  }
  return text.empty() ? "" : cat("Outputs:\n", text);
}

}  // namespace hearth::bootstrap
