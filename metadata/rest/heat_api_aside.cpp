// Stacks that are set aside: they are listed and shown with the reason, and can be deleted.
#include "base/text.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

/// Of …/stacks/NAME and …/stacks/NAME/ID; null where the stack is served, or there is none.
const SetAside* HeatApi::aside_of(const Call& call) const {
  if (call.parts.size() > 2) {
    if (const SetAside* found = engine_.find_set_aside(call.parts[2], call.project)) return found;
  }
  const std::optional<StackArn> arn = parse_arn(call.parts[1]);
  return engine_.find_set_aside(arn ? arn->id : call.parts[1], call.project);
}

StackTree HeatApi::shown_tree(const SetAside& stack) {
  StackTree tree;
  tree.id = stack.id;
  tree.name = stack.name;
  tree.project = stack.project;
  tree.body = Json::object();
  StackRecord root;
  root.id = stack.id;
  root.name = stack.name;
  root.action = Action::check;
  root.status = Status::failed;
  root.reason = StackSetAside(stack).what();
  tree.restore(std::move(root));
  return tree;
}

ServedResponse HeatApi::one_aside(const Call& call, const SetAside& stack) {
  if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
  if (stack.project != call.project) throw EngineError("Forbidden", "the stack belongs to another project");
  const bool by_id = call.parts[2] == stack.id;
  if (!by_id) return redirect(call);
  const std::string what = call.parts.size() > 3 ? call.parts[3] : "";
  if (what.empty() && call.request.method == "DELETE") {
    engine_.drop_set_aside(stack.id);
    ServedResponse response;
    response.status = 204;
    return response;
  }
  Json body = Json::object();
  if (call.request.method == "GET" && what.empty()) {
    body["stack"] = stack_details(call.base, shown_tree(stack), 0, Json::object(), Json::array());
    return json_response(200, body);
  }
  if (call.request.method == "GET" && (what == "resources" || what == "events") && call.parts.size() == 4) {
    body[what] = Json::array();  // nothing that can be said of any
    return json_response(200, body);
  }
  throw StackSetAside(stack);
}

}  // namespace hearth::metadata::live
