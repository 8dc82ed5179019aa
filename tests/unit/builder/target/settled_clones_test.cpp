#include "builder/target/settled_clones.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/byte_order.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

class SettledClones : public testing::Test {
 protected:
  /// Words of a shell, in the tree.
  void run(const std::string& words) {
    const std::string set =
        cat("cd '", root.string(), "' && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='@1000000000 +0000' ",
            "GIT_COMMITTER_DATE='@1000000000 +0000' && git() { command git -c init.defaultBranch=main -c user.name=a ",
            "-c user.email=a@b.example -c protocol.file.allow=always \"$@\"; } && ");
    ASSERT_EQ(std::system(cat(set, words, " > log 2>&1").c_str()), 0) << files.read(root / "log").value_or("");
  }
  std::string read(const fs::path& path) { return files.read(root / path).value_or("(not there)"); }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path root = dir.path();
  RealFileSystem files;
};

constexpr const char* k_origin =
    "git init -q origin && cd origin && for i in 1 12 123 a/b/c a/b/d long/name/of/a/file; do mkdir -p $(dirname $i) "
    "&& echo $i > $i; done && "
    "git add . && git commit -qm one && cd ..";

TEST_F(SettledClones, OfOneCommitAreTheSameWhenTheyWereMadeAtTwoTimes) {
  for (const std::string version : {"2", "3", "4"}) {
    run(cat("rm -rf origin a b && ", k_origin,
            " && git clone -q origin a && sleep 0.01 && git clone -q origin b && for i in a b; do ",
            "(cd $i && git update-index --index-version ", version == "4" ? "4" : "2",
            version == "3" ? " --skip-worktree 1" : "",
            "); done && ! cmp -s a/.git/index b/.git/index && test -e a/.git/logs/HEAD"));
    ASSERT_EQ(get_be(read("a/.git/index"), 4, 4), std::stoul(version));
    settle_clones(root);
    EXPECT_NE(read("a/.git/index"), "(not there)");
    run("diff -r a b && test ! -e a/.git/logs && cd a && git fsck --strict && test -z \"$(git status --porcelain)\" && "
        "git log -1");
    EXPECT_EQ(read("log").find("error"), std::string::npos) << read("log");
  }
}

TEST_F(SettledClones, OfSubmodulesAndWithDigestsOfSha256Too) {
  run("git init -q --object-format=sha256 origin && cd origin && echo 1 > f && git add f && git commit -qm one && cd "
      ".. && "
      "git clone -q origin a && sleep 0.01 && git clone -q origin b && ! cmp -s a/.git/index b/.git/index");
  run(cat("rm -rf origin && ", k_origin,
          " && git init -q outer && cd outer && git submodule add -q ../origin inner && git commit -qm two && ",
          "test -e .git/modules/inner/logs"));
  settle_clones(root);
  run("cmp a/.git/index b/.git/index && cd a && git fsck && test -z \"$(git status --porcelain)\"");
  run("cd outer && test ! -e .git/modules/inner/logs && git fsck && cd inner && test -z \"$(git status --porcelain)\"");
}

TEST_F(SettledClones, WhatIsNoIndexOrNoCloneStaysAsItIs) {
  run(cat(
      k_origin,
      " && mkdir -p logs a b/refs b/objects b/logs && echo x | tee logs/x b/HEAD b/logs/x && git clone -q origin c && ",
      "printf DIRC > b/index && truncate -s -1 c/.git/index && ln -s ../origin/.git a/link && cp -r c/.git/index "
      "kept"));
  settle_clones(root);
  EXPECT_EQ(read("logs/x"), "x\n") << "no clone has it";
  EXPECT_EQ(read("b/index"), "DIRC");
  EXPECT_EQ(read("c/.git/index"), read("kept")) << "its digest is not that of what stands there";
}

}  // namespace
}  // namespace hearth::builder
