#include "base/error.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

constexpr const char* k_done = R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0})";

TEST_F(HookTest, HierarchyAndDataFilesAreWritten) {
  runner_.on("os-apply-config", 0, "empty\n");
  EXPECT_EQ(run("hiera", R"({"config": {"hierarchy": ["a", "b"], "datafiles": {"all": {"z": 1, "a": "x"}}}})"), k_done);
  EXPECT_EQ(data("/etc/puppet/hiera.yaml"),
            "\n---\n:backends:\n  - json\n:json:\n  :datadir: /etc/puppet/hieradata\n:hierarchy:\n  - a\n  - b\n");
  EXPECT_EQ(mode("/etc/puppet/hiera.yaml"), 0600U);
  EXPECT_EQ(data("/etc/puppet/hieradata/all.json"), "{\n    \"a\": \"x\",\n    \"z\": 1\n}");
  EXPECT_EQ(mode("/etc/puppet/hieradata/all.json"), 0600U);
}

TEST_F(HookTest, OldHieradataAreRefused) {
  runner_.on("os-apply-config", 0, "{\"x\": 1}\n");
  EXPECT_NE(run("hiera", R"({"config": {"hierarchy": ["a"]}})").find("Legacy hieradata"), std::string::npos);
  EXPECT_TRUE(files_.files.empty());
}

TEST_F(HookTest, WithoutOsApplyConfigThereAreNoOldHieradata) {
  EXPECT_EQ(run("hiera", R"({"config": {"datafiles": {"../../x": 1}}})"), k_done);
  EXPECT_EQ(data("/etc/puppet/hieradata/x.json"), "1");
}

TEST_F(HookTest, AHieraConfigThatIsNoObjectIsAnError) { EXPECT_THROW((void)run("hiera", R"({"config": "x"})"), Error); }

}  // namespace
}  // namespace hearth::agent
