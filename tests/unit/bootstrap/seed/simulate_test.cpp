#include "bootstrap/seed/simulate.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(Simulate, WhatCompiledMetadataWaitForIsNamedWithItsPath) {
  const Json metadata =
      Json::parse(R"({"a": 1, "endpoints": {"identity": {"hearth::waiting": ["Port.fixed_ips", "Q.x"]}},
                                        "l": [{"hearth::waiting": ["R.y"]}]})");
  EXPECT_EQ(waiting_values(metadata),
            (std::vector<std::string>{"endpoints.identity waits for Port.fixed_ips, Q.x", "l.0 waits for R.y"}));
  EXPECT_TRUE(waiting_values(Json::parse(R"({"hearth::waiting": "not ours"})")).empty());
}

TEST(Simulate, FaultsNameTheElementsFile) {
  const std::string log =
      "[2026/01/31 01:02:03 PM] [ERROR] /tmp/t/etc/a.conf:3: the metadata have no x\n"
      "[2026/01/31 01:02:03 PM] [WARNING] other\n"
      "[2026/01/31 01:02:03 PM] [ERROR] templates need 1 value that the metadata do not have; nothing is written\n";
  const std::map<std::string, fs::path> sources = {{"etc/a", "/e/two/os-apply-config/etc/a"},
                                                   {"etc/a.conf", "/e/one/os-apply-config/etc/a.conf"}};
  EXPECT_EQ(template_faults(log, "/tmp/t", sources),
            (std::vector<std::string>{"/e/one/os-apply-config/etc/a.conf:3: the metadata have no x",
                                      "templates need 1 value that the metadata do not have; nothing is written"}));
}

}  // namespace
}  // namespace hearth::bootstrap
