#include "metadata/compile/compiler.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/case_file.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

constexpr const char* k_top = R"(heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: node}}
  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: x, inputs: [{name: i}], outputs: [{name: o}]}}
  a: {type: OS::Heat::SoftwareDeployment, properties: {name: a, config: {get_resource: c}, server: {get_resource: server}}}
  b:
    type: OS::Heat::SoftwareDeployment
    properties: {name: b, config: {get_resource: c}, server: {get_resource: server}, input_values: {i: {get_attr: [a, o]}}}
)";

TEST(Compile, lists_what_waits_with_file_line_and_event) {
  const auto built = build({{"top.yaml", k_top}});
  const Compiled compiled = compile(built->model, {});
  EXPECT_EQ(waiting_lines(compiled, built->model.sources), (std::vector<std::string>{"top.yaml:6:3: b waits for a.o"}));
}

TEST(Compile, lists_what_a_servers_own_metadata_wait_for) {
  const auto built = build({{"top.yaml", R"(heat_template_version: 2018-08-31
resources:
  port: {type: OS::Neutron::Port, properties: {network: elsewhere}}
  server:
    type: OS::Nova::Server
    properties: {name: node, image: i, flavor: f}
    metadata: {site: {address: {get_attr: [port, fixed_ips, 0, ip_address]}}}
)"}});
  EXPECT_EQ(waiting_lines(compile(built->model, {}), built->model.sources),
            (std::vector<std::string>{"top.yaml:4:3: server.metadata waits for port.fixed_ips"}));
}

TEST(Compile, takes_what_an_inventory_knows) {
  const auto built = build({{"top.yaml", k_top}});
  learn_inventory(built->model, parse_json_value(R"({"attributes": {"a": {"o": "v"}}})", "i").value_or_throw());
  const Compiled compiled = compile(built->model, {});
  EXPECT_TRUE(waiting_lines(compiled, built->model.sources).empty());
  EXPECT_EQ(of(compiled.servers[0].metadata, "deployments").items().size(), 2U);
}

TEST(Compile, writes_a_file_for_each_server_and_an_index) {
  const auto built = build({{"top.yaml", k_top}});
  const TempDir work = TempDir::create(fs::temp_directory_path(), "compiled-");
  write_compiled(compile(built->model, {}), "overcloud", work.path() / "out");
  EXPECT_TRUE(fs::exists(work.path() / "out/servers/server/metadata.json"));
  const Value index = parse_json_value(read_file(work.path() / "out/index.json"), "index").value_or_throw();
  EXPECT_EQ(json_text(of(of(index, "servers").items()[0], "waiting")),
            R"([{"deployment": "b", "waits_for": ["a.o"]}])");
}

TEST(Compile, writes_user_data_hosts_and_hieradata_where_asked) {
  const auto built = build({{"top.yaml", R"(heat_template_version: 2018-08-31
resources:
  m: {type: OS::Nova::Server, properties: {name: m, flavor: f, user_data_format: SOFTWARE_CONFIG, networks: [{fixed_ip: 192.0.2.9}]}}
  c: {type: OS::Heat::StructuredConfig, properties: {group: hiera, config: {datafiles: {role: {a: 1}}}}}
  d: {type: OS::Heat::StructuredDeployment, properties: {name: d, config: {get_resource: c}, server: {get_resource: m}}}
)"}});
  EXPECT_TRUE(compile(built->model, {}).files.empty());
  const TempDir work = TempDir::create(fs::temp_directory_path(), "compiled-");
  const Extras all{.user_data = true, .hosts = true, .hieradata = true};
  write_compiled(compile(built->model, {}, all), "overcloud", work.path() / "out");
  EXPECT_EQ(read_file((work.path() / "out/hosts").string()), "192.0.2.9 m\n");
  const Value index = parse_json_value(read_file(work.path() / "out/index.json"), "index").value_or_throw();
  const Value server = of(index, "servers").items()[0];
  EXPECT_EQ(of(index, "hosts").text(), "hosts");
  EXPECT_EQ(of(server, "user_data").text(), "servers/m/user-data");
  EXPECT_EQ(json_text(of(server, "hieradata")),
            R"(["servers/m/puppet/hiera.yaml", "servers/m/puppet/hieradata/role.json"])");
  for (const char* name : {"servers/m/user-data", "servers/m/puppet/hieradata/role.json"})
    EXPECT_TRUE(fs::exists(work.path() / "out" / name)) << name;
}

TEST(Compile, gives_the_same_bytes_for_the_same_input) {
  const auto text = [] {
    const auto built = build({{"top.yaml", k_top}});
    return json_text(compile(built->model, {}).servers[0].metadata);
  };
  EXPECT_EQ(text(), text());
}

}  // namespace
}  // namespace hearth::metadata
