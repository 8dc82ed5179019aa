#include "metadata/graph/server_metadata.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

constexpr const char* k_server_metadata_top = R"(
heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: node}}
  Cfg:
    type: OS::Heat::SoftwareConfig
    properties:
      group: script
      config: "echo $foo\n"
      options: {opt1: v}
      inputs:
        - {name: foo, description: foo input}
        - {name: num, type: Number, default: '3'}
        - {name: lst, type: CommaDelimitedList, default: 'a,b'}
        - {name: nodef}
        - {name: roc, default: z, replace_on_change: true}
      outputs: [{name: result}, {name: err, description: an error, error_output: true}]
  Dep1:
    type: OS::Heat::SoftwareDeployment
    properties:
      name: NetworkDeployment
      config: {get_resource: Cfg}
      server: {get_resource: server}
      signal_transport: NO_SIGNAL
      input_values: {foo: bar, extra: {a: [1, true, null]}}
  Hiera:
    type: OS::Heat::StructuredConfig
    properties:
      group: hiera
      inputs: [{name: x}]
      config: {hieradata: {a: {get_input: x}, b: [{get_input: y}, 1], get_input: 3, c: {get_input: x, d: 1}}}
  Dep2:
    type: OS::Heat::StructuredDeployment
    properties:
      name: HieraDeployment
      config: {get_resource: Hiera}
      server: {get_resource: server}
      signal_transport: NO_SIGNAL
      input_values: {x: {m: 1}}
  Late:
    type: OS::Heat::SoftwareDeployment
    properties: {config: {get_resource: Cfg}, server: {get_resource: server}, input_values: {foo: {get_attr: [Signals, result]}}}
  Signals:
    type: OS::Heat::SoftwareDeployment
    properties: {name: Signals, config: {get_resource: Cfg}, server: {get_resource: server}}
)";

TEST(ServerMetadata, has_the_entries_that_the_real_heat_writes_sorted_by_name) {
  const auto built = build({{"top.yaml", k_server_metadata_top}});
  const std::vector<ServerDocument> servers = server_documents(built->root(), {});
  ASSERT_EQ(servers.size(), 1U);
  const std::vector<Value> entries = of(servers[0].metadata, "deployments").items();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(json_text(of(entries[0], "config")),
            R"({"hieradata": {"a": {"m": 1}, "b": [null, 1], "get_input": 3, "c": {"get_input": "x", "d": 1}}})");
  const Value& network = entries[1];
  EXPECT_EQ(of(network, "name").text(), "NetworkDeployment");
  const std::vector<Value> inputs = of(network, "inputs").items();
  EXPECT_EQ(json_text(inputs[0]),
            R"({"name": "foo", "description": "foo input", "type": "String", "default": "", "value": "bar"})");
  EXPECT_EQ(json_text(inputs[1]), R"({"name": "num", "description": "", "type": "Number", "default": 3, "value": 3})");
  EXPECT_EQ(json_text(of(inputs[2], "value")), R"(["a", "b"])");
  EXPECT_EQ(
      json_text(inputs[4]),
      R"({"name": "roc", "description": "", "type": "String", "default": "z", "replace_on_change": true, "value": "z"})");
  EXPECT_EQ(json_text(inputs[5]), R"({"name": "extra", "type": "String", "value": {"a": [1, true, null]}})");
  EXPECT_EQ(of(inputs.back(), "name").text(), "deploy_signal_transport");
  EXPECT_EQ(json_text(of(network, "outputs").items()[1]),
            R"({"name": "err", "description": "an error", "type": "String", "error_output": true})");
  EXPECT_EQ(json_text(of(network, "options")), R"({"opt1": "v"})");
  EXPECT_EQ(json_text(of(of(servers[0].metadata, "os-collect-config"), "collectors")), R"(["cfn", "local"])");
}

TEST(ServerMetadata, leaves_out_deployments_that_wait_and_says_for_what) {
  const auto built = build({{"top.yaml", k_server_metadata_top}});
  const std::vector<ServerDocument> servers = server_documents(built->root(), {});
  ASSERT_EQ(servers[0].held.size(), 1U);
  EXPECT_EQ(servers[0].held[0].deployment, "Late");
  EXPECT_EQ(servers[0].held[0].events[0].text(), "Signals.result");
  built->root().learn("Signals", map_of({{"result", Value::string("r")}}));
  EXPECT_TRUE(server_documents(built->root(), {})[0].held.empty());
}

TEST(ServerMetadata, tells_the_agent_where_to_signal) {
  const auto built = build({{"top.yaml", k_server_metadata_top}});
  Endpoints endpoints;
  endpoints.created = "2026-11-21T00:12:44Z";
  const auto inputs = signal_inputs(*built->root().find("Signals"), endpoints);
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].second.rfind(
                "http://127.0.0.1:8000/v1/signal/arn%3Aopenstack%3Aheat%3A%3Aadmin%3Astacks/overcloud/", 0),
            0U);
  EXPECT_NE(inputs[0].second.find("&Timestamp=2026-11-21T00%3A12%3A44Z&Signature="), std::string::npos);
  EXPECT_EQ(inputs[1].second, "POST");
}

std::string with_greeting(const std::string& greeting) {
  return replace_all(k_server_metadata_top, "foo: bar", "foo: " + greeting);
}

std::map<std::string, std::string> ids_of(Stack& root, const Endpoints& endpoints = {}) {
  std::map<std::string, std::string> ids;
  const std::vector<ServerDocument> documents = server_documents(root, endpoints);
  for (const ServerDocument::Sent& sent : documents[0].sent) ids[sent.deployment] = sent.id;
  return ids;
}

TEST(ServerMetadata, gives_a_deployment_another_id_when_what_it_deploys_is_other) {
  const auto one = build({{"top.yaml", with_greeting("bar")}});
  const auto other = build({{"top.yaml", with_greeting("changed")}});
  auto before = ids_of(one->root());
  auto after = ids_of(other->root());
  EXPECT_NE(before["Dep1"], after["Dep1"]);
  EXPECT_EQ(before["Dep2"], after["Dep2"]);
  EXPECT_EQ(python_str(of(of(server_documents(one->root(), {})[0].metadata, "deployments").items()[1], "id")),
            before["Dep1"]);
}

TEST(ServerMetadata, keeps_the_id_when_only_keys_addresses_or_the_time_are_other) {
  const auto built = build({{"top.yaml", k_server_metadata_top}});
  const auto before = ids_of(built->root());
  built->model.tree->settings.key_seed = "rotated";
  Endpoints endpoints;
  endpoints.created = "2027-01-01T00:00:00Z";
  endpoints.cfn = "http://192.0.2.1:8000";
  EXPECT_EQ(ids_of(built->root(), endpoints), before);
}

TEST(ServerMetadata, shares_no_keys_between_stacks_and_keeps_former_ones_after_a_rotation) {
  const auto built = build({{"top.yaml", k_server_metadata_top}});
  Resource& server = *built->root().find("server");
  const Value before = collect_section(server, {});
  EXPECT_TRUE(server_documents(built->root(), {})[0].former.is_null());
  built->model.tree->settings.key_seed = "new";
  built->model.tree->settings.former_key_seed = built->model.tree->settings.seed;
  built->model.tree->settings.former_until = 7;
  EXPECT_FALSE(collect_section(server, {}) == before);
  const Value former = server_documents(built->root(), {})[0].former;
  EXPECT_TRUE(of(former, "os-collect-config") == before);
  EXPECT_EQ(of(former, "until").as_integer(), 7);
  EXPECT_EQ(of(former, "signals").items().size(), 3U);
  built->model.tree->root_id = "another stack";
  built->model.tree->settings.key_seed.clear();
  EXPECT_FALSE(collect_section(server, {}) == before);
}

}  // namespace
}  // namespace hearth::metadata
