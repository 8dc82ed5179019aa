#include "builder/hooks/host_files.hpp"

#include <gmock/gmock.h>

#include "builder/elements/element.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class HostFilesTest : public testing::Test {
 protected:
  HostFilesTest() {
    for (const char* name : {"home/.ssh", "home/venv/bin", "element/install.d"}) files.make_directories(at(name), 0755);
    for (const char* name : {"home/image", "home/key", "home/secret", "home/.ssh/id_rsa", "home/.ssh/id_rsa.pub",
                             "home/venv/bin/python", "outside"}) {
      files.write(at(name), "x", {});
    }
    files.write(at("element/install.d/50-x"), "cp $MY_IMAGE /x; echo $SECRETS\n", {.mode = 0755});
    elements.elements.push_back({.name = "x", .path = at("element"), .deps = {}, .provides = {}});
  }
  [[nodiscard]] fs::path at(const std::string& name) const { return fs::canonical(dir.path()) / name; }
  [[nodiscard]] std::vector<fs::path> declared(Environment environment) const {
    environment["HOME"] = at("home").string();
    return declared_host_files(files, elements, environment, {at("home")});
  }
  // Not below /tmp, where a path is no input of a script.
  TempDir dir = TempDir::create(fs::current_path(), "hearth-test-");
  RealFileSystem files;
  ElementSet elements;
};

TEST_F(HostFilesTest, OnlyPublicKeysAreShownUnasked) {
  EXPECT_THAT(declared({}), UnorderedElementsAre(at("home/.ssh/id_rsa.pub")));
}

TEST_F(HostFilesTest, WhatAVariableNamesIsShownWhenAnElementNamesTheVariable) {
  const auto shown = declared({{"MY_IMAGE", at("home/image").string()}, {"SECRET", at("home/secret").string()}});
  EXPECT_THAT(shown, Contains(at("home/image")));
  EXPECT_THAT(shown, Not(Contains(at("home/secret")))) << "SECRETS is another variable";
}

TEST_F(HostFilesTest, ListsAndUrlsOfOurOwnVariablesAreRead) {
  const std::string value =
      at("home/image").string() + ":" + at("outside").string() + " file://" + at("home/key").string();
  EXPECT_THAT(declared({{"HEARTH_HOST_FILES", value}}),
              UnorderedElementsAre(at("home/image"), at("home/key"), at("home/.ssh/id_rsa.pub")));
}

TEST_F(HostFilesTest, AHomeItselfIsNeverShown) {
  const std::string home = at("home").string();
  EXPECT_THAT(
      declared({{"DIB_X", home}, {"DIB_Y", home + "/."}, {"OLDPWD", home + "/venv"}, {"DIB_Z", home + "/../outside"}}),
      UnorderedElementsAre(at("home/.ssh/id_rsa.pub")));
}

TEST_F(HostFilesTest, AProgramComesWithWhatWasInstalledWithIt) {
  EXPECT_THAT(declared({{"DIB_PYTHON_EXEC", at("home/venv/bin/python").string()}}),
              IsSupersetOf({at("home/venv/bin/python"), at("home/venv")}));
}

TEST_F(HostFilesTest, AnElementDeclaresFiles) {
  files.write(at("element/host-files"), "~/key\n\n~/missing\n~/../outside\n", {});
  EXPECT_THAT(declared({}), UnorderedElementsAre(at("home/key"), at("home/.ssh/id_rsa.pub")));
}

TEST_F(HostFilesTest, WhatAScriptNamesAndDoesNotSeeIsTold) {
  fakes::MemoryFileSystem machine;  // wherever this test runs: what lies below /tmp is no input
  machine.make_directories("/home/u", 0755);
  machine.write("/home/u/key", "", {});
  const auto hidden = [&](const char* script, const std::vector<fs::path>& shown) {
    return hidden_host_files(machine, script, {{"HOME", "/home/u"}}, {"/home/u"}, shown);
  };
  EXPECT_THAT(hidden("cat $HOME/key $HOME/none", {}), UnorderedElementsAre("/home/u/key"));
  EXPECT_THAT(hidden("cat ~/key", {"/home/u/key"}), IsEmpty());
}

TEST_F(HostFilesTest, OfPathHooksHaveWhatTheySee) {
  const std::string outside = at("element").string();
  const std::string path = at("home/venv/bin").string() + ":" + outside + ":" + at("not-there").string() + ":bin";
  EXPECT_EQ(path_of_hooks(files, path, {at("home")}, {}), outside + ":bin");
  EXPECT_EQ(path_of_hooks(files, path, {at("home")}, {at("home/venv")}),
            at("home/venv/bin").string() + ":" + outside + ":bin");
  EXPECT_EQ(path_of_hooks(files, at("home").string(), {at("home")}, {}), "");
  const std::string empty = at("empty").string();
  files.make_directories(empty, 0755);
  EXPECT_EQ(path_of_hooks(files, empty + ":/usr/local/sbin:" + outside + ":/usr/bin:" + outside + ":/usr/bin", {}, {}),
            "/usr/local/sbin:" + outside + ":/usr/bin");
  files.write(at("empty/curl"), "", {});
  EXPECT_EQ(path_of_hooks(files, empty + ":/usr/bin", {}, {}), empty + ":/usr/bin") << "it holds one now";
}

TEST_F(HostFilesTest, TheSystemIsNobodysHome) {
  for (const char* home : {"/", "/usr/sbin", "/etc", "/var", "relative", "/nowhere/at/all"}) {
    EXPECT_THAT(homes_of(files, {{"HOME", home}}), Not(Contains(fs::path(home)))) << home;
  }
  EXPECT_THAT(homes_of(files, {{"HOME", at("home").string()}}), Contains(at("home")));
}

}  // namespace
}  // namespace hearth::builder
