#include "builder/cache/unchanged.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/layers/fact_source.hpp"
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
    for (const char* record : {"manifest.json", "steps.json", "timing.json", "timing.svg"})
      files.write(dir.path() / record, "{}", {});
    request.environment = {{"DIB_HEAT_METADATA", (dir.path() / "metadata.json").string()}};
    steps = {{"install.d/10-x", "os", 1, {{"repository http://m.example/InRelease", "d1"}}}};
  }
  FactSource facts(const BuildPlan& plan) {
    return {
        files, plan, {.environment = [this](Phase) { return request.environment; }, .callers = request.environment}};
  }
  std::vector<fs::path> unchanged() {
    const BuildPlan plan = tree.plan({"os"});
    const FactSource now = facts(plan);
    return unchanged_outputs(dir.path(), output_key(request, plan, {}, now, key_files, secrets), now,
                             {.repository = [this](const std::string&) { return repository; }, .fetch = {}}, secrets);
  }
  void note() {
    const BuildPlan plan = tree.plan({"os"});
    const FactSource now = facts(plan);
    Facts of_step = now.of_step(plan.steps.front(), {});
    of_step.merge(Facts(steps.front().facts));
    const std::vector<StepRecord> done = {{plan.steps.front().label(), "os", 1, of_step}};
    note_outputs(dir.path(), output_key(request, plan, {}, now, key_files, secrets), {dir.path() / "image.raw"}, done,
                 plan, now, secrets);
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  FactKey secrets{"key"};
  std::vector<StepRecord> steps;
  std::vector<fs::path> key_files;
  std::optional<std::string> repository = "d1";
};

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
  key_files = {dir.path() / "luks.key"};
  EXPECT_TRUE(old_after([&] { files.write(dir.path() / "luks.key", "k", {}); }));
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
  EXPECT_TRUE(old_after([&] {
    const auto time = fs::last_write_time(dir.path() / "image.raw");
    std::ofstream(dir.path() / "image.raw", std::ios::in | std::ios::out) << "OTHER";
    fs::last_write_time(dir.path() / "image.raw", time);
  })) << "an output edited in place, its time set back";
  EXPECT_TRUE(old_after([&] { fs::remove(dir.path() / "image.raw"); }));
}

TEST_F(UnchangedTest, WhatWasToldOfEarlierOutputsIsNotTakenForToldOfThese) {
  files.write(dir.path() / "provenance.json", "{}", {});
  note();
  EXPECT_FALSE(fs::exists(dir.path() / "provenance.json"));
}

TEST_F(UnchangedTest, NotesThatSomebodyMadeFitHisEditsAreNoNotes) {
  note();
  Json notes = parse_json(files.read(dir.path() / "output.json").value_or(""), "output.json").value_or_throw();
  files.write(dir.path() / "manifest.json", "[]", {});
  notes["records"]["manifest.json"] = hex_digest(HashKind::sha256, "[]");
  files.write(dir.path() / "output.json", format_json(notes), {});
  EXPECT_THAT(unchanged(), IsEmpty());
  files.write(dir.path() / "output.json", R"({"key": 1, "seal": [], "outputs": 2})", {});
  EXPECT_THAT(unchanged(), IsEmpty());
}

TEST_F(UnchangedTest, RecordsThatOnlyABuildCanMakeAreMadeAnew) {
  for (const char* record : {"manifest.json", "steps.json", "timing.json", "timing.svg"}) {
    note();
    EXPECT_FALSE(unchanged().empty());
    fs::remove(dir.path() / record);
    EXPECT_THAT(unchanged(), IsEmpty()) << record;
    files.write(dir.path() / record, "[]", {});
    EXPECT_THAT(unchanged(), IsEmpty()) << record << " was edited: the next statement would be about that";
  }
}

TEST_F(UnchangedTest, ANewReleaseOfARepositoryMakesThemOld) {
  note();
  EXPECT_FALSE(unchanged().empty());
  repository = "d2";
  EXPECT_THAT(unchanged(), IsEmpty());
}

TEST_F(UnchangedTest, AStepThatDidWhatNobodyCanAskForAgainMakesThemOldAtOnce) {
  steps.front().facts["unseen curl reached 127.0.0.1:80"] = "-";
  note();
  EXPECT_THAT(unchanged(), IsEmpty());
}

TEST_F(UnchangedTest, TheKeyCannotBeFoundByTrying) {
  note();
  EXPECT_FALSE(unchanged().empty());
  secrets = {"another"};
  EXPECT_THAT(unchanged(), IsEmpty());
}

TEST_F(UnchangedTest, TheSessionDoesNotMatter) {
  note();
  request.environment["SSH_TTY"] = "/dev/pts/7";
  EXPECT_FALSE(unchanged().empty());
}

}  // namespace
}  // namespace hearth::builder
