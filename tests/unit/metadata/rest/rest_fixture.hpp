// The orchestration API before an engine of simple blueprints.
#pragma once

#include "metadata/rest/heat_api.hpp"
#include "metadata/rest/identity_api.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {

class RestTest : public EngineTest {
 protected:
  ServedResponse send(const std::string& method, const std::string& target, const std::string& text = "",
                      const std::string& token = "admin-token") {
    ServedRequest request;
    request.method = method;
    request.target = target;
    const RequestTarget parts = parse_request_target(target).value();
    request.raw_path = parts.raw_path;
    request.path = parts.path;
    request.query = parts.query;
    request.headers = {{"Host", "h:8004"}, {"X-Auth-Token", token}};
    request.body = text;
    request.peer = "192.0.2.9";
    HeatApi api(*engine_, {"admin-token", false}, clock_, log_);
    return api.answer(request);
  }
  Json get(const std::string& target) {
    const ServedResponse response = send("GET", target);
    return response.status == 200 ? Json::parse(response.body) : Json(response.status);
  }
  /// "/v1/admin/stacks/NAME/ID".
  std::string self(const std::string& name) {
    return cat("/v1/admin/stacks/", name, "/", engine_->find(name).live->tree.id);
  }
};

constexpr const char* k_nested =
    R"({"g": {"role": "nested", "is_group": true, "type": "OS::Heat::ResourceGroup", "stack": {
  "0": {"role": "nested", "type": "Node", "stack": {"s": {"role": "server", "type": "OS::Heat::DeployedServer"},
        "d": {"role": "deployment", "server": "s", "needs": ["s"], "type": "OS::Heat::SoftwareDeployment"}}}}}})";

}  // namespace hearth::metadata::live
