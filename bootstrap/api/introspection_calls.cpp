// /v1/introspection: ironic-inspector's API over the same nodes.
#include "base/text.hpp"
#include "bootstrap/api/ironic_api.hpp"
#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {

namespace {

Json introspection_row(const Node& node, const View& view) {
  const bool running = node.state == State::inspecting || node.state == State::inspect_wait;
  const bool failed = node.state == State::inspect_failed;
  const std::string state = node.state == State::inspecting     ? "starting"
                            : node.state == State::inspect_wait ? "waiting"
                            : failed                            ? "error"
                                                                : "finished";
  return {{"uuid", node.uuid},
          {"finished", !running},
          {"error", failed ? Json(node.last_error) : Json()},
          {"state", state},
          {"started_at", stamp_json(node.inspection_started)},
          {"finished_at", running ? Json() : stamp_json(node.inspection_finished)},
          {"links", Json::array({{{"href", cat(view.base, "/v1/introspection/", node.uuid)}, {"rel", "self"}}})}};
}

}  // namespace

ServedResponse IronicApi::introspection(const ApiCall& call) {
  if (call.parts.size() == 1) {
    Json list = Json::array();
    for (const auto& [uuid, node] : conductor_.ledger().nodes()) {
      if (node.inspection_started != 0) list.push_back(introspection_row(node, call.view));
    }
    return json_answer(200, {{"introspection", list}});
  }
  const Node& node = conductor_.node(call.parts[1]);
  const std::string part = call.parts.size() > 2 ? call.parts[2] : "";
  if (part == "data") {
    const std::optional<Json> kept = conductor_.ledger().store().document(cat("introspection/", node.uuid));
    if (!kept) throw Refusal(404, cat("Introspection data not found for node ", node.uuid));
    return json_answer(200, (*kept)["data"]);
  }
  if (part == "abort" && call.is("POST")) {
    conductor_.verb(node.uuid, "abort", Json::object());
    return empty_answer(202);
  }
  if (!part.empty()) throw Refusal(404, "Not Found");
  if (call.is("POST")) {
    const std::string boot = call.parameter("manage_boot");
    conductor_.verb(node.uuid, "inspect", {{"manage_boot", boot.empty() || call.truth("manage_boot")}});
    return empty_answer(202);
  }
  if (node.inspection_started == 0) throw Refusal(404, cat("Could not find node ", node.uuid, " in cache"));
  return json_answer(200, introspection_row(node, call.view));
}

}  // namespace hearth::bootstrap
