#include "agent/manual.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "agent/applet.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "base/text.hpp"

namespace hearth::agent {
namespace {

using testing::HasSubstr;

std::string page(const std::string& file) {
  const std::vector<cli::ManualPage> pages = agent_manual();
  const auto found = std::find_if(pages.begin(), pages.end(), [&](const auto& each) { return each.file == file; });
  return found == pages.end() ? "" : found->text;
}

TEST(AgentManual, EachAppletHasAPage) {
  for (const Applet& applet : applets()) EXPECT_NE(page(cat("hearth-agent-", applet.name, ".1")), "") << applet.name;
}

TEST(AgentManual, APageHasTheOptionsThatTheAppletTakes) {
  EXPECT_THAT(page("hearth-agent-os-net-config.1"),
              HasSubstr("\\fB\\-c\\fR, \\fB\\-\\-config\\-file\\fR \\fIFILE\\fR\n"));
  EXPECT_THAT(page("hearth-agent-os-net-config.1"), HasSubstr(".SH \"EXIT STATUS\"\n0 done, 1 failed"));
  EXPECT_THAT(page("hearth-agent-cfn-signal.1"), HasSubstr(".B hearth\\-agent cfn\\-signal\n[OPTION\\[u2026]] URL\n"));
  EXPECT_THAT(page("hearth-agent-write-image.1"), HasSubstr("URL DISK\n"));
}

TEST(AgentManual, TheProgramsPageListsAppletsAndHooks) {
  const std::string text = page("hearth-agent.1");
  EXPECT_THAT(text, HasSubstr(".BR hearth\\-agent\\-doctor (1)\n"));
  for (const Hook& hook : hooks()) EXPECT_THAT(text, HasSubstr(cli::troff(hook.name)));
}

TEST(AgentManual, WhatPeopleTypeOnAMachineHasAPageOfThatName) {
  EXPECT_THAT(page("os-collect-config.1"), HasSubstr(".SH NAME\nos\\-collect\\-config \\- collects metadata"));
  for (const char* name : {"os-apply-config", "os-refresh-config", "os-net-config"})
    EXPECT_THAT(page(cat(name, ".1")), HasSubstr(".BR hearth\\-agent (1)\n")) << name;
  EXPECT_EQ(page("cfn-init.1"), "") << "that is heat-cfntools'";
}

TEST(AgentManual, ItsAppletsHavePagesInTheSiteToo) {
  std::string text;
  for (const cli::ManualPage& page : agent_manual(ManualForm::markdown)) {
    if (page.file == "hearth-agent-os-net-config.md") text = page.text;
  }
  EXPECT_NE(text.find("| `--purge-provider NAME` |"), std::string::npos) << text;
}

TEST(AgentManual, ADirectoryThatCannotBeMadeIsAFailure) {
  EXPECT_EQ(write_agent_manual("/dev/null/x", ManualForm::man), 1);
}

}  // namespace
}  // namespace hearth::agent
