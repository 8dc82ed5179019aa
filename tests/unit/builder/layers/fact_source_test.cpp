#include "builder/layers/fact_source.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/builder/layers/fact_source_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

TEST_F(FactSourceTest, HoldsWhileNothingChanges) {
  Facts noted = facts();
  noted["repository http://m/InRelease"] = "r1";
  EXPECT_EQ(fault(noted), "none");
  repository = "r2";
  EXPECT_EQ(fault(noted), "the package repository http://m/InRelease changed");
  repository = std::nullopt;  // it does not answer, and nothing is known of it
  EXPECT_EQ(fault(noted), "none");
}

TEST_F(FactSourceTest, AFileThatLiesInTheImageCacheCountsWhereItIsRead) {
  on_host("cat $DIB_IMAGE_CACHE/base $DIB_IMAGE_CACHE/other\n");
  put("cache/base", "one");
  const std::string base = (dir.path() / "cache/base").string();
  const std::string list = (dir.path() / "cache").string();
  const Facts noted = facts({.machine = {{base, ""}, {list, ""}}});
  EXPECT_EQ(noted.count("read " + base), 1U);
  EXPECT_EQ(noted.count("read " + list), 0U);  // each build may put something there
  EXPECT_EQ(fault(noted), "none");
  put("cache/base", "two");
  EXPECT_THAT(fault(noted), HasSubstr("cache/base"));
  fs::remove(base);
  EXPECT_THAT(fault(noted), HasSubstr("cache/base"));
}

TEST_F(FactSourceTest, WhatWasNotInTheImageCacheIsAnInputButForWhatTheStepPutThere) {
  on_host("true\n");
  const fs::path cache = fs::canonical(dir.path()) / "cache";
  const auto seen = [](const fs::path& path) {
    return Reads{.asked = {{path.string(), asked_look(path).value_or("?")}}};
  };
  const Reads missing = seen(cache / "laid");
  const Facts noted = source().after_step(step, missing);
  EXPECT_EQ(noted.count(cat("asked ", (cache / "laid").string())), 1U);
  EXPECT_EQ(fault(noted), "none");
  put("cache/laid", "one");
  EXPECT_THAT(fault(noted), HasSubstr("cache/laid"));
  for (const Reads& reads : {missing, seen(cache / "laid")})
    EXPECT_EQ(source().after_step(step, reads).count(cat("asked ", (cache / "laid").string())), 0U);
}

TEST_F(FactSourceTest, WhatStandsForAServersAnswersCountsByThese) {
  on_host("git clone $METADATA $DIB_IMAGE_CACHE/clone\n");
  put("cache/clone/HEAD", "one");
  const fs::path where = fs::canonical(dir.path());
  Reads reads{.machine = {{(where / "cache/clone/HEAD").string(), ""}, {(where / "other").string(), ""}},
              .asked = {{(where / "cache/clone/config").string(), "missing"}}};
  EXPECT_EQ(facts(reads).count(cat("read ", (where / "cache/clone/HEAD").string())), 1U);
  reads.add_copy(where / "cache/clone");
  EXPECT_THAT(reads.machine, ElementsAre(testing::Pair((where / "other").string(), "")));
  EXPECT_TRUE(reads.asked.empty());
  EXPECT_EQ(facts(reads).count("file METADATA"), 1U);
  reads.add_copy(dir.path() / "metadata");
  const Facts noted = facts(reads);
  EXPECT_EQ(noted.count("file METADATA"), 0U);
  put("metadata", "changed");
  EXPECT_EQ(fault(noted), "none");
  env["METADATA"] = "/elsewhere";
  EXPECT_EQ(fault(noted), "the variable METADATA changed");
}

TEST_F(FactSourceTest, WhatIsShownOfAHomeIsAnInputOfStepsThatComeToIt) {
  on_host("true\n");
  put("home/src/repository/HEAD", "one");
  put("home/.curlrc", "one");
  env["HEARTH_HOST_FILES"] = "~/src/repository";
  const std::string place = (dir.path() / "home/src/repository").string();
  const Facts without = facts({.machine = {{(dir.path() / "start").string(), ""}}});
  const Facts with = facts({.machine = {{cat(place, "/HEAD"), ""}}});
  const Facts asked = facts({.asked = {{cat(place, "/more"), "missing"}}});
  const Facts above = facts({.machine = {{(dir.path() / "home/src").string(), ""}}});
  put("home/src/repository/more", "one");
  EXPECT_EQ(fault(without), "none");
  for (const Facts& each : {with, asked, above}) EXPECT_THAT(fault(each), HasSubstr("src/repository changed"));

  script("root.d/10-own", "true\n");
  step = {Phase::root, Step::Kind::hook, "10-own", "os"};
  const Facts own = facts();
  put("home/src/repository/more", "two");
  EXPECT_EQ(fault(own), "none") << "Hearth's own, which name what they read";
  env["HEARTH_HOST_FILES"] = "~/src/repository:~/.curlrc";
  EXPECT_THAT(fault(own), HasSubstr("home/.curlrc is new")) << "which programs find by themselves";
  on_host("true\n");
  EXPECT_THAT(fault(without), HasSubstr("HEARTH_HOST_FILES changed")) << "it may have asked for what is there now";
}

TEST_F(FactSourceTest, WhatAnElementListsInHostFilesIsAnInputOfStepsThatComeToIt) {
  on_host("true\n");
  put("given/file", "one");
  const std::string place = (dir.path() / "given").string();
  put("elements/os/host-files", cat(place, "\n"));
  env["DIB_UNNAMED"] = place;
  const Facts without = facts();
  const Facts with = facts({.machine = {{cat(place, "/file"), ""}}});
  put("given/file", "two");
  EXPECT_EQ(fault(without), "none");
  EXPECT_THAT(fault(with), HasSubstr("given changed"));
  put("elements/os/host-files", cat(place, "\n", place, "/more\n"));
  EXPECT_THAT(fault(without), HasSubstr("host-files"));
}

TEST_F(FactSourceTest, WhatAHookMountsOfTheImageCacheIsAnInput) {
  on_host("true\n");
  put("cache/pip/one", "one");
  put("machine/x", "");
  const fs::path where = fs::canonical(dir.path());
  const auto shown = [&](const char* path) { return facts({.shown = {(where / path).string()}}); };
  const Facts noted = shown("cache/pip");
  EXPECT_EQ(unkeepable(noted), std::nullopt);
  EXPECT_EQ(fault(noted), "none");
  put("cache/pip/one", "two");
  EXPECT_THAT(fault(noted), HasSubstr("cache/pip changed"));
  EXPECT_THAT(unkeepable(shown("cache")).value_or(""), HasSubstr("holds the build's own output or cache"));
  EXPECT_THAT(unkeepable(shown("machine")).value_or(""), HasSubstr("machine somewhere else"));
}

TEST_F(FactSourceTest, WhatAHookWasSeenToAskForIsAnInput) {
  on_host("true\n");
  const std::string flag = (dir.path() / "machine/flag").string();
  const auto seen = [](const std::string& path) { return Reads{.asked = {{path, asked_look(path).value_or("?")}}}; };
  const Facts missing = facts(seen(flag));
  EXPECT_EQ(fault(missing), "none");
  put("machine/flag", "one");
  EXPECT_THAT(fault(missing), HasSubstr("machine/flag changed"));
  const Facts there = facts(seen(flag));
  put("machine/flag", "two");  // nobody read it
  EXPECT_EQ(fault(there), "none");
  fs::permissions(flag, fs::owner_all);
  EXPECT_THAT(fault(there), HasSubstr("machine/flag changed"));
  Reads read = seen(flag);
  read.machine.emplace(flag, "");
  EXPECT_EQ(facts(read).count("asked " + flag), 0U);  // the content counts

  const fs::path where = fs::canonical(dir.path());
  put("start/x", "");
  for (const fs::path& path : {dir.path() / "start", dir.path(), where / "made/image.d/x"})
    EXPECT_EQ(facts(seen(path.string())), facts()) << path << " is there in every build, or the builder's own";
  is_hidden = [&](const fs::path& path) { return path == flag; };
  EXPECT_EQ(facts(seen(flag)), facts()) << "hooks see nothing there, whatever is";
}

TEST_F(FactSourceTest, WhatChangesWhileTheBuildRunsIsNotKept) {
  const std::string named = (dir.path() / "machine/named").string();
  const std::string read = (dir.path() / "machine/read").string();
  const std::string listed = (dir.path() / "machine/listed").string();
  for (const char* name : {"machine/named", "machine/read", "machine/listed/x"}) put(name, "before");
  env["NAMED"] = named;
  on_host("cat $NAMED\n");
  const auto told = [&](const FactSource& facts, const std::string& path, const std::string& stamp) {
    return unkeepable(facts.after_step(step, {.machine = {{path, stamp}}})).value_or("kept");
  };
  FactSource facts = source();
  facts.prepare();
  const std::string stamp = input_stamp(read);
  const std::string names = input_stamp(listed);
  EXPECT_EQ(told(facts, read, stamp), "kept");
  EXPECT_EQ(told(facts, listed, names), "kept");

  put("machine/listed/y", "");
  EXPECT_EQ(told(facts, listed, names), listed + " was changed while the build ran");
  put("machine/read", "after!");
  EXPECT_EQ(told(facts, read, stamp), read + " was changed while the build ran");
  EXPECT_EQ(told(facts, read, input_stamp(read)), read + " was changed while the build ran")
      << "since another step read it";
  EXPECT_EQ(told(source(), read, input_stamp(read)), "kept");

  EXPECT_EQ(facts.changed_inputs(), std::set<std::string>{read});
  put("machine/named", "after!");
  EXPECT_EQ(facts.changed_inputs(), (std::set<std::string>{named, read}));
  EXPECT_EQ(told(facts, read, ""), named + " was changed while the build ran");
  facts.look_again();  // what has changed before is told by its name
  EXPECT_EQ(told(facts, read, ""), "kept");
  facts.distrust({named});
  EXPECT_EQ(told(facts, read, ""), named + " was changed while the build ran");
}

TEST_F(FactSourceTest, AnElementThatIsChangedSinceItWasReadIsNamed) {
  const FactSource facts = source();
  facts.prepare();
  EXPECT_EQ(facts.changed_element(), "");
  script("install.d/10-x", "cat $OTHER\n");
  EXPECT_EQ(facts.changed_element(), "os");
}

TEST_F(FactSourceTest, AStepThatAsksForNoEndOfFilesIsNotKept) {
  on_host("true\n");
  Reads reads;
  for (int i = 0; i < 2049; ++i) reads.asked.emplace(cat("/srv/asked/", i), "missing");
  EXPECT_THAT(unkeepable(facts(reads)).value_or(""), HasSubstr("asked for more than 2048 files"));
}

TEST_F(FactSourceTest, TheNetworkIsAskedUntilSomethingDiffers) {
  Facts noted;
  for (const char* url : {"http://m/a", "http://m/b", "http://m/c"}) noted[cat("fetch GET ", url)] = "d";
  std::vector<std::string> asked;
  const RemoteFacts network{.repository = {}, .fetch = [&](const std::string& fetch) {
                              asked.push_back(fetch);
                              return fetch == "GET http://m/b" ? "other" : "d";
                            }};
  EXPECT_EQ(remote_fault(noted, network), "the download GET http://m/b changed");
  EXPECT_EQ(asked, (std::vector<std::string>{"GET http://m/a", "GET http://m/b"}));
}

/// Every file of environment.d is sourced, also one that would be no script elsewhere.
TEST_F(FactSourceTest, WhatEnvironmentDReadsCountsWhateverItsFilesAreCalledAndHoweverLongTheyAre) {
  script("install.d/10-x", "echo $GREETING\n");
  const std::string text = "export GREETING=${DIB_GREETING:-hello}\n";
  for (const char* name : {"45-README.md", "README", "45-a.rst", "45-a.pyc", "45-long"}) {
    const std::string path = cat("environment.d/", name);
    tree.file("os", path, name == std::string("45-long") ? cat(text, std::string(1'100'000, '#'), "\n") : text);
    env["DIB_GREETING"] = "one";
    const Facts noted = facts();
    env["DIB_GREETING"] = "two";
    EXPECT_EQ(fault(noted), "the variable DIB_GREETING changed") << name;
    fs::remove(dir.path() / "elements/os" / path);
  }
}

TEST_F(FactSourceTest, AFileThatAHookOnlyAsksForIsAnInput) {
  const std::string flag = (dir.path() / "machine/flag").string();
  on_host(cat("[ -e ", replace_all(flag, "/tmp/", "/srv/../tmp/"), " ]; [ -e $TMP_HOOKS_PATH/data/a ]\n"));
  tree.file("os", "data/other", "");
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  put("machine/flag", "");
  EXPECT_THAT(fault(noted), HasSubstr("machine/flag changed"));
  fs::remove(flag);
  tree.file("os", "data/b", "");  // another one, of which it says nothing
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "data/a", "");
  EXPECT_EQ(fault(noted), "data/a changed");
}

TEST_F(FactSourceTest, AHookThatMayAskForAnyFileDependsOnTheirNames) {
  tree.file("os", "data/a", "one");
  tree.file("os", "static/etc/a", "");
  script("install.d/10-x", "[ -e $TMP_HOOKS_PATH/$name ]\n");
  const Facts noted = facts();
  script("install.d/30-other", "true\n");
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "data/a", "another content");
  EXPECT_EQ(fault(noted), "none") << "it is seen to open it, if it does";
  tree.file("os", "static/etc/b", "");
  EXPECT_EQ(fault(noted), "static/etc/b is new (of the element os)");
  fs::permissions(dir.path() / "elements/os/data/a", fs::perms(0755));
  EXPECT_EQ(fault(noted), "data/a changed (of the element os)") << "test -x";
  tree.file("os", "data/a", "");
  EXPECT_EQ(fault(noted), "data/a changed (of the element os)") << "test -s";
  fs::remove(dir.path() / "elements/os/data/a");
  EXPECT_EQ(fault(noted), "data/a is gone");
  for (int i = 0; i < 300; ++i) tree.file("os", cat("static/", i), "");
  const Facts many = facts();
  tree.file("os", "static/one-more", "");
  EXPECT_EQ(fault(many), "which files there are in all elements changed");
}

TEST_F(FactSourceTest, OfADirectoryThatAHookListsItCountsWhatTheListingTells) {
  const auto link = [&](const std::string& path, const std::string& target) {
    fs::remove(dir.path() / "elements/os" / path);
    fs::create_symlink(target, dir.path() / "elements/os" / path);
  };
  tree.file("os", "static/a", "one").file("os", "static/below/b", "one").file("os", "data/c", "one");
  link("static/link", "a");
  const Facts noted = facts({.files = {"static/a"}, .directories = {"static"}});
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "static/below/b", "another").file("os", "data/c", "another");
  EXPECT_EQ(fault(noted), "none") << "what is below, and beside";
  link("static/link", "./a");
  EXPECT_THAT(fault(noted), HasSubstr("static")) << "a copy has the link's text";
  link("static/link", "a");
  const Facts only_listed = facts({.directories = {"static"}});
  tree.file("os", "static/a", "three");
  EXPECT_EQ(fault(only_listed), "the directory static changed") << "its size";
  tree.file("os", "static/a", "one");
  fs::permissions(dir.path() / "elements/os/static/a", fs::perms(0700));
  EXPECT_EQ(fault(only_listed), "the directory static changed") << "its mode";
  const FactSource before = source();
  before.prepare();
  const Facts told = before.of_step(step, {.directories = {"static"}});
  tree.file("os", "static/a", "three");
  EXPECT_EQ(before.of_step(step, {.directories = {"static"}}), told) << "an edit meanwhile is the next build's";
  EXPECT_EQ(fault(told), "the directory static changed");
}

TEST_F(FactSourceTest, ALinkBesideTheHooksCountsWhereAStepMayHaveComeByIt) {
  const auto link = [&](const std::string& target) {
    fs::remove(dir.path() / "elements/os/data/link");
    fs::create_symlink(target, dir.path() / "elements/os/data/link");
  };
  tree.file("os", "data/a", "one").file("os", "data/b", "one").file("os", "static/c/d", "one");
  tree.file("os", "other/x", "one");
  link("a");
  const Facts of_a = facts({.files = {"data/a"}});
  const Facts of_b = facts({.files = {"data/b"}});
  const Facts of_none = facts();
  link("../static/c");
  EXPECT_EQ(fault(of_a), "the link data/link is gone");
  EXPECT_EQ(fault(of_b), "none") << "it did not come by the link to b";
  EXPECT_EQ(fault(of_none), "none");
  const Facts below = facts({.files = {"static/c/d"}});
  for (const char* elsewhere : {"/etc/hostname", "../../outside", "not-there"}) {
    link(elsewhere);
    EXPECT_THAT(fault(below), HasSubstr("the link data/link changed")) << elsewhere;
    EXPECT_EQ(fault(of_none), "none") << elsewhere << ": it read nothing there";
  }
  EXPECT_EQ(fault(of_b), "the link data/link is new") << "it leads elsewhere: nobody can tell";
  fs::create_symlink(".", dir.path() / "elements/os/static/loop");
  fs::create_symlink(".", dir.path() / "elements/os/static/loop2");
  script("install.d/10-x", "[ -e $TMP_HOOKS_PATH/$name ]\n");
  EXPECT_EQ(facts().count("beside static/loop"), 1U) << "links that lead back end";
  link("a");
  const Facts asked = facts();
  link("b");
  EXPECT_EQ(fault(asked), "data/link changed (of the element os)") << "readlink opens nothing";
}

TEST_F(FactSourceTest, OfADirectoryThatAHookLooksIntoOthersAreNoInput) {
  tree.file("os", "static/etc/a", "");
  tree.file("os", "bin/a", "");
  for (const char* text :
       {"hooks=$(dirname \"$(dirname \"$0\")\")\nif [ -d \"$hooks/bin\" ]; then\n  install \"$hooks\"/bin/* /x\nfi\n",
        "bin=$(dirname \"$(dirname \"$0\")\")/bin\n[ -e \"$bin/$1\" ]\n", "[ -e $TMP_HOOKS_PATH/bin/$name ]\n",
        "cd /tmp/in_target.d/bin && [ -e b ]\n"}) {
    script("install.d/10-x", text);
    const Facts noted = facts();
    tree.file("os", "static/etc/b", "");
    EXPECT_EQ(fault(noted), "none") << text;
    tree.file("os", "bin/b", "");
    EXPECT_EQ(fault(noted), "bin/b is new (of the element os)") << text;
    fs::remove(dir.path() / "elements/os/static/etc/b");
    fs::remove_all(dir.path() / "elements/os/bin");
    EXPECT_EQ(fault(noted), "bin/a is gone") << text;
    const Facts without = facts();
    tree.file("os", "bin/a", "");
    EXPECT_EQ(fault(without), "bin/a is new (of the element os)") << text;
  }
}

TEST_F(FactSourceTest, AReplayedDownloadHoldsWhileTheLockSaysTheSame) {
  std::string locked = "d1";
  const RemoteFacts replay{.repository = {}, .fetch = [&](const std::string&) { return locked; }};
  const Facts noted = {{"fetch GET http://m/x", "d1"}};
  EXPECT_FALSE(remote_fault(noted, replay));
  locked = "not-locked";
  EXPECT_EQ(remote_fault(noted, replay), "the download GET http://m/x changed");
  EXPECT_EQ(remote_fault(noted, {}), "the download GET http://m/x is gone") << "nobody records";
}

TEST_F(FactSourceTest, EachKindOfInputIsNoticedByName) {
  tree.file("os", "data/y", "");
  const Facts noted = facts({.files = {"data/x", "lost/y"}, .directories = {"data"}});
  const auto changed = [&](const std::string& path, const std::string& text) {
    tree.file("os", path, text);
    std::string found = fault(noted);
    fs::remove(tree.path(cat("os/", path)));
    return found;
  };
  EXPECT_EQ(changed("data/x", "new"), "data/x changed") << "and the directory";
  EXPECT_EQ(changed("lost/y", "found"), "lost/y changed");
  EXPECT_EQ(changed("environment.d/20-more", "export PIP_MORE=1\n"), "environment.d/20-more is new");
  EXPECT_EQ(changed("unread", "new"), "none");
  put("metadata", "{\"a\": 1}");
  EXPECT_EQ(fault(noted), "what the variable METADATA names changed");
  put("metadata", "{}");
  script("install.d/10-x", "cat $METADATA; true\n");
  EXPECT_EQ(fault(noted), "install.d/10-x changed");
}

TEST_F(FactSourceTest, VariablesThatCountAreNoticedWhenTheyComeAndGo) {
  script("install.d/10-x", "cat $METADATA; echo ${NEW:-}\n");
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
  on_host("cp -r \"$GIVEN/.\" x\n");
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
  const std::string before = InputDigests(files).host(dir.path() / "named");
  EXPECT_EQ(InputDigests(files).host(dir.path() / "named"), before);
  put("named/below/a", "2");
  EXPECT_NE(InputDigests(files).host(dir.path() / "named"), before);
  put("named/below/a", "1");
  EXPECT_EQ(InputDigests(files).host(dir.path() / "named"), before);
  fs::permissions(dir.path() / "named/below/a", fs::perms::owner_all);
  EXPECT_NE(InputDigests(files).host(dir.path() / "named"), before);
}

TEST_F(FactSourceTest, WhatLinksBelowANamedDirectoryLeadToCountsOnce) {
  put("elsewhere/a", "1");
  put("named/b", "1");
  fs::create_symlink(dir.path() / "elsewhere", dir.path() / "named/link");
  fs::create_symlink(dir.path() / "named", dir.path() / "elsewhere/round");
  const std::string before = InputDigests(files).host(dir.path() / "named");
  put("elsewhere/a", "2");
  EXPECT_NE(InputDigests(files).host(dir.path() / "named"), before);
}

TEST_F(FactSourceTest, TheOwnerOfAFileOfTheMachineCountsAsHooksSeeIt) {
  if (::geteuid() != 0) return;  // only root gives files away
  put("named", "1");
  const std::string before = InputDigests(files).host(dir.path() / "named");
  ASSERT_EQ(::chown((dir.path() / "named").c_str(), 1, 0), 0);
  EXPECT_NE(InputDigests(files).host(dir.path() / "named"), before);
  const auto asked = [&](bool is_nobodys) {
    return InputDigests(files, {}, [=](const fs::path&) { return is_nobodys; }).asked(dir.path() / "named").value();
  };
  EXPECT_THAT(asked(false), testing::EndsWith(" 1:0"));
  EXPECT_THAT(asked(true), testing::EndsWith(" 65534:65534"));
  ASSERT_EQ(::chown((dir.path() / "named").c_str(), 70000, 0), 0);
  EXPECT_THAT(asked(false), testing::EndsWith(" 65534:0")) << "outside of the range";
  tree.file("os", "data/x", "1");
  const std::string element = tree_digest(files, tree.path("os"));
  ASSERT_EQ(::chown(tree.path("os/data/x").c_str(), 1, 0), 0);
  EXPECT_EQ(tree_digest(files, tree.path("os")), element) << "hooks get a copy";
}

TEST_F(FactSourceTest, AFileInTheMachinesTmpCountsWhereItIsThere) {
  on_host(cat("cat ", (dir.path() / "given/x").string(), "; echo > /tmp/hearth-test-scratch\n"));
  put("given/x", "1");
  const Facts noted = facts();
  EXPECT_THAT(noted, Not(Contains(Key("host /tmp/hearth-test-scratch"))));
  put("given/x", "2");
  EXPECT_THAT(fault(noted), HasSubstr("given/x changed"));
}

TEST_F(FactSourceTest, ADirectoryInWhichTheBuildItselfWritesKeepsNothing) {
  put("made/x", "1");
  env["WORK"] = (dir.path() / "made").string();
  on_host("cp -r $WORK/. x\n");
  const Facts noted = facts();
  EXPECT_EQ(unkeepable(noted), "what the variable WORK names holds the build's own output or cache");
  EXPECT_EQ(fault(noted), "what the variable WORK names holds the build's own output or cache");
  env["WORK"] = (dir.path() / "made/x").string();
  EXPECT_EQ(unkeepable(facts()), std::nullopt);
}

TEST_F(FactSourceTest, WhatNobodyCanAskForAgainNeverHolds) {
  Facts noted = facts();
  noted["unseen curl reached 127.0.0.1:80"] = "-";
  EXPECT_EQ(fault(noted), "curl reached 127.0.0.1:80");
}

TEST_F(FactSourceTest, ALargeFileIsAnInputByItsContent) {
  const fs::path large = dir.path() / "large.img";
  put("large.img", "x");
  fs::resize_file(large, std::uintmax_t{300} << 20U);
  env["IMAGE"] = large.string();
  script("install.d/10-x", "cp $IMAGE x\n");
  const Facts noted = facts();
  const std::time_t written = fs::last_write_time(large);
  {
    std::fstream file(large.string(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(290 << 20);
    file << "y";
  }
  fs::last_write_time(large, written);
  EXPECT_EQ(fault(noted), "what the variable IMAGE names changed") << "the same size and time";
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

TEST_F(FactSourceTest, PackageStepsDependOnThePackagesThatAreAskedFor) {
  packages = {"htop"};
  step = {Phase::install, Step::Kind::extra_packages, "extra-packages", ""};
  const Facts noted = facts();
  packages = {"nginx"};
  EXPECT_THAT(describe_differences(noted, facts()),
              ElementsAre("the package -p htop is gone", "the package -p nginx is new"));
  step = {Phase::install, Step::Kind::install_packages, "01-package-installs", ""};
  const auto lists = [&](const std::string& installs, const std::string& map) {
    tree.file("os", "package-installs.yaml", installs);
    tree.file("os", "pkg-map", map);
    return facts();
  };
  const char* const map = R"({"distro": {"debian": {"jq": "jq vim-tiny"}}, "default": {"x": ""}})";
  const Facts before = lists("vim:\njq:\n  arch: amd64\n", map);
  EXPECT_EQ(lists("# a comment\njq:\n  arch: amd64\nvim:\n", map), before);
  EXPECT_THAT(
      describe_differences(before, lists("jq:\n  arch: arm64\ntcpdump:\n", map)),
      ElementsAre("the package os/package-installs.yaml jq changed", "the package os/package-installs.yaml vim is gone",
                  "the package os/package-installs.yaml tcpdump is new"));
  EXPECT_THAT(describe_differences(before, lists("vim:\njq:\n  arch: amd64\n",
                                                 R"({"distro": {"debian": {"jq": "jq"}}, "default": {}})")),
              ElementsAre("the package os/pkg-map default.x is gone",
                          "the package os/pkg-map distro.debian.jq = vim-tiny is gone"));
}

TEST_F(FactSourceTest, AListOfPackagesThatAsksForNoneIsNoInput) {
  step = {Phase::install, Step::Kind::install_packages, "01-package-installs", ""};
  const Facts noted = facts();
  for (const char* text : {"", "# package: {phase, uninstall}\n", "---\n", "{}\n"}) {
    tree.file("os", "package-installs.yaml", text);
    EXPECT_EQ(facts(), noted) << text;
  }
}

TEST_F(FactSourceTest, AScriptThatAsksForTheElementsDependsOnTheirFiles) {
  EXPECT_THAT(facts(), Not(Contains(Key("elements all"))));
  script("install.d/10-x", "eval $(get_image_element_array)\n");
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "README.md", "other");
  EXPECT_EQ(fault(noted), "README.md of the element os is new");
  const Facts later = facts();
  tree.file("os", "README.md", "another");
  EXPECT_EQ(fault(later), "README.md of the element os changed");
}

TEST_F(FactSourceTest, WhichElementsThereAreCountsAndNotWhereTheyLie) {
  tree.add("web");
  on_host("get_image_element_array; echo $IMAGE_ELEMENT_YAML $ELEMENTS_PATH\n");
  const auto lie_in = [&](const std::string& place) {
    env["BASH_FUNC_get_image_element_array%%"] = cat("() { echo '[os]=", place, "/os'; }");
    env["IMAGE_ELEMENT_YAML"] = cat("os: ", place, "/os");
    env["ELEMENTS_PATH"] = place;
  };
  lie_in("/home/one");
  const Reads reads{.files = {}, .directories = {}, .tells_elements = true};
  const Facts noted = facts(reads);
  EXPECT_THAT(noted, Contains(Key("env BASH_FUNC_get_image_element_array%%")));
  lie_in("/home/two");
  EXPECT_EQ(fault(noted), "none");
  Reads beside = reads;
  beside.machine = {{(dir.path() / "elements/shared/motd").string(), ""}};
  const Facts of_place = facts(beside);
  lie_in("/home/one");
  EXPECT_THAT(fault(of_place), HasSubstr("changed")) << "it read what is of no element there";
  elements = {"os", "web"};
  EXPECT_THAT(fault(noted), HasSubstr("changed"));
}

TEST_F(FactSourceTest, OfAWatchedScriptThatAsksForTheElementsTheFilesCountThatItRead) {
  on_host("eval $(get_image_element_array)\n");
  tree.file("os", "README.md", "x").file("os", "site-map", "x").file("os", "modprobe.d/a.conf", "x");
  const fs::path os = dir.path() / "elements/os";
  const auto path = [&](const char* name) { return (os / name).string(); };
  const Facts noted = facts({.files = {},
                             .directories = {},
                             .machine = {{path("site-map"), ""}, {path("modprobe.d"), ""}},
                             .asked = {{path("own-map"), "no file"}},
                             .tells_elements = true});
  EXPECT_THAT(noted, Not(Contains(Key("elements all"))));
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "README.md", "other");
  EXPECT_EQ(fault(noted), "none");
  tree.file("os", "modprobe.d/b.conf", "x");
  EXPECT_EQ(fault(noted), "modprobe.d of the element os changed") << "it was listed";
  fs::remove(os / "modprobe.d/b.conf");
  tree.file("os", "own-map", "x");
  EXPECT_EQ(fault(noted), "own-map of the element os changed") << "it was asked for";
  fs::remove(os / "own-map");
  tree.file("os", "site-map", "y");
  EXPECT_EQ(fault(noted), "site-map of the element os changed");
  const Facts shown = facts(
      {.files = {}, .directories = {}, .machine = {{"/hearth/elements/os/site-map", ""}}, .tells_elements = true});
  EXPECT_THAT(shown, Contains(Key("element os/site-map"))) << "as hooks see Hearth's own";
  EXPECT_THAT(facts({.files = {}, .directories = {}, .machine = {{"/hearth/elements", ""}}, .tells_elements = true}),
              Contains(Key("elements all")))
      << "whoever listed these may have asked for any of them";
  const Facts edited = source().after_step(
      step, {.files = {}, .directories = {}, .machine = {{path("site-map"), "of before"}}, .tells_elements = true});
  EXPECT_THAT(edited, Contains(Key(HasSubstr("was changed while the build ran"))));
  const Facts whole = facts({.files = {}, .directories = {}, .shown = {os.string()}, .tells_elements = true});
  EXPECT_THAT(whole, Contains(Key("element os"))) << "it was shown somewhere else";
  tree.file("os", "site-map", "z");
  EXPECT_EQ(fault(whole), "some file of the element os changed");
  const Facts all = facts({.files = {},
                           .directories = {},
                           .machine = {{os.parent_path().string(), ""}, {path("modprobe.d/a.conf"), ""}},
                           .tells_elements = true});
  EXPECT_EQ(fault(all), "none");
  tree.file("os", "site-map", "again");
  EXPECT_EQ(fault(all), "site-map of the element os changed")
      << "what is asked for from an open directory nobody tells";
}

TEST_F(FactSourceTest, WhoListedTheDirectoryOfElementsDependsOnWhichThereAreOthersDoNot) {
  on_host("eval $(get_image_element_array)\n");
  const fs::path place = dir.path() / "elements";
  const Facts listed =
      facts({.files = {}, .directories = {}, .machine = {{place.string(), ""}}, .tells_elements = true});
  const Facts other =
      facts({.files = {}, .directories = {}, .machine = {{(place / "os").string(), ""}}, .tells_elements = true});
  EXPECT_EQ(fault(listed), "none");
  tree.add("unused");
  EXPECT_EQ(fault(listed), cat("the machine's ", place.string(), " changed"));
  EXPECT_EQ(fault(other), "none");
}

TEST_F(FactSourceTest, OfALinkOfAnElementThatWasReadItsTextCounts) {
  on_host("cp -a $ELEMENTS_PATH/os/link /\n");
  tree.file("os", "site-map", "x");
  const fs::path link = dir.path() / "elements/os/link";
  fs::create_symlink("/nowhere/a", link);
  const auto noted = [&] {
    return facts({.files = {}, .directories = {}, .asked = {{link.string(), "look"}}, .tells_elements = true});
  };
  const Facts dangling = noted();
  EXPECT_EQ(fault(dangling), "none");
  fs::remove(link);
  fs::create_symlink("/nowhere/b", link);
  EXPECT_EQ(fault(dangling), "link of the element os changed");
}

}  // namespace
}  // namespace hearth::builder
