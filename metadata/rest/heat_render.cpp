#include "metadata/rest/heat_render.hpp"

#include <utility>

#include "base/net/url.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

Json link(const std::string& href, const char* rel) {
  Json out = Json::object();
  out["href"] = href;
  out["rel"] = rel;
  return out;
}

Json time_or_null(std::int64_t time) { return time == 0 ? Json() : Json(iso_time(time)); }

Json tags_of(const StackTree& tree, bool is_root) {
  const std::string text = is_root && tree.body.contains("tags") && tree.body["tags"].is_string()
                               ? tree.body["tags"].get<std::string>()
                               : std::string();
  if (text.empty()) return Json();
  Json tags = Json::array();
  for (const std::string& tag : split(text, ',')) tags.push_back(tag);
  return tags;
}

Json parent_of(const StackTree& tree, const StackRecord& stack) {
  return stack.parent == k_none ? Json() : Json(tree.stack(stack.parent).id);
}

std::string_view explanation(int status) {
  switch (status) {
    case 400:
      return "The server could not comply with the request since it is either malformed or otherwise incorrect.";
    case 401: return "This server could not verify that you are authorized to access the document you requested.";
    case 403: return "Access was denied to this resource.";
    case 404: return "The resource could not be found.";
    case 501: return "The server does not do this.";
    case 409: return "There was a conflict when trying to complete your request.";
    default: return "The server has either erred or is incapable of performing the requested operation.";
  }
}

ServedResponse json_text_response(int status, std::string text) {
  ServedResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}};
  response.body = std::move(text);
  return response;
}

}  // namespace

std::string Base::stack(const StackRecord& stack) const { return cat(url, "/stacks/", stack.name, "/", stack.id); }
std::string Base::resource(const StackRecord& owner, const std::string& name) const {
  return cat(stack(owner), "/resources/", percent_encode(name));
}

Json stack_summary(const Base& base, const StackTree& tree, std::size_t index) {
  const StackRecord& stack = tree.stack(index);
  Json out = Json::object();
  out["id"] = stack.id;
  out["links"] = Json::array({link(base.stack(stack), "self")});
  out["project"] = tree.project;
  out["stack_name"] = stack.name;
  out["description"] = "";  // a list does not read templates
  out["stack_status"] = status_text(stack.action, stack.status);
  out["stack_status_reason"] = stack.reason;
  out["creation_time"] = iso_time(stack.created);
  out["updated_time"] = time_or_null(stack.updated);
  out["deletion_time"] = Json();
  out["stack_owner"] = "admin";
  out["parent"] = parent_of(tree, stack);
  out["stack_user_project_id"] = tree.project;
  out["tags"] = tags_of(tree, index == 0);
  return out;
}

Json stack_details(const Base& base, const StackTree& tree, std::size_t index, const Json& parameters,
                   const Json& outputs) {
  const StackRecord& stack = tree.stack(index);
  const std::string description = stack.description.empty() ? "No description" : stack.description;
  Json out = Json::object();
  out["stack_name"] = stack.name;
  out["id"] = stack.id;
  out["links"] = Json::array({link(base.stack(stack), "self")});
  out["creation_time"] = iso_time(stack.created);
  out["updated_time"] = time_or_null(stack.updated);
  out["deletion_time"] = Json();
  out["notification_topics"] = Json::array();
  out["parameters"] = parameters.is_null() ? Json::object() : parameters;
  out["description"] = description;
  out["template_description"] = description;
  out["capabilities"] = Json::array();
  out["disable_rollback"] = tree.body.value("disable_rollback", true);
  out["timeout_mins"] = tree.body.contains("timeout_mins") ? tree.body["timeout_mins"] : Json();
  out["stack_owner"] = "admin";
  out["parent"] = parent_of(tree, stack);
  out["stack_user_project_id"] = tree.project;
  const Json tags = tags_of(tree, index == 0);
  out["tags"] = tags.is_null() ? Json::array() : tags;
  out["stack_status"] = status_text(stack.action, stack.status);
  out["stack_status_reason"] = stack.reason;
  if (!outputs.is_null()) out["outputs"] = outputs;
  return out;
}

Json resource_summary(const Base& base, const StackTree& tree, std::size_t index) {
  const ResourceRecord& resource = tree.resource(index);
  const StackRecord& stack = tree.stack(resource.stack);
  Json out = Json::object();
  out["updated_time"] = iso_time(resource.updated);
  out["creation_time"] = iso_time(resource.created);
  out["logical_resource_id"] = resource.name;
  out["resource_name"] = resource.name;
  out["physical_resource_id"] = resource.physical_id;
  out["resource_status"] = status_text(resource.action, resource.status);
  out["resource_status_reason"] = resource.reason;
  out["resource_type"] = resource.type;
  out["links"] = Json::array({link(base.resource(stack, resource.name), "self"), link(base.stack(stack), "stack")});
  if (resource.child != k_none) out["links"].push_back(link(base.stack(tree.stack(resource.child)), "nested"));
  out["required_by"] = Json::array();
  for (const std::size_t other : resource.needed_by) {
    if (!tree.resource(other).removed) out["required_by"].push_back(tree.resource(other).name);
  }
  if (stack.parent_resource != k_none) out["parent_resource"] = tree.resource(stack.parent_resource).name;
  return out;
}

Json event_summary(const Base& base, const EventRecord& event, const StackRecord& stack, const StackRecord* root) {
  const std::string resource = base.resource(stack, event.resource);
  Json out = Json::object();
  out["id"] = event.id;
  out["links"] = Json::array({link(cat(resource, "/events/", event.id), "self"), link(resource, "resource"),
                              link(base.stack(stack), "stack")});
  if (root != nullptr) out["links"].push_back(link(base.stack(*root), "root_stack"));
  out["event_time"] = iso_time(event.time);
  out["logical_resource_id"] = event.resource;
  out["resource_name"] = event.resource;
  out["physical_resource_id"] = event.physical_id;
  out["resource_status"] = event.status;
  out["resource_status_reason"] = event.reason;
  return out;
}

Json output_details(const PlannedOutput& output) {
  Json out = Json::object();
  out["output_key"] = output.name;
  out["description"] = output.description.empty() ? "No description given" : output.description;
  out["output_value"] = output.value;
  if (!output.error.empty()) out["output_error"] = output.error;
  return out;
}

std::string server_of(const StackTree& tree, const ResourceRecord& deployment) {
  const std::size_t server = tree.find_path(deployment.deployment.server);
  return server == k_none ? "" : tree.resource(server).physical_id;
}

Json deployment_details(const ResourceRecord& deployment, const std::string& server_id) {
  const DeploymentState& state = deployment.deployment;
  Json out = Json::object();
  out["id"] = deployment.physical_id;
  out["server_id"] = server_id;
  out["input_values"] = state.input_values;
  out["output_values"] = state.output_values;
  out["action"] = word(state.action);
  out["status"] = word(state.status);
  out["status_reason"] = state.reason;
  out["config_id"] = state.config_id;
  out["creation_time"] = iso_time(deployment.created);
  out["updated_time"] = iso_time(deployment.updated);
  return out;
}

ServedResponse json_response(int status, const Json& body) {
  return json_text_response(status, format_json(body, {.lossy = true}));
}

void JsonRows::add(const Json& row) {
  const std::string text = format_json(row, {.lossy = true});
  if (std::exchange(has_rows_, true))
    text_ += ',';
  else  // others may be longer, but not by half on average
    text_.reserve(text_.size() + most_ * (text.size() + text.size() / 2));
  text_ += text;
}

ServedResponse JsonRows::response() && { return json_text_response(200, std::move(text_) + "]}"); }

ServedResponse heat_error(int status, const std::string& type, const std::string& message) {
  Json body = Json::object();
  body["code"] = status;
  body["title"] = usual_reason(status);
  body["explanation"] = explanation(status);
  body["error"]["type"] = type;
  body["error"]["traceback"] = Json();
  body["error"]["message"] = message;
  return json_response(status, body);
}

}  // namespace hearth::metadata::live
