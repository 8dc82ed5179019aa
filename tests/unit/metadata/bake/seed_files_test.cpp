#include "metadata/bake/seed_files.hpp"

#include <gtest/gtest.h>

#include "metadata/model/yaml_reader.hpp"

namespace hearth::metadata {
namespace {

const SeedRequest k_request{.name = "node", .id = "i-1", .metadata = map_of({{"deployments", Value::list({})}})};

TEST(SeedFiles, put_the_metadata_where_the_agents_find_them) {
  for (const SeedFile& file : config_drive_files(k_request)) {
    if (file.name != "openstack/latest/user_data") continue;
    const Value read = *parse_yaml(file.data, "user-data");
    const Value& written = read.find("write_files")->items()[0];
    EXPECT_EQ(written.find("path")->text(), "/var/lib/heat-cfntools/cfn-init-data");
    EXPECT_EQ(written.find("content")->text(), "{\"deployments\": []}");
    return;
  }
  FAIL() << "no user data";
}

TEST(SeedFiles, keep_the_machines_own_user_data_beside) {
  SeedRequest request = k_request;
  request.user_data = "#!/bin/sh\ntrue\n";
  const std::vector<SeedFile> files = no_cloud_files(request);
  EXPECT_EQ(files[0].data, "{\"instance-id\": \"i-1\", \"local-hostname\": \"node\"}\n");
  EXPECT_NE(files[1].data.find("text/x-shellscript"), std::string::npos);
  EXPECT_NE(files[1].data.find("text/cloud-config"), std::string::npos);
}

/// The document that a machine finds, where its metadata name this server.
std::string document_for(const std::string& url) {
  SeedRequest request = k_request;
  const Value section = map_of({{"collectors", Value::list({Value::string("cfn"), Value::string("local")})},
                                {"cfn", map_of({{"metadata_url", Value::string(url)}})}});
  request.metadata = map_of({{"deployments", Value::list({})}, {"os-collect-config", section}});
  const Value read = *parse_yaml(no_cloud_files(request)[1].data, "user-data");
  return read.find("write_files")->items()[0].find("content")->text();
}

TEST(SeedFiles, an_agent_whose_metadata_nobody_serves_polls_nobody) {
  const std::string alone = R"({"deployments": [], "os-collect-config": {"collectors": ["heat_local"]}})";
  for (const char* own : {"http://127.0.0.1:8000/v1/", "http://localhost:8000/v1/", "http://[::1]:8000/v1/"})
    EXPECT_EQ(document_for(own), alone);
  EXPECT_NE(document_for("http://192.0.2.1:8000/v1/").find("http://192.0.2.1:8000/v1/"), std::string::npos);
  EXPECT_NE(document_for("http://local.example:8000/v1/").find("\"cfn\", \"local\""), std::string::npos);
}

}  // namespace
}  // namespace hearth::metadata
