// Resource types, template versions and functions, validation, and what the service says of itself.
#include "base/text.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

namespace {

bool is_asked_for(const Parameters& parameters, std::string_view name) {
  return to_lower(parameter_or(parameters, name, "")) == "true";
}

ServedResponse nothing_here() { return heat_error(404, "NotFound", "The resource could not be found."); }

}  // namespace

ServedResponse HeatApi::guide(const Call& call) {
  Json body = Json::object();
  const std::string& what = call.parts[0];
  if (what == "resource_types") return resource_types(call);
  if (what == "template_versions") return template_versions(call);
  if (what == "validate" && call.request.method == "POST") return validate(call);
  if (what == "build_info") {
    body["api"]["revision"] = HEARTH_VERSION;
    body["engine"]["revision"] = HEARTH_VERSION;
    return json_response(200, body);
  }
  if (what == "services") {
    body["services"] = Json::array();
    return json_response(200, body);
  }
  return nothing_here();
}

ServedResponse HeatApi::resource_types(const Call& call) {
  if (call.parts.size() > 1) {
    const std::string& name = call.parts[1];
    const bool as_template = call.parts.size() > 2 && call.parts[2] == "template";
    const bool hot = parameter_or(call.parameters, "template_type", "cfn") == "hot";
    std::optional<Json> shown = as_template ? guide_.type_template(name, hot) : guide_.resource_type(name);
    if (!shown) throw EngineError("EntityNotFound", cat("The Resource Type (", name, ") could not be found."));
    if (!as_template && !is_asked_for(call.parameters, "with_description")) shown->erase("description");
    return json_response(200, *shown);
  }
  const std::string wanted = parameter_or(call.parameters, "name", "");
  const std::string support = to_lower(parameter_or(call.parameters, "support_status", "supported"));
  Json body = Json::object();
  body["resource_types"] = Json::array();
  for (const std::string& name : guide_.resource_types()) {
    if (name.find(wanted) == std::string::npos || support != "supported") continue;
    if (!is_asked_for(call.parameters, "with_description")) {
      body["resource_types"].push_back(name);
      continue;
    }
    body["resource_types"].push_back({{"resource_type", name}, {"description", description_of(name)}});
  }
  return json_response(200, body);
}

/// A type's whole table is made for it, so it is made once.
const std::string& HeatApi::description_of(const std::string& type_name) {
  const auto known = descriptions_.find(type_name);
  if (known != descriptions_.end()) return known->second;
  const std::optional<Json> type = guide_.resource_type(type_name);
  return descriptions_[type_name] = type ? type->value("description", "") : "";
}

ServedResponse HeatApi::template_versions(const Call& call) {
  Json body = Json::object();
  if (call.parts.size() == 1) {
    body["template_versions"] = guide_.versions();
    return json_response(200, body);
  }
  if (call.parts.size() != 3 || call.parts[2] != "functions") return nothing_here();
  const bool conditions = is_asked_for(call.parameters, "with_condition_func");
  std::optional<Json> found = guide_.functions(call.parts[1], conditions);
  if (!found) throw EngineError("NotFound", cat("Template with version ", call.parts[1], " not found"));
  body["template_functions"] = std::move(*found);
  return json_response(200, body);
}

ServedResponse HeatApi::validate(const Call& call) {
  const Json request = body_of(call.request);
  const bool nested = is_asked_for(call.parameters, "show_nested") ||
                      (request.contains("show_nested") && request["show_nested"] == Json(true));
  return json_response(200, guide_.validate(definition_of(request, Json::object(), false), nested));
}

}  // namespace hearth::metadata::live
