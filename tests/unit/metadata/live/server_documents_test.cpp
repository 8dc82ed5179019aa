// What servers are given, beside what the real Heat gave its servers for the same templates over each transport
// (data/server_documents.json: identifiers, secrets and times are named by what they are).
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/regex.hpp>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/live/heat_blueprint.hpp"
#include "metadata/live/stack_service.hpp"
#include "metadata/live/upload.hpp"
#include "source_directory.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

constexpr const char* k_top = R"(
heat_template_version: 2018-08-31
resources:
  Compute:
    type: OS::Heat::ResourceGroup
    properties: {count: 1, resource_def: {type: node.yaml}}
)";

constexpr const char* k_node = R"(
heat_template_version: 2018-08-31
resources:
  deployed-server:
    type: OS::Heat::DeployedServer
    properties: {name: node-0, software_config_transport: POLL_TRANSPORT}
  Cfg:
    type: OS::Heat::SoftwareConfig
    properties:
      group: script
      options: {opt1: v}
      inputs:
        - {name: foo, description: foo input}
        - {name: num, type: Number, default: 3}
        - {name: lst, type: CommaDelimitedList, default: [a, b]}
        - {name: js, type: Json, default: {k: 1}}
        - {name: nodef}
        - {name: roc, replace_on_change: true, default: z}
      outputs: [{name: result}, {name: err, error_output: true, description: an error, type: String}]
      config: "#!/bin/sh\necho $foo\n"
  Dep1:
    type: OS::Heat::SoftwareDeployment
    properties:
      name: NetworkDeployment
      config: {get_resource: Cfg}
      server: {get_resource: deployed-server}
      signal_transport: HOW_SIGNAL
      input_values: {foo: bar, extra: {a: [1, true, null]}}
  SCfg:
    type: OS::Heat::StructuredConfig
    properties:
      group: hiera
      config: {hieradata: {a: {get_input: x}, b: [{get_input: y}, 1], get_input: 3, c: {get_input: x, d: 1}}}
      inputs: [{name: x}]
  Dep2:
    type: OS::Heat::StructuredDeployment
    depends_on: Dep1
    properties:
      name: HieraDeployment
      config: {get_resource: SCfg}
      server: {get_resource: deployed-server}
      signal_transport: HOW_SIGNAL
      input_values: {x: {m: 1}, z: zz}
)";

/// Names what no two runs have in common.
std::string named(const std::string& text) {
  static const std::vector<std::pair<boost::regex, std::string>> rules = {
      {boost::regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"},
      {boost::regex("^s-Compute-[a-z2-7]{12}-0-[a-z2-7]{12}(?=/|$)"), "STACK"},
      {boost::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"), "TIME"}};
  std::string out = text;
  for (const auto& [pattern, name] : rules) out = boost::regex_replace(out, pattern, name);
  return out;
}

/// URLs and secrets by their form alone.
std::string form_of(const std::string& key, const std::string& text) {
  if (text.rfind("http", 0) == 0 && text.find("temp_url_sig") != std::string::npos) return "TEMPURL";
  if (text.rfind("http", 0) == 0) return "URL";
  const bool secret = key == "password" || key == "deploy_password" || key == "secret_access_key";
  const bool account =
      key == "user_id" || key == "deploy_user_id" || key == "deploy_username" || key == "access_key_id";
  const bool place = key == "project_id" || key == "deploy_project_id" || key == "region_name" ||
                     key == "deploy_region_name" || key == "auth_url";
  return secret ? "SECRET" : account ? "ACCOUNT" : place ? "PLACE" : named(text);
}

Json named(const std::string& key, const Json& value) {
  if (value.is_string()) return form_of(key, value.get<std::string>());
  Json out = value;
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      const bool input = name == "value" && value.contains("name");
      out[name] = named(input ? value["name"].get<std::string>() : name, member);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) out[i] = named(key, value[i]);
  }
  return out;
}

Json document_over(const std::string& transport, const std::string& how) {
  const TempDir directory = TempDir::create("/tmp", "documents-");
  RealFileSystem files;
  files.write(directory.path() / "s.yaml", k_top, {});
  std::string node = k_node;
  node.replace(node.find("POLL_TRANSPORT"), 14, transport);
  for (std::size_t at = node.find("HOW_SIGNAL"); at != std::string::npos; at = node.find("HOW_SIGNAL"))
    node.replace(at, 10, how);
  files.write(directory.path() / "node.yaml", node, {});
  ServiceSettings settings;
  settings.state = directory.path() / "state";
  const SystemClock clock;
  fakes::MemoryLogger log;
  StackService service(settings, clock, log);
  UploadRequest request;
  request.name = "s";
  request.template_file = (directory.path() / "s.yaml").string();
  service.deploy(request, files);
  LiveTree& live = *service.engine().find("s").live;
  return service.engine().metadata_of(live, live.tree.find_path("Compute.0.deployed-server"));
}

TEST(ServerDocuments, are_what_the_real_heat_gives_over_each_transport) {
  const std::string path = std::string(HEARTH_SOURCE_DIR) + "/tests/unit/metadata/data/server_documents.json";
  const Json cases = parse_json(read_file(path), path).value_or_throw();
  for (const Json& each : cases) {
    const Json got = named("", document_over(each["transport"], each["signal"]));
    EXPECT_EQ(got.dump(1), each["document"].dump(1)) << each["transport"];
  }
}

TEST(ServerDocuments, take_back_what_was_told_of_another_transport) {
  const TempDir directory = TempDir::create("/tmp", "documents-");
  RealFileSystem files;
  ServiceSettings settings;
  settings.state = directory.path() / "state";
  const SystemClock clock;
  fakes::MemoryLogger log;
  StackService service(settings, clock, log);
  UploadRequest request;
  request.name = "s";
  request.template_file = (directory.path() / "s.yaml").string();
  const auto told_over = [&](const std::string& transport) {
    files.write(request.template_file,
                cat("heat_template_version: 2018-08-31\nresources: {s: {type: OS::Heat::DeployedServer, properties: "
                    "{software_config_transport: ",
                    transport, "}}}\n"),
                {});
    service.deploy(request, files);
    LiveTree& live = *service.engine().find("s").live;
    return Json(service.engine().metadata_of(live, live.tree.find_path("s"))["os-collect-config"]);
  };
  EXPECT_FALSE(told_over("POLL_SERVER_CFN").contains("heat"));
  Json told = told_over("POLL_SERVER_HEAT");
  EXPECT_EQ(told["collectors"], Json::array({"heat", "local"}));
  EXPECT_TRUE(told["heat"]["password"].is_string());
  EXPECT_EQ(told["cfn"].size(), 5U);
  for (const auto& [key, value] : told["cfn"].items()) EXPECT_TRUE(value.is_null()) << key;
  told = told_over("POLL_SERVER_CFN");
  EXPECT_TRUE(told["cfn"]["metadata_url"].is_string());
  EXPECT_TRUE(told["heat"]["password"].is_null());
}

}  // namespace
}  // namespace hearth::metadata::live
