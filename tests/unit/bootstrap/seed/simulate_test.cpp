#include "bootstrap/seed/simulate.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/error.hpp"

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
  const Command agent{.argv = {"agent"}};
  EXPECT_EQ(template_faults(agent, {Exited{1}, "", log}, "/tmp/t", sources),
            (std::vector<std::string>{"/e/one/os-apply-config/etc/a.conf:3: the metadata have no x",
                                      "templates need 1 value that the metadata do not have; nothing is written"}));
  EXPECT_TRUE(template_faults(agent, {Exited{0}, "", ""}, "/tmp/t", sources).empty());
}

std::string story_of(const CommandResult& result) {
  try {
    (void)template_faults({.argv = {"/b/hearth-agent", "os-apply-config", "--need-keys"}}, result, "/tmp/t", {});
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 1);
    return error.story();
  }
  return "no error";
}

TEST(Simulate, AnAgentThatFailedItselfIsNoneThatFoundNothing) {
  EXPECT_EQ(story_of({Exited{2}, "", "usage: os-apply-config [options]\nunrecognized arguments: --need-keys\n"}),
            "/b/hearth-agent os-apply-config --need-keys: exit code 2\n  usage: os-apply-config [options]\n"
            "  unrecognized arguments: --need-keys\n  Is it the agent of this Hearth? Compare 'hearth --version' with "
            "'/b/hearth-agent --version'; HEARTH_AGENT_BINARY names another.");
  EXPECT_EQ(story_of({Signaled{SIGKILL}, "", "[x] [ERROR] one of many\n"}),
            "/b/hearth-agent os-apply-config --need-keys: killed by SIGKILL\n  [x] [ERROR] one of many\n"
            "  The kernel does that where memory is short (dmesg tells): let it have more, and start again.");
  EXPECT_TRUE(story_of({Exited{1}, "", ""}).starts_with("/b/hearth-agent os-apply-config --need-keys: exit code 1\n"));
}

}  // namespace
}  // namespace hearth::bootstrap
