#include "agent/install_links.hpp"

#include <gmock/gmock.h>

#include "agent/applet.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent {
namespace {

TEST(InstallLinksTest, LinksBesideTheBinaryAreRelative) {
  EXPECT_THAT(plan_links("/usr/bin", "/usr/bin/hearth-agent", {"os-x", "hooks/script"}),
              testing::ElementsAre(LinkPlan{"/usr/bin/os-x", "hearth-agent"},
                                   LinkPlan{"/usr/bin/hooks/script", "/usr/bin/hearth-agent"}));
}

TEST(InstallLinksTest, AnExistingFileIsReplacedAndNothingElseIsLeft) {
  const TempDir dir = TempDir::create("/tmp", "links-test-");
  RealFileSystem().write(dir.path() / "os-x", "old", {});
  make_links({{dir.path() / "os-x", "/bin/agent"}, {dir.path() / "hooks/script", "/bin/agent"}});
  EXPECT_EQ(fs::read_symlink(dir.path() / "os-x").string(), "/bin/agent");
  EXPECT_EQ(fs::read_symlink(dir.path() / "hooks/script").string(), "/bin/agent");
  EXPECT_THAT(RealFileSystem().list(dir.path()), testing::ElementsAre("hooks", "os-x"));
}

TEST(InstallLinksTest, ADirectoryIsNeverReplaced) {
  const TempDir dir = TempDir::create("/tmp", "links-test-");
  RealFileSystem().make_directories(dir.path() / "os-x", 0755);
  EXPECT_THROW(make_links({{dir.path() / "os-x", "/bin/agent"}}), Error);
  EXPECT_THAT(RealFileSystem().list(dir.path()), testing::ElementsAre("os-x"));
}

TEST(InstallLinksTest, ALinkIsLaidForEveryAppletAndHook) {
  const std::vector<std::string> links = all_links();
  for (const char* link : {"os-collect-config",
                           "os-apply-config",
                           "os-config-applier",
                           "os-refresh-config",
                           "dib-run-parts",
                           "55-heat-config",
                           "50-heat-config-docker-cmd",
                           "50-heat-config-docker-compose",
                           "heat-config-notify",
                           "hooks/script",
                           "hooks/puppet",
                           "hooks/hiera",
                           "hooks/json-file",
                           "hooks/apply-config",
                           "hooks/cfn-init",
                           "hooks/ansible",
                           "hooks/chef",
                           "hooks/docker-cmd",
                           "hooks/docker-compose",
                           "hooks/salt",
                           "hooks/kubelet"}) {
    EXPECT_THAT(links, testing::Contains(link));
  }
}

TEST(InstallLinksTest, NamesAreAppletsHooksOrAllHooks) {
  EXPECT_THAT(links_of("os-apply-config"), testing::ElementsAre("os-apply-config"));
  EXPECT_THAT(links_of("script"), testing::ElementsAre("hooks/script"));
  EXPECT_THAT(links_of("hooks/cfn-init"), testing::ElementsAre("hooks/cfn-init"));
  EXPECT_GT(links_of("hooks").size(), 10U);
  EXPECT_THROW((void)links_of("nothing"), Error);
}

TEST(AppletTest, EveryAppletIsFoundByItsNameAndEndsItsLink) {
  for (const Applet& applet : applets()) {
    EXPECT_EQ(find_applet(applet.name), &applet);
    EXPECT_TRUE(applet.link.empty() || fs::path(std::string(applet.link)).filename().string() == applet.name)
        << applet.name;
  }
  EXPECT_EQ(find_applet("hearth-agent"), nullptr);
}

}  // namespace
}  // namespace hearth::agent
