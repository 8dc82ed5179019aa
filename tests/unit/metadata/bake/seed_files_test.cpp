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

}  // namespace
}  // namespace hearth::metadata
