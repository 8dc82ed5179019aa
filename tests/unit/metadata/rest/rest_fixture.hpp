// The orchestration API before an engine of simple blueprints.
#pragma once

#include "metadata/rest/heat_api.hpp"
#include "metadata/rest/identity_api.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {

class FakeGuide final : public TemplateGuide {
 public:
  std::vector<std::string> resource_types() const override { return {"A::One", "A::Two"}; }
  std::optional<Json> resource_type(const std::string& name) const override {
    if (name != "A::One") return std::nullopt;
    return Json({{"resource_type", name}, {"description", "the first"}});
  }
  std::optional<Json> type_template(const std::string& name, bool hot) const override {
    return resource_type(name) ? std::optional(Json({{"hot", hot}})) : std::nullopt;
  }
  Json versions() const override { return Json::array({"v"}); }
  std::optional<Json> functions(const std::string& version, bool conditions) const override {
    return version == "v" ? std::optional(Json::array({conditions})) : std::nullopt;
  }
  Json validate(const Json& request, bool nested) const override {
    if (request["template"].contains("refused")) throw Error(ErrorKind::input, "template:1:1: it is refused");
    return {{"nested", nested}};
  }
};

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
    HeatApi api(*engine_, guide_, {&tokens_, false}, clock_, log_);
    return api.answer(request);
  }
  static fs::path with_api_token(const fs::path& state) {
    RealFileSystem().write(state / "api-token", "admin-token\n", {.mode = 0600, .uid = {}, .gid = {}});
    return state;
  }
  TokenBook tokens_{with_api_token(directory_.path())};
  Json get(const std::string& target) {
    const ServedResponse response = send("GET", target);
    return response.status == 200 ? Json::parse(response.body) : Json(response.status);
  }
  const ResourceRecord& at_in(const std::string& project, const std::string& stack, const std::string& path) {
    const StackPlace place = engine_->find(stack, project);
    return place.live->tree.resource(place.live->tree.find_path(path));
  }
  FakeGuide guide_;
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
