#include "builder/run/unchanged.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/text.hpp"
#include "builder/layers/fact_source.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class UnchangedTest : public testing::Test {
 protected:
  UnchangedTest() {
    tree.add("os", "", "operating-system").hook("os", "install.d/10-x");
    files.write(dir.path() / "image.raw", "image", {});
    files.write(dir.path() / "metadata.json", "{}", {});
    request.environment = {{"DIB_HEAT_METADATA", (dir.path() / "metadata.json").string()}};
  }
  std::string key() { return output_key(request, tree.plan({"os"}), {}, secrets); }
  std::vector<fs::path> unchanged() {
    RepositoryStates repositories(dir.path() / "repositories.json", http, clock, std::chrono::hours(1));
    return unchanged_outputs(dir.path(), key(), repositories, secrets);
  }
  void note() {
    note_outputs(
        dir.path(), key(), {dir.path() / "image.raw"},
        {{"root.d/10-x",
          "os",
          1,
          {{"repository http://m.example/InRelease", "d1"}, {cat("host ", flag()), host_digest(files, flag())}}}});
  }
  std::string flag() const { return (dir.path() / "flag").string(); }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  FactKey secrets{"key"};
  fakes::ScriptedHttp http;
  fakes::ManualClock clock;
};

TEST_F(UnchangedTest, AFileOfTheMachineThatAHookAskedForIsSomethingTheyAreMadeOf) {
  files.write(dir.path() / "image.raw", "x", {});
  RepositoryStates(dir.path() / "repositories.json", http, clock, std::chrono::hours(1))
      .seen("http://m.example/InRelease", "d1");
  note();
  EXPECT_THAT(unchanged(), testing::SizeIs(1));
  files.write(flag(), "", {});
  EXPECT_THAT(unchanged(), IsEmpty());
}

TEST_F(UnchangedTest, OutputsStandWhileNothingTheyAreMadeOfChanges) {
  EXPECT_THAT(unchanged(), IsEmpty());
  note();
  EXPECT_THAT(unchanged(), ElementsAre(dir.path() / "image.raw"));
}

TEST_F(UnchangedTest, AnyChangedInputMakesThemOld) {
  const auto old_after = [&](const std::function<void()>& change) {
    note();
    EXPECT_FALSE(unchanged().empty());
    change();
    return unchanged().empty();
  };
  EXPECT_TRUE(old_after([&] { tree.hook("os", "install.d/10-x", "#!/bin/sh\ntrue\n"); }));
  EXPECT_TRUE(old_after([&] { files.write(dir.path() / "metadata.json", "{\"a\": 1}", {}); }));
  EXPECT_FALSE(old_after([&] { request.environment["MY_SETTING"] = "1"; })) << "no script names it";
  EXPECT_TRUE(old_after([&] { tree.hook("os", "install.d/10-x", "#!/bin/sh\necho $MY_SETTING $MY_DIR\n"); }));
  EXPECT_TRUE(old_after([&] { request.environment["MY_SETTING"] = "2"; }));
  files.make_directories(dir.path() / "given/below", 0755);
  EXPECT_TRUE(old_after([&] { request.environment["MY_DIR"] = (dir.path() / "given").string(); }));
  EXPECT_TRUE(old_after([&] { files.write(dir.path() / "given/below/a", "1", {}); }));
  EXPECT_TRUE(old_after([&] { files.write(dir.path() / "given/below/a", "2", {}); }));
  EXPECT_TRUE(old_after([&] { fs::permissions(dir.path() / "given/below/a", fs::perms::owner_all); }));
  const fs::path link = dir.path() / "given/below/link";
  EXPECT_TRUE(old_after([&] { fs::create_symlink("nowhere", link); }));
  EXPECT_TRUE(old_after([&] {
    fs::remove(link);
    fs::create_symlink("elsewhere", link);
  })) << "a link that leads nowhere leads elsewhere";
  request.environment["MY_DIR"] = (dir.path() / "given/below/a").string();
  EXPECT_TRUE(old_after([&] { fs::permissions(dir.path() / "given/below/a", fs::perms::owner_read); }));
  EXPECT_TRUE(old_after([&] {
    const auto time = fs::last_write_time(dir.path() / "given/below/a");
    std::ofstream(dir.path() / "given/below/a", std::ios::in | std::ios::out) << "3";
    fs::last_write_time(dir.path() / "given/below/a", time);
  })) << "the same size and time of change";
  EXPECT_TRUE(old_after([&] { request.arguments_text = "-u"; }));
  EXPECT_TRUE(old_after([&] { files.write(dir.path() / "image.raw", "other", {}); }));
  EXPECT_TRUE(old_after([&] { fs::remove(dir.path() / "image.raw"); }));
}

TEST_F(UnchangedTest, ANewReleaseOfARepositoryMakesThemOld) {
  note();
  RepositoryStates(dir.path() / "repositories.json", http, clock, std::chrono::hours(1))
      .seen("http://m.example/InRelease", "d2");
  EXPECT_THAT(unchanged(), IsEmpty());
}

TEST_F(UnchangedTest, TheKeyCannotBeFoundByTrying) {
  const std::string before = key();
  secrets = {"another"};
  EXPECT_NE(key(), before);
}

TEST_F(UnchangedTest, TheSessionDoesNotMatter) {
  note();
  request.environment["SSH_TTY"] = "/dev/pts/7";
  EXPECT_FALSE(unchanged().empty());
}

}  // namespace
}  // namespace hearth::builder
