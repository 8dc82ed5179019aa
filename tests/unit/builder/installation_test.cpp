#include "builder/installation.hpp"

#include <gmock/gmock.h>

#include "source_directory.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

class InstallationTest : public testing::Test {
 protected:
  void directory(const std::string& path) { files.make_directories(dir.path() / path, 0755); }
  void file(const std::string& path) {
    files.make_directories((dir.path() / path).parent_path(), 0755);
    files.write(dir.path() / path, "", {.mode = 0755});
  }
  [[nodiscard]] fs::path at(const std::string& path) const { return dir.path() / path; }
  [[nodiscard]] Installation found(const Environment& env = {}) const {
    return find_installation(env, at("bin/hearth"));
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
};

TEST_F(InstallationTest, LiesBesideTheExecutable) {
  directory("share/hearth/elements");
  file("bin/hearth-agent");
  EXPECT_EQ(found().elements, at("share/hearth/elements"));
  EXPECT_EQ(found().shims, at("share/hearth/elements/.shims"));
  EXPECT_EQ(found().library, at("share/hearth/elements/.lib"));
  EXPECT_EQ(found().agent_binary, at("bin/hearth-agent"));
}

TEST_F(InstallationTest, TheVariablesBeatIt) {
  directory("share/hearth/elements");
  directory("mine/elements");
  const Installation named = found({{"HEARTH_DATA_DIR", at("mine").string()}, {"HEARTH_AGENT_BINARY", "/my/agent"}});
  EXPECT_EQ(named.elements, at("mine/elements"));
  EXPECT_EQ(named.agent_binary, "/my/agent");
}

TEST_F(InstallationTest, AVariableThatLeadsNowhereOrIsEmptyIsPassedOver) {
  directory("share/hearth/elements");
  EXPECT_EQ(found({{"HEARTH_DATA_DIR", "/missing"}}).elements, at("share/hearth/elements"));
  EXPECT_EQ(found({{"HEARTH_DATA_DIR", ""}, {"HEARTH_AGENT_BINARY", ""}}).elements, at("share/hearth/elements"));
}

TEST_F(InstallationTest, InABuildTreeItIsTheSourceTreeWithTheAgentInItsFolder) {
  file("agent/hearth-agent");
  EXPECT_EQ(found().elements, fs::path(HEARTH_SOURCE_DIR) / "elements");
  EXPECT_EQ(found().agent_binary, at("agent/hearth-agent"));
}

TEST_F(InstallationTest, AnAgentThatIsNowhereIsExpectedBesideTheExecutable) {
  EXPECT_EQ(found().agent_binary, at("bin/hearth-agent"));  // the element that needs it says that it is missing
}

}  // namespace
}  // namespace hearth::builder
