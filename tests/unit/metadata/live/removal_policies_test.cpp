// Which members a ResourceGroup has after each of several updates with other counts and removal policies, as the real
// Heat has them (data/removal_policies.json; "@1" stands for what refers to member 1).
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sys/file.hpp"
#include "metadata/live/stack_service.hpp"
#include "source_directory.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

constexpr const char* k_removal_policies_template = R"({"heat_template_version": "2018-08-31",
  "parameters": {"count": {"type": "number"}, "remove": {"type": "json"}, "mode": {"type": "string"}},
  "resources": {"G": {"type": "OS::Heat::ResourceGroup", "properties": {"count": {"get_param": "count"},
    "removal_policies": [{"resource_list": {"get_param": "remove"}}], "removal_policies_mode": {"get_param": "mode"},
    "resource_def": {"type": "MEMBER"}}}},
  "outputs": {"removed": {"value": {"get_attr": ["G", "removed_rsrc_list"]}},
              "references": {"value": {"get_attr": ["G", "refs_map"]}}}})";

class Replay {
 public:
  explicit Replay(const Json& group) : group_(group) { open(); }

  void restart() {
    service_.reset();
    open();
  }
  void step(const Json& step) {
    const Json body = body_of(step);
    Engine& engine = service_->engine();
    if (references_.empty()) {
      engine.create("admin", "s", body);
    } else {
      engine.update(engine.find("s").live->tree.id, body);
    }
  }
  /// Names of the members, and what the stack says of them.
  std::vector<std::string> members() {
    const StackTree& tree = live().tree;
    std::vector<std::string> names;
    for (const std::size_t each : tree.stack(tree.resource(tree.find_path("G")).child).resources) {
      names.push_back(tree.resource(each).name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  Json removed() {
    const std::vector<PlannedOutput> outputs = service_->engine().blueprint(live()).outputs("");
    for (const auto& [name, reference] : outputs[1].value.items()) references_[name] = reference;
    return outputs[0].value;
  }

 private:
  void open() {
    ServiceSettings settings;
    settings.state = directory_.path() / "state";
    service_ = std::make_unique<StackService>(settings, clock_, log_);
  }
  LiveTree& live() { return *service_->engine().find("s").live; }
  Json body_of(const Json& step) {
    Json source = Json::parse(k_removal_policies_template);
    Json& member = source["resources"]["G"]["properties"]["resource_def"];
    member["type"] = group_["member"];
    if (group_["member"] == "OS::Heat::Value") member["properties"]["value"] = "v-%index%";
    Json remove = Json::array();
    for (const Json& name : step["remove"]) {
      const bool refers = name.is_string() && name.get<std::string>().starts_with("@");
      remove.push_back(refers ? references_.at(name.get<std::string>().substr(1)) : name);
    }
    return {{"template", source},
            {"parameters", {{"count", step["count"]}, {"remove", remove}, {"mode", step["mode"]}}}};
  }

  Json group_;
  TempDir directory_ = TempDir::create("/tmp", "removal-");
  SystemClock clock_;
  fakes::MemoryLogger log_;
  std::unique_ptr<StackService> service_;
  std::map<std::string, Json> references_;
};

class RemovalPolicies : public testing::TestWithParam<bool> {};

TEST_P(RemovalPolicies, leave_the_members_that_the_real_heat_leaves) {
  const std::string path = std::string(HEARTH_SOURCE_DIR) + "/tests/unit/metadata/data/removal_policies.json";
  const Json groups = parse_json(read_file(path), path).value_or_throw();
  for (const Json& group : groups) {
    Replay replay(group);
    for (const Json& step : group["steps"]) {
      replay.step(step);
      if (GetParam()) replay.restart();
      EXPECT_EQ(Json(replay.members()), step["members"]) << group.dump() << "\nat " << step.dump();
      EXPECT_EQ(replay.removed(), step["removed"]) << group.dump() << "\nat " << step.dump();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engine, RemovalPolicies, testing::Bool(),
                         [](const auto& run) { return run.param ? "started_anew_each_time" : "running"; });

}  // namespace
}  // namespace hearth::metadata::live
