#include "base/cli/near_file.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"

namespace hearth::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NearFileTest : public testing::Test {
 protected:
  NearFileTest() : before_(fs::current_path()), place_(TempDir::create(fs::temp_directory_path(), "near-file.")) {
    const fs::path here = place_.path() / "here";
    fs::create_directories(here / "below");
    RealFileSystem files;
    for (const char* name : {"web.tar", "site.yaml", "disk.raw", "below/deep.yaml", "../above.json", "../sitf.yaml"})
      files.write(here / name, "x", {});
    fs::current_path(here);
  }
  ~NearFileTest() override { fs::current_path(before_); }
  fs::path before_;
  TempDir place_;
};

TEST_F(NearFileTest, IsOneOfTheSameFolderThatIsCalledNearlySo) {
  EXPECT_THAT(near_files("wbe.tar"), ElementsAre("web.tar"));
  EXPECT_THAT(near_files("site.yml"), ElementsAre("site.yaml"));
  EXPECT_THAT(near_files("disk"), ElementsAre("disk.raw"));
  EXPECT_THAT(near_files("below/depe.yaml"), ElementsAre("below/deep.yaml"));
  EXPECT_THAT(near_files("entirely.different"), IsEmpty());
  EXPECT_THAT(near_files("wbe"), IsEmpty()) << "anything may be called so";
}

TEST_F(NearFileTest, IsOneOfThatNameInAnotherFolder) {
  EXPECT_THAT(near_files("above.json"), ElementsAre("../above.json"));
  EXPECT_THAT(near_files("sitf.yaml"), ElementsAre("../sitf.yaml")) << "the very name is nearer than site.yaml";
  EXPECT_THAT(near_files("below/web.tar"), ElementsAre("web.tar"));
  EXPECT_THAT(near_files("deep.yaml"), ElementsAre("below/deep.yaml"));
}

TEST_F(NearFileTest, IsToldWhereAnErrorSpeaksOfTheWordAndSaysNothingOfTheKind) {
  const std::string whole = (fs::current_path() / "wbe.tar").string();
  EXPECT_EQ(near_file_told("there is no image " + whole, {"wbe.tar"}), "Did you mean web.tar?");
  EXPECT_EQ(near_file_told("there is no site file site.yml", {"--boot=site.yml"}), "Did you mean site.yaml?");
  EXPECT_EQ(near_file_told("there is no wbe.tar\n  Did you mean x?", {"wbe.tar"}), "");
  EXPECT_EQ(near_file_told("disk: hook failed", {"disk"}), "") << "nothing is missing";
  EXPECT_EQ(near_file_told("there is no stack disk", {"disk"}), "") << "nor is a stack a file";
  EXPECT_EQ(near_file_told("something else", {"wbe.tar"}), "");
  EXPECT_EQ(near_file_told("web.tar is damaged", {"web.tar"}), "") << "it is there";
}

}  // namespace
}  // namespace hearth::cli
