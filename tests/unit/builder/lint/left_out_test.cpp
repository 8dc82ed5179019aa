#include "builder/lint/left_out.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct LeftOutTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  static Names texts(const std::vector<Finding>& findings) {
    Names texts;
    for (const Finding& finding : findings) texts.push_back(finding_text(finding));
    return texts;
  }
  Element element(const std::string& name = "web") { return *tree.catalog().find(name); }
  std::vector<Finding> unset(const Environment& environment) {
    const BuildPlan plan = tree.plan({"os"});
    return unset_conditions(files, plan.packages, plan.elements.elements, environment);
  }
  Names vain(const std::string& yaml) {
    return texts(vain_conditions(parse_package_installs(yaml, "package-installs.yaml", "web").value_or_throw()));
  }
};

TEST_F(LeftOutTest, AHookThatCannotRunIsTold) {
  tree.add("web")
      .file("web", "install.d/50-web", "#!/bin/bash\n")
      .file("web", "install.d/60-data", "data\n")
      .hook("web", "install.d/70-web.sh")
      .file("web", "install.d/75-both.sh", "#!/bin/bash\n")
      .hook("web", "install.d/80-web", "echo\n");
  EXPECT_THAT(texts(idle_hooks(files, element())),
              ElementsAre(AllOf(HasSubstr("install.d/50-web: warning: "), HasSubstr("chmod +x")),
                          HasSubstr("install.d/60-data: warning: this hook does not run, it is not executable"),
                          AllOf(HasSubstr("70-web.sh"), HasSubstr("letters, digits, _ and -")),
                          AllOf(HasSubstr("75-both.sh"), HasSubstr("chmod +x")),
                          AllOf(HasSubstr("75-both.sh"), HasSubstr("letters, digits, _ and -")),
                          HasSubstr("80-web: warning: this hook can't be started")));
}

TEST_F(LeftOutTest, AFileThatAnotherHookTakesIsNoHookThatDoesNotRun) {
  tree.add("web").hook("web", "install.d/hook-web.py", "#!/usr/bin/env python3\n").hook("web", "install.d/50-web");
  EXPECT_EQ(idle_hooks(files, element()).size(), 1U);
  tree.hook("web", "install.d/50-web",
            "#!/bin/sh\ninstall $(dirname $0)/hook-web.py /usr/libexec/heat-config/hooks/web\n");
  EXPECT_THAT(idle_hooks(files, element()), IsEmpty());
}

TEST_F(LeftOutTest, GoodHooksPackageListsAndNotesAreNoFindings) {
  tree.add("web")
      .hook("web", "install.d/50-web")
      .hook("web", "install.d/60-program",
            "\x7f"
            "ELF")
      .file("web", "install.d/package-installs-web", "nginx\n")
      .file("web", "install.d/README", "about\n")
      .file("web", "install.d/.hidden", "#!/bin/bash\n");
  EXPECT_THAT(idle_hooks(files, element()), IsEmpty());
}

TEST_F(LeftOutTest, PlacesThatLookLikeOthersAreToldWithTheRightName) {
  tree.add("web");
  for (const char* name : {"post-instal.d", "post_install.d", "install", "Environment.d"}) {
    tree.hook("web", cat(name, "/10-x"));
  }
  for (const char* name :
       {"package-installs.yml", "package_installs.yaml", "svc_map", "pkg-map.json", "elements-deps"}) {
    tree.file("web", name, "x\n");
  }
  Names got;
  for (const Finding& finding : unread_places(files, element())) {
    const std::size_t at = finding.what.find("did you mean ");
    got.push_back(
        cat(finding.file.filename().string(), ">", finding.what.substr(at + 13, finding.what.find('?') - at - 13)));
  }
  EXPECT_THAT(got, testing::UnorderedElementsAre("post-instal.d>post-install.d", "post_install.d>post-install.d",
                                                 "install>install.d", "Environment.d>environment.d",
                                                 "package-installs.yml>package-installs.yaml",
                                                 "package_installs.yaml>package-installs.yaml", "svc_map>svc-map",
                                                 "pkg-map.json>pkg-map", "elements-deps>element-deps"));
}

TEST_F(LeftOutTest, WhatAHookNamesIsDataOfTheElementsOwn) {
  tree.add("web").file("web", "svc_map", "x\n").hook("web", "install.d/10-x", "#!/bin/sh\ncat ../svc_map rules.d/x\n");
  tree.file("web", "rules.d/x", "").file("web", "static/x", "").file("web", "files/x", "").file("web", "LICENSE", "");
  EXPECT_THAT(unread_places(files, element()), IsEmpty());
}

TEST_F(LeftOutTest, KeysOfMapsThatNameNoSystemAreToldWithTheirLine) {
  tree.add("web").file("web", "svc-map", "web:\n  defualt: nginx\n  redhat: httpd\n");
  tree.file("web", "pkg-map", R"({"family": {"Debian": {}}, "distro": {"debain": {}, "unheard-of-linux": {}}})");
  EXPECT_THAT(texts(unknown_systems(files, element())),
              ElementsAre(HasSubstr("svc-map:2: warning: no system is called 'defualt'; did you mean default?"),
                          HasSubstr("no family is called 'Debian'; did you mean debian?"),
                          HasSubstr("no distribution is called 'debain'; did you mean debian?")));
}

TEST_F(LeftOutTest, LineEndsOfWindowsAreToldOncePerFile) {
  tree.add("web")
      .hook("web", "install.d/50-web", "#!/bin/bash\r\nset -eu\r\n")
      .file("web", "element-deps", "a\r\nb\r\n");
  EXPECT_THAT(texts(foreign_line_ends(files, element())),
              testing::UnorderedElementsAre(
                  AllOf(HasSubstr("50-web:1: error: "), HasSubstr("looks for a program '/bin/bash\\r'")),
                  AllOf(HasSubstr("element-deps:1:"), HasSubstr("(CRLF)"))));
}

TEST_F(LeftOutTest, APartWhoseReaderIsNotThereIsTold) {
  tree.add("web").file("web", "static/etc/x", "x").file("web", "source-repository-web", "web git /opt/web https://h/w");
  tree.add("own").file("own", "static/x", "x").hook("own", "install.d/10-x", "#!/bin/sh\ncp -a ../static/. /\n");
  tree.add("install-static");
  ElementSet elements;
  for (const char* name : {"web", "own"}) {
    elements.elements.push_back(element(name));
    elements.elements.back().built_in = false;
  }
  EXPECT_THAT(
      texts(parts_without_reader(files, elements)),
      testing::UnorderedElementsAre(
          HasSubstr("/elements/web/source-repository-web: warning: nothing reads it: source-repositories is not"),
          HasSubstr("/elements/web/static: warning: nothing reads it: install-static is not among the elements")));
  elements.elements.push_back(element("install-static"));
  EXPECT_THAT(texts(parts_without_reader(files, elements)), ElementsAre(HasSubstr("source-repository-web")));
}

TEST_F(LeftOutTest, ConditionsThatNeverHoldAreTold) {
  EXPECT_THAT(vain("a:\n  when: X == 1\n"),
              ElementsAre(AllOf(HasSubstr("package-installs.yaml:2: "), HasSubstr("write one '='"))));
  EXPECT_THAT(vain("a: {when: 'X = \"1\"'}\n"), ElementsAre(HasSubstr("leave them out")));
  EXPECT_THAT(vain("a: {when: [X = 1, X = 2]}\n"), ElementsAre(HasSubstr("can't both hold")));
  EXPECT_THAT(vain("a: {when: [X = 1, X != 1]}\n"), ElementsAre(HasSubstr("can't both hold")));
  EXPECT_THAT(vain("a: {arch: amd65}\n"), ElementsAre(HasSubstr("no machine is called amd65")));
  EXPECT_THAT(vain("a: {installtype: sauce}\n"), ElementsAre(HasSubstr("no installtype is called sauce")));
  EXPECT_THAT(vain("a: {when: [X = 1, Y = 2, Z != 3], arch: 'amd64, arm64', installtype: package}\n"), IsEmpty());
  EXPECT_THAT(vain("a: {when: [X = 1, X = 1, 'V != \"\"']}\n"), IsEmpty());
}

TEST_F(LeftOutTest, WhatBashDoesNotUnderstandIsToldAndTheRestRemembered) {
  tree.add("web")
      .hook("web", "install.d/50-web", "#!/bin/bash\nif true\n")
      .hook("web", "install.d/60-snake", "#!/usr/bin/python3\n")
      .file("web", "environment.d/10-web", "export A=1\n");
  fakes::ScriptedRunner runner;
  runner.on("bash", [](const Command&) {
    return CommandResult{Exited{0}, "",
                         "/elements/web/install.d/50-web: line 3: syntax error: unexpected end of file\n"
                         "/elements/web/install.d/50-web: line 3: `x'\n"};
  });
  Names known;
  EXPECT_THAT(texts(syntax_faults(files, {element()}, runner, known)),
              ElementsAre(HasSubstr("50-web:3: warning: bash: syntax error: unexpected end of file")));
  EXPECT_EQ(known.size(), 1U);
  EXPECT_THAT(runner.ran.front().argv, testing::Not(testing::Contains(HasSubstr("snake"))));
  (void)syntax_faults(files, {element()}, runner, known);
  EXPECT_EQ(runner.ran.back().argv.size(), 5U) << "the one that is wrong, and no other";
}

TEST_F(LeftOutTest, AFileThatAVariableNamesIsMissedBeforeTheFirstHook) {
  tree.add("devuser");
  files.make_directories("/keys", 0755);
  files.write("/keys/admin.pub", "ssh-ed25519", {});
  ElementSet elements;
  elements.elements.push_back(element("devuser"));
  elements.elements.back().built_in = true;
  const auto told = [&](const std::string& file) {
    return texts(missing_files(files, elements, {{"DIB_DEV_USER_AUTHORIZED_KEYS", file}}));
  };
  EXPECT_THAT(told("/keys/admin.pub"), IsEmpty());
  EXPECT_THAT(told(""), IsEmpty());
  EXPECT_THAT(told("/keys/admin.pup"),
              ElementsAre("environment: error: DIB_DEV_USER_AUTHORIZED_KEYS: there is no file /keys/admin.pup; did you "
                          "mean /keys/admin.pub? [file]"));
  EXPECT_THAT(told("/nowhere/admin.pub"), ElementsAre(HasSubstr("there is no file /nowhere/admin.pub [file]")));
  elements.elements.back().built_in = false;
  EXPECT_THAT(told("/keys/admin.pup"), IsEmpty()) << "another's element may make it";
}

TEST_F(LeftOutTest, AHookThatBashCannotReadIsCertainToEndTheBuild) {
  tree.add("os", "", "operating-system").add("web").hook("web", "install.d/50-web", "#!/bin/bash\nif true\n");
  const std::string hook = "/elements/web/install.d/50-web";
  fakes::ScriptedRunner runner;
  runner.on("bash", [&](const Command&) {
    return CommandResult{Exited{0}, "", cat(hook, ": line 3: syntax error: unexpected end of file\n")};
  });
  const auto severity = [&] {
    BuildPlan plan = tree.plan({"os", "web"});
    for (Element& element : plan.elements.elements) element.built_in = false;
    Names known;
    for (const Finding& finding : left_out(files, plan, {}, runner, known)) {
      if (finding.check == "syntax") return finding_text(finding).substr(hook.size());
    }
    return std::string("none");
  };
  EXPECT_THAT(severity(), HasSubstr(":3: error: bash: syntax error"));
  tree.hook("web", "install.d/50-web", "#!/bin/bash\nexit 0\nif true\n");
  EXPECT_THAT(severity(), HasSubstr(":3: warning: ")) << "it may leave before";
}

TEST_F(LeftOutTest, ABuildTellsOfAScriptThatNoNodeRuns) {
  tree.add("os", "", "operating-system").add("web").hook("web", "os-refresh-config/configur.d/50-web");
  tree.add("os-refresh-config");
  BuildPlan plan = tree.plan({"os", "web", "os-refresh-config"});
  for (Element& element : plan.elements.elements) element.built_in = false;
  fakes::ScriptedRunner runner;
  Names known;
  EXPECT_THAT(texts(left_out(files, plan, {}, runner, known)),
              ElementsAre(HasSubstr("configur.d: warning: no node runs the scripts in it")));
}

TEST_F(LeftOutTest, AReleaseThatIsNearlyOneThatThisMachineKnowsIsTold) {
  tree.add("os", "debootstrap", "operating-system").add("debootstrap");
  files.make_directories("/var/lib/apt/lists", 0755);
  files.write("/var/lib/apt/lists/a.example_debian_dists_bookworm_InRelease", "", {});
  const auto told = [&](const std::string& release) {
    return texts(misspelt_release(files, tree.close({"os"}), {{"DIB_RELEASE", release}}));
  };
  EXPECT_THAT(told("bookwrom"), ElementsAre(HasSubstr("DIB_RELEASE=bookwrom is no release that this machine knows; did "
                                                      "you mean bookworm? [release]")));
  EXPECT_THAT(told("bookworm"), IsEmpty());
  EXPECT_THAT(told("duke"), IsEmpty()) << "it may be new";
  EXPECT_THAT(told(""), IsEmpty());
  EXPECT_THAT(texts(misspelt_release(files, {}, {{"DIB_RELEASE", "bookwrom"}})), IsEmpty()) << "of another system";
}

TEST_F(LeftOutTest, AUserWithoutKeyAndPasswordIsTold) {
  tree.add("os", "", "operating-system").add("devuser");
  const ElementSet set = tree.close({"os", "devuser"});
  EXPECT_THAT(texts(locked_out_users(files, set, {{"HOME", "/h"}})),
              ElementsAre(HasSubstr("nobody can log in as devuser")));
  EXPECT_THAT(locked_out_users(files, set, {{"HOME", "/h"}, {"DIB_DEV_USER_PASSWORD", "x"}}), IsEmpty());
  files.put("/h/.ssh/id_rsa.pub", "");
  EXPECT_THAT(locked_out_users(files, set, {{"HOME", "/h"}}), IsEmpty());
}

TEST_F(LeftOutTest, HooksInADirectoryAreToldUnlessItIsAnInstallType) {
  tree.add("web").hook("web", "install.d/50-more/10-x").hook("web", "install.d/60-source-install/10-x");
  tree.file("web", "install.d/70-data/x", "data");
  EXPECT_THAT(texts(idle_hooks(files, element())), ElementsAre(HasSubstr("50-more: warning: hooks in a directory")));
}

TEST_F(LeftOutTest, AVariableThatIsNearlyElementsPathIsToldUnlessAnElementReadsIt) {
  tree.add("os", "", "operating-system");
  const Environment environment = {{"ELEMENT_PATH", "/x"}};
  EXPECT_THAT(texts(misspelt_variables(files, tree.close({"os"}), environment)),
              ElementsAre(HasSubstr("ELEMENT_PATH is set, and nothing reads it; did you mean ELEMENTS_PATH?")));
  tree.hook("os", "root.d/10-os", "#!/bin/sh\necho $ELEMENT_PATH\n");
  EXPECT_THAT(misspelt_variables(files, tree.close({"os"}), environment), IsEmpty());
}

TEST_F(LeftOutTest, AVariableThatNothingReadsIsToldWhereOneIsNear) {
  tree.add("os", "", "operating-system").hook("os", "root.d/10-os", "#!/bin/sh\necho ${DIB_WEB_PORT:-80}\n");
  const ElementSet set = tree.close({"os"});
  EXPECT_THAT(
      texts(misspelt_variables(files, set, {{"DIB_WEB_PROT", "81"}, {"DIB_REALEASE", "x"}})),
      ElementsAre(HasSubstr("DIB_REALEASE is set, and nothing in this image reads it; did you mean DIB_RELEASE?"),
                  HasSubstr("did you mean DIB_WEB_PORT?")));
  EXPECT_THAT(texts(misspelt_variables(files, set, {{"DIB_GRUB_TIMOUT", "1"}, {"DIB_ROOT_LABLE", "x"}})),
              ElementsAre(HasSubstr("did you mean DIB_GRUB_TIMEOUT?"), HasSubstr("did you mean DIB_ROOT_LABEL?")))
      << "of the code that makes disks";
  EXPECT_THAT(texts(misspelt_variables(files, set, {{"DIB_PYTHON_LOGGING_CONFIG_FILE", "/x"}})),
              ElementsAre(HasSubstr("DIB_PYTHON_LOGGING_CONFIG_FILE is set, and has no effect")));
  EXPECT_THAT(misspelt_variables(files, set,
                                 {{"DIB_WEB_PORT", "1"},
                                  {"DIB_IMAGE_SIZE", "2"},
                                  {"DIB_OTHER_THING", "3"},
                                  {"DIB_INSTALLTYPE_web", "source"},
                                  {"DIB_REPOREF_x", "HEAD"}}),
              IsEmpty());
}

TEST_F(LeftOutTest, AConditionOnAVariableThatNobodySetsIsTold) {
  tree.add("os", "", "operating-system")
      .file("os", "package-installs.yaml", "a:\n  when: WEB = 1\nb: {when: ARCH = amd64}\n");
  EXPECT_THAT(texts(unset({})),
              ElementsAre(AllOf(HasSubstr("package-installs.yaml:2: "), HasSubstr("asks for WEB, which nobody sets"))));
  EXPECT_THAT(unset({{"WEB", ""}}), IsEmpty());
  tree.file("os", "environment.d/10-os", "export WEB=${WEB:-0}\n");
  EXPECT_THAT(unset({}), IsEmpty());
}

TEST_F(LeftOutTest, CommentsSwitchChecksOff) {
  tree.add("web").file("web", "install.d/50-web", "#!/bin/bash\n# dib-lint: disable=executable\n");
  tree.add("os", "", "operating-system")
      .file("os", "svc_map", "")
      .file("os", "README.md", "dib-lint: disable=filename\n");
  fakes::ScriptedRunner runner;
  runner.on("bash", 0);
  BuildPlan plan = tree.plan({"os", "web"});
  for (Element& each : plan.elements.elements) each.built_in = false;
  Names known;
  EXPECT_THAT(texts(left_out(files, plan, {}, runner, known)), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
