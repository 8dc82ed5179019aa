#include "builder/layers/fact_source.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

class FactSourceTest : public testing::Test {
 protected:
  FactSourceTest() {
    tree.add("os", "", "operating-system");
    for (const char* name : {"hooks/install.d", "hooks/environment.d"}) files.make_directories(dir.path() / name, 0755);
    put("hooks/install.d/10-x", "cat $METADATA\n");
    put("hooks/environment.d/10-e", "export A=1\n");
    put("metadata", "{}");
  }
  void put(const std::string& path, const std::string& text) { files.write(dir.path() / path, text, {}); }
  FactSource source() {
    plan = tree.plan({"os"});
    return {files, dir.path() / "hooks", plan, packages, [this](const std::string&) { return repository; }};
  }
  Facts facts(const Reads& reads = {}) { return source().of_step(step, reads, env); }
  std::string fault(const Facts& noted) { return source().fault(noted, env).value_or("none"); }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  BuildPlan plan;
  std::vector<std::string> packages;
  std::optional<std::string> repository = "r1";
  Step step{Phase::install, Step::Kind::hook, "10-x", "os"};
  Environment env = {{"METADATA", (dir.path() / "metadata").string()}, {"OTHER", (dir.path() / "metadata").string()}};
};

TEST_F(FactSourceTest, HoldsWhileNothingChanges) {
  Facts noted = facts();
  noted["repository http://m/InRelease"] = "r1";
  EXPECT_EQ(fault(noted), "none");
  repository = "r2";
  EXPECT_EQ(fault(noted), "the package repository http://m/InRelease changed");
  repository = std::nullopt;  // it does not answer, and nothing is known of it
  EXPECT_EQ(fault(noted), "none");
}

TEST_F(FactSourceTest, AsksTheNetworkLastAndOnlyAsLongAsAllHolds) {
  Facts noted = facts();
  for (const char* url : {"http://m/a", "http://m/b", "http://m/c"}) noted[cat("fetch GET ", url)] = "d";
  std::vector<std::string> asked;
  plan = tree.plan({"os"});
  const FactSource network(
      files, dir.path() / "hooks", plan, packages, [](const std::string&) { return std::nullopt; },
      [&](const std::string& fetch) {
        asked.push_back(fetch);
        return fetch == "GET http://m/b" ? "other" : "d";
      });
  EXPECT_EQ(network.fault(noted, env), "the download GET http://m/b changed");
  EXPECT_EQ(asked, (std::vector<std::string>{"GET http://m/a", "GET http://m/b"}));
  asked.clear();
  env["DIB_NEW"] = "1";
  EXPECT_EQ(network.fault(noted, env), "the variable DIB_NEW is new");
  EXPECT_TRUE(asked.empty());
}

TEST_F(FactSourceTest, AFileThatAHookOnlyAsksForIsAnInput) {
  const std::string flag = (dir.path() / "machine/flag").string();
  files.make_directories(dir.path() / "machine", 0755);
  step = {Phase::extra_data, Step::Kind::hook, "20-y", "os"};
  files.make_directories(dir.path() / "hooks/extra-data.d", 0755);
  files.make_directories(dir.path() / "hooks/data", 0755);
  put("hooks/extra-data.d/20-y",
      cat("[ -e ", replace_all(flag, "/tmp/", "/srv/../tmp/"), " ]; [ -e $TMP_HOOKS_PATH/data/a ]\n"));
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  put("machine/flag", "");
  EXPECT_THAT(fault(noted), HasSubstr("machine/flag changed"));
  fs::remove(flag);
  put("hooks/data/b", "");  // another one, of which it says nothing
  EXPECT_EQ(fault(noted), "none");
  put("hooks/data/a", "");
  EXPECT_EQ(fault(noted), "data/a changed");
}

TEST_F(FactSourceTest, AHookThatMayAskForAnyFileDependsOnTheirNames) {
  files.make_directories(dir.path() / "hooks/data", 0755);
  put("hooks/install.d/10-x", "[ -e $TMP_HOOKS_PATH/data/$name ]\n");
  const Facts noted = facts();
  put("hooks/install.d/30-other", "true\n");
  EXPECT_EQ(fault(noted), "none");
  put("hooks/data/b", "");
  EXPECT_EQ(fault(noted), "the set of files beside the hooks changed");
}

TEST_F(FactSourceTest, AReplayedDownloadHoldsWhileTheLockSaysTheSame) {
  plan = tree.plan({"os"});
  std::string locked = "d1";
  const FactSource replay(files, dir.path() / "hooks", plan, packages, {}, [&](const std::string&) { return locked; });
  Facts noted = replay.of_step(step, {}, env);
  noted["fetch GET http://m/x"] = "d1";
  EXPECT_FALSE(replay.fault(noted, env));
  locked = "not-locked";
  EXPECT_EQ(replay.fault(noted, env), "the download GET http://m/x changed");
}

TEST_F(FactSourceTest, EachKindOfInputIsNoticedByName) {
  const Facts noted = facts({.files = {"data/x", "lost"}, .directories = {"data"}});
  const auto changed = [&](const std::string& path, const std::string& text) {
    files.make_directories((dir.path() / path).parent_path(), 0755);
    put(path, text);
    std::string found = fault(noted);
    fs::remove(dir.path() / path);
    return found;
  };
  EXPECT_EQ(changed("hooks/data/x", "new"), "data/x changed") << "and the directory";
  EXPECT_EQ(changed("hooks/lost", "found"), "lost changed");
  EXPECT_EQ(changed("hooks/environment.d/20-more", ""), "the directory environment.d changed");
  EXPECT_EQ(changed("hooks/unread", "new"), "none");
  put("metadata", "{\"a\": 1}");
  EXPECT_EQ(fault(noted), "what the variable METADATA names changed");
  put("metadata", "{}");
  put("hooks/install.d/10-x", "cat $METADATA; true\n");
  EXPECT_EQ(fault(noted), "install.d/10-x changed");
}

TEST_F(FactSourceTest, VariablesThatCountAreNoticedWhenTheyComeAndGo) {
  put("hooks/install.d/10-x", "cat $METADATA; echo ${NEW:-}\n");
  const Facts noted = facts();
  env["NEW"] = "1";
  EXPECT_EQ(fault(noted), "the variable NEW is new") << "a script names it, though it was not there then";
  env.erase("NEW");
  env["PIP_INDEX_URL"] = "1";
  EXPECT_EQ(fault(noted), "the variable PIP_INDEX_URL is new") << "pip reads it by itself";
  env.erase("PIP_INDEX_URL");
  for (const char* name : {"SSH_TTY", "CI_JOB_ID", "UNNAMED"}) env[name] = "x";
  EXPECT_EQ(fault(noted), "none");
  env.erase("METADATA");
  EXPECT_EQ(fault(noted), "the variable METADATA is gone");
}

TEST_F(FactSourceTest, ADirectoryThatAVariableNamesIsAnInputWithAllBelowIt) {
  files.make_directories(dir.path() / "given/below", 0755);
  put("given/below/a", "1");
  env["GIVEN"] = (dir.path() / "given").string();
  step = {Phase::root, Step::Kind::hook, "10-y", "os"};
  files.make_directories(dir.path() / "hooks/root.d", 0755);
  put("hooks/root.d/10-y", "cp -r \"$GIVEN/.\" x\n");
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  put("given/below/a", "2");
  EXPECT_EQ(fault(noted), "what the variable GIVEN names changed");
  put("given/below/a", "1");
  fs::create_symlink("a", dir.path() / "given/below/link");
  const Facts linked = facts();
  fs::remove(dir.path() / "given/below/link");
  fs::create_symlink("b", dir.path() / "given/below/link");
  EXPECT_EQ(fault(linked), "what the variable GIVEN names changed") << "a link leads elsewhere";
  fs::remove(dir.path() / "given/below/link");
  EXPECT_EQ(fault(noted), "none");
}

TEST_F(FactSourceTest, ADirectoryThatAScriptNamesCountsWithAllBelowItButWhatPackagesFill) {
  files.make_directories(dir.path() / "named/below", 0755);
  put("named/below/a", "1");
  const std::string before = host_digest(files, dir.path() / "named");
  EXPECT_EQ(host_digest(files, dir.path() / "named"), before);
  put("named/below/a", "2");
  EXPECT_NE(host_digest(files, dir.path() / "named"), before);
  put("named/below/a", "1");
  EXPECT_EQ(host_digest(files, dir.path() / "named"), before);
  fs::permissions(dir.path() / "named/below/a", fs::perms::owner_all);
  EXPECT_NE(host_digest(files, dir.path() / "named"), before);
}

TEST_F(FactSourceTest, AFileTooLargeToBeReadIsAnInputByItsLook) {
  const fs::path large = dir.path() / "large.img";
  put("large.img", "x");
  fs::resize_file(large, std::uintmax_t{300} << 20U);
  env["IMAGE"] = large.string();
  put("hooks/install.d/10-x", "cp $IMAGE x\n");
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  fs::last_write_time(large, 1'000'000'000);
  EXPECT_EQ(fault(noted), "what the variable IMAGE names changed");
}

TEST_F(FactSourceTest, ACommitOfABranchIsAskedForAgain) {
  Facts noted = facts();
  noted["git http://g/x.git master"] = "r1";
  EXPECT_EQ(fault(noted), "none");
  repository = "r2";
  EXPECT_EQ(fault(noted), "the git repository http://g/x.git master changed");
  repository = std::nullopt;
  EXPECT_EQ(fault(noted), "none");
}

TEST_F(FactSourceTest, PackageStepsDependOnTheListsOfPackages) {
  step = {Phase::install, Step::Kind::extra_packages, "extra-packages", ""};
  const Facts noted = facts();
  EXPECT_THAT(noted, Contains(Key("packages -p")));
  packages = {"nginx"};
  EXPECT_THAT(fault(noted), HasSubstr("list of packages"));
  packages.clear();
  step = {Phase::install, Step::Kind::install_packages, "01-package-installs", ""};
  const Facts lists = facts();
  tree.file("os", "package-installs.yaml", "vim:\n");
  EXPECT_THAT(fault(lists), HasSubstr("list of packages"));
}

TEST_F(FactSourceTest, AScriptThatAsksForTheElementsDependsOnTheirFiles) {
  EXPECT_THAT(facts(), Not(Contains(Key("elements all"))));
  put("hooks/install.d/10-x", "eval $(get_image_element_array)\n");
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "README.md", "other");
  EXPECT_EQ(fault(noted), "all changed");
}

}  // namespace
}  // namespace hearth::builder
