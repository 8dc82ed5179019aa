#include "builder/installation.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"
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

TEST_F(InstallationTest, ABuildTreeHasLinksToTheSourcesAndTheAgent) {
  directory("sources/elements");
  file("agent/hearth-agent");
  directory("share/hearth");
  directory("bin");
  fs::create_symlink(at("sources/elements"), at("share/hearth/elements"));
  fs::create_symlink("../agent/hearth-agent", at("bin/hearth-agent"));
  EXPECT_EQ(found().elements, at("sources/elements"));
  EXPECT_EQ(found().agent_binary, at("agent/hearth-agent"));
}

TEST_F(InstallationTest, NothingBesideItIsAnErrorThatNamesThePlaces) {
  try {
    (void)found({{"HEARTH_DATA_DIR", "/missing"}});
    FAIL() << "elements were found";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              cat("Hearth's own elements are not in any of /missing ", at("share/hearth").string()));
  }
}

TEST_F(InstallationTest, AnAgentThatIsNowhereIsExpectedBesideTheExecutable) {
  directory("share/hearth/elements");
  EXPECT_EQ(found().agent_binary, at("bin/hearth-agent"));  // the element that needs it says that it is missing
}

}  // namespace
}  // namespace hearth::builder
