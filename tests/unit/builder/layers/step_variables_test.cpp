#include "builder/layers/step_variables.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/layers/fact_source_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;

using StepVariablesTest = FactSourceTest;

TEST_F(StepVariablesTest, AProgramOfTheCallersPathCountsWhereAScriptNamesIt) {
  put("bin/our-tool", "echo $DEEP\n");
  put("bin/other-tool", "1");
  env["PATH"] = cat((dir.path() / "bin").string(), ":/usr/bin");
  env["DEEP"] = "1";
  on_host("our-tool > x\n");
  EXPECT_EQ(handed().count("DEEP"), 1U);
  const Facts noted = facts();
  put("bin/other-tool", "2");
  EXPECT_EQ(fault(noted), "none");
  put("home/shims/our-tool", "echo $HIDDEN\n");
  env["PATH"] = cat((dir.path() / "home/shims").string(), ":", env["PATH"]);
  env["HIDDEN"] = "1";
  EXPECT_EQ(handed().count("HIDDEN"), 0U) << "hooks don't see homes";
  EXPECT_EQ(fault(noted), "the variable PATH changed");
  env["PATH"] = cat((dir.path() / "bin").string(), ":/usr/bin");
  put("bin/our-tool", "echo $DEEP 2\n");
  EXPECT_THAT(fault(noted), HasSubstr("bin/our-tool changed"));
}

TEST_F(StepVariablesTest, ADirectoryInTheCallersPathIsNoProgram) {
  put("bin/vm/parts.o", "echo $DEEP\n");
  put("tools/vm", "echo $MEANT\n");
  env["PATH"] = cat((dir.path() / "bin").string(), ":", (dir.path() / "tools").string(), ":/usr/bin");
  env["DEEP"] = env["MEANT"] = "1";
  on_host("vm > x\n");
  EXPECT_EQ(handed().count("DEEP"), 0U);
  EXPECT_EQ(handed().count("MEANT"), 1U) << "the program behind it, as the shell finds it";
  const Facts noted = facts();
  put("bin/vm/parts.o", "2");
  EXPECT_EQ(fault(noted), "none");
}

TEST_F(StepVariablesTest, AVariableIsToldWithTheTextThatNamesIt) {
  script("install.d/10-x", "# NEW is set elsewhere\necho ${NEW:-}\n");
  const Facts noted = facts();
  const std::string hook = (dir.path() / "elements/os/install.d/10-x").string();
  env["NEW"] = "1";
  EXPECT_EQ(source().local_fault(step.label(), noted), cat("the variable NEW is new (named in ", hook, ":2)"));
  env.erase("NEW");
  env["PIP_INDEX_URL"] = "x";
  EXPECT_EQ(source().local_fault(step.label(), noted), "the variable PIP_INDEX_URL is new") << "pip reads it by itself";
  env.erase("PIP_INDEX_URL");
  script("install.d/10-x", "export -p\n");
  const Facts of_all = facts();
  env["NEW"] = "1";
  EXPECT_EQ(source().local_fault(step.label(), of_all),
            cat("the variable NEW is new (", hook, " asks for all variables)"));
}

TEST_F(StepVariablesTest, AFileOfTheStartDirectoryCountsWhereAScriptNamesIt) {
  put("start/site.conf", "1");
  put("start/config/list", "1");
  put("start/out.log", "1");
  put("start/word", "1");
  on_host("cat site.conf config/list out.log word; cat etc/not-there\n");
  const Facts noted = facts();
  EXPECT_EQ(fault(noted), "none");
  put("start/out.log", "2");
  put("start/word", "2");
  EXPECT_EQ(fault(noted), "none") << "a log, and what may be any word";
  put("start/site.conf", "2");
  EXPECT_THAT(fault(noted), HasSubstr("start/site.conf changed"));
  put("start/site.conf", "1");
  put("start/config/list", "2");
  EXPECT_THAT(fault(noted), HasSubstr("start/config/list changed"));
}

TEST_F(StepVariablesTest, AWordThatBeginsWithAVariablesValueNamesNoFile) {
  put("start/key.pub", "1");
  on_host("rm -f \"$key\" \"$key.pub\" $key.pub \"${key}.pub\"\n");
  const Facts noted = facts();
  put("start/key.pub", "2");
  EXPECT_EQ(fault(noted), "none");
  EXPECT_THAT(facts({.machine = {{(dir.path() / "start/key.pub").string(), ""}}}),
              Contains(Key(cat("read ", (dir.path() / "start/key.pub").string()))))
      << "by whatever name it was opened";
  for (const char* named : {"cat key.pub\n", "cat \"key.pub\"\n", "cat $PWD/key.pub\n", "cat \"${dir}key.pub\"\n",
                            "cat $'key.pub'\n", "k=key; cat $k.pub key.pub $key.pub\n"}) {
    on_host(named);
    put("start/key.pub", "1");
    const Facts by_name = facts();
    put("start/key.pub", "2");
    EXPECT_THAT(fault(by_name), HasSubstr("start/key.pub changed")) << named;
  }
}

TEST_F(StepVariablesTest, HearthsOwnStepsHaveOfPathWhatTheirProgramsAreFoundBy) {
  const std::string own = (dir.path() / "bin").string();
  put("bin/our-tool", "1");
  on_host("fetch-it --with tar $DIB_DEBOOTSTRAP_EXTRA_ARGS\n");
  env["PATH"] = "/usr/bin";
  const Facts noted = facts();
  env["PATH"] = cat(own, ":/usr/bin:", own);
  EXPECT_EQ(handed().at("PATH"), "/usr/bin");
  EXPECT_EQ(fault(noted), "none") << "nothing that the step uses is in it";
  for (const char* program : {"fetch-it", "env", "git-lfs"}) {  // named; the system's, too; found by git
    put(cat("bin/", program), "1");
    EXPECT_EQ(fault(noted), "the variable PATH changed") << program;
    files.remove(dir.path() / "bin" / program);
    EXPECT_EQ(fault(noted), "none") << program;
  }
  env["DIB_DEBOOTSTRAP_EXTRA_ARGS"] = "--hook='our-tool x'";
  EXPECT_EQ(handed().at("PATH"), env["PATH"]) << "a variable names it";
  env.erase("DIB_DEBOOTSTRAP_EXTRA_ARGS");
  env["HEARTH_HOOK_VARIABLES"] = "PATH";
  EXPECT_EQ(handed().at("PATH"), env["PATH"]);
  env.erase("HEARTH_HOOK_VARIABLES");
  elements = {"os", "web"};
  tree.add("web").hook("web", "extra-data.d/30-web", "program\n");
  step = {Phase::extra_data, Step::Kind::hook, "30-web", "web"};
  EXPECT_EQ(handed().at("PATH"), env["PATH"]) << "anybody's may run programs that run it";
}

TEST_F(StepVariablesTest, AStepSeesNoVariableThatIsNoFact) {
  env.merge(Environment{{"NAMED", "1"},
                        {"UNNAMED", "1"},
                        {"CI_JOB_ID", "7"},
                        {"DIB_RELEASE", "x"},
                        {"IMAGE_NAME", "web"},
                        {"SOURCE_DATE_EPOCH", "1700000000"},
                        {"USER", "u"},
                        {"HELPED", "1"},
                        {"DEEP", "1"}});
  script("install.d/10-x", "echo $NAMED; helper\n");
  tree.file("os", "bin/helper", "echo $HELPED; . deep.sh\n").file("os", "lib/deep.sh", "echo $DEEP\n");
  tree.file("os", "README.md", "CI_JOB_ID");
  const Environment seen = handed();
  for (const char* name : {"NAMED", "HELPED", "DEEP", "DIB_RELEASE"}) EXPECT_EQ(seen.count(name), 1U) << name;
  for (const char* name : {"UNNAMED", "CI_JOB_ID", "IMAGE_NAME", "METADATA"}) EXPECT_EQ(seen.count(name), 0U) << name;
  EXPECT_EQ(seen.at("HOME"), "/root");
  EXPECT_EQ(seen.at("USER"), "root");
  EXPECT_EQ(seen.at("SOURCE_DATE_EPOCH"), "315532800");
  const Facts noted = facts();
  for (const auto& [name, value] : seen) {
    const bool is_stand_in =
        name == "HOME" || name == "USER" || name == "LOGNAME" || name == "TERM" || name == "LANG" || name == "LC_ALL";
    EXPECT_EQ(noted.count(cat("env ", name)), is_stand_in ? 0U : 1U) << name;
  }
  env["DEEP"] = "2";
  EXPECT_EQ(fault(noted), "the variable DEEP changed");
  env["DEEP"] = "1";
  for (const char* name : {"UNNAMED", "CI_JOB_ID", "IMAGE_NAME", "USER", "SOURCE_DATE_EPOCH"}) env[name] = "other";
  EXPECT_EQ(fault(noted), "none");
  env["HEARTH_HOOK_VARIABLES"] = "UNNAMED";
  EXPECT_EQ(handed().count("UNNAMED"), 1U);
  EXPECT_EQ(fault(noted), "the variable UNNAMED is new");
}

TEST_F(StepVariablesTest, OfAVariableThatIsOnlyListedTheValueCounts) {
  env["PIP_CERT"] = env["OTHER"];
  on_host("eval \"$x\"\n");
  const Facts noted = facts();
  EXPECT_THAT(noted, Contains(Key("env OTHER")));
  EXPECT_THAT(noted, Not(Contains(Key("file OTHER"))));
  EXPECT_THAT(noted, Contains(Key("file PIP_CERT"))) << "pip reads it by itself";
}

TEST_F(StepVariablesTest, AProgramOfTheMachineThatAVariableNamesIsReadForVariables) {
  put("tools/run.sh", "echo $DEEP\n");
  env["TOOLS"] = (dir.path() / "tools").string();
  env["DEEP"] = "1";
  on_host("\"$TOOLS/run.sh\"\n");
  EXPECT_EQ(handed().count("DEEP"), 1U);
  const Facts noted = facts();
  env["DEEP"] = "2";
  EXPECT_EQ(fault(noted), "the variable DEEP changed");
}

TEST_F(StepVariablesTest, AScriptThatAnEarlierHookPutThereIsHandedWhatItsNamesakeNames) {
  env["DEEP"] = "1";
  tree.file("os", "install.d/os-source-install/77-late", "echo $DEEP\n");
  step = {Phase::install, Step::Kind::hook, "77-late", ""};
  EXPECT_EQ(handed().count("DEEP"), 1U);
  step.name = "78-written";
  script("extra-data.d/10-write", "echo 'echo $DEEP' > $TMP_HOOKS_PATH/install.d/78-written\n");
  EXPECT_EQ(handed().count("DEEP"), 1U) << "any script may have written it";
}

TEST_F(StepVariablesTest, ConditionsOfPackagesAreVariablesOfPackageSteps) {
  env["FLAVOUR"] = "sweet";
  step = {Phase::install, Step::Kind::install_packages, "01-package-installs", ""};
  tree.file("os", "package-installs.yaml", "vim:\n  when: FLAVOUR=sweet\n");
  const Facts noted = facts();
  EXPECT_EQ(handed().count("FLAVOUR"), 1U);
  env["FLAVOUR"] = "sour";
  EXPECT_EQ(fault(noted), "the variable FLAVOUR changed");
}

TEST_F(StepVariablesTest, ANameWithoutASlashIsLookedForWhereHooksStart) {
  put("start/list", "1");
  env["LIST"] = "list";
  on_host("cat $LIST\n");
  const Facts noted = facts();
  put("start/list", "2");
  EXPECT_EQ(fault(noted), "what the variable LIST names changed");
}

/// One's own element beside Hearth's: a file of environment.d, and a hook that names its variable.
class VariableOfAnElementTest : public FactSourceTest {
 protected:
  VariableOfAnElementTest() {
    elements = {"os", "web"};
    tree.add("web").hook("web", "install.d/50-web", "echo $WEB_GREETING\n");
    greet("hello");
    env["WEB_GREETING"] = "from the caller";
  }
  void greet(const std::string& value) {
    tree.file("web", "environment.d/50-web", cat("export WEB_GREETING=", value, "\n"));
  }
  /// Whether the step sees the element's variable.
  bool sees(const Step& of) {
    const FactSource facts = source();
    const Facts all = facts.of_step(of, {.files = {"environment.d/50-web"}, .directories = {"environment.d"}});
    const bool is_input = all.count("hook environment.d/50-web") > 0;
    EXPECT_EQ(all.count("env WEB_GREETING"), is_input ? 1U : 0U);
    EXPECT_EQ(facts.variables(of.phase, &of).count("WEB_GREETING"), is_input ? 1U : 0U);
    EXPECT_EQ(facts.withheld(of).count("WEB_GREETING"), is_input ? 0U : 1U) << "what is no input is not handed";
    EXPECT_EQ(facts.variables(of.phase, nullptr).count("WEB_GREETING"), 1U) << "environment.d is sourced with it";
    return is_input;
  }
  const Step hearths{Phase::install, Step::Kind::hook, "10-x", "os"};
  const Step webs{Phase::install, Step::Kind::hook, "50-web", "web"};
};

TEST_F(VariableOfAnElementTest, IsAnInputOfHearthsOwnStepsOnlyWhereTheyNameIt) {
  EXPECT_FALSE(sees(hearths));
  EXPECT_TRUE(sees(webs));
  EXPECT_FALSE(sees({Phase::install, Step::Kind::install_packages, "01-package-installs", ""}));
  const Facts before = source().of_step(hearths, {});
  const Facts of_web = source().of_step(webs, {});
  greet("bye");
  env["WEB_GREETING"] = "another";
  tree.file("web", "environment.d/60-more", "export WEB_GREETING\n");
  EXPECT_EQ(source().of_step(hearths, {}), before);
  EXPECT_NE(source().of_step(webs, {}), of_web);
  script("install.d/10-x", "echo $WEB_GREETING\n");
  EXPECT_TRUE(sees(hearths));
}

TEST_F(VariableOfAnElementTest, MayBeCalledAsTheFieldCallsThem) {
  const auto sees_it = [&](const std::string& name) {
    tree.hook("web", "install.d/50-web", cat("echo $", name, "\n"));
    tree.file("web", "environment.d/50-web", cat("export ", name, "=${", name, ":-hello}\n"));
    env[name] = "from the caller";
    const FactSource facts = source();
    EXPECT_EQ(facts.variables(webs.phase, &webs).count(name), 1U) << name;
    EXPECT_EQ(facts.of_step(webs, {}).count(cat("env ", name)), 1U) << name;
    const bool is_handed = facts.variables(hearths.phase, &hearths).count(name) > 0;
    EXPECT_EQ(facts.of_step(hearths, {}).count(cat("env ", name)), is_handed ? 1U : 0U) << name;
    return is_handed;
  };
  EXPECT_FALSE(sees_it("DIB_WEB_GREETING"));
  env["DIB_OF_NOBODY"] = "1";
  EXPECT_EQ(source().of_step(hearths, {}).count("env DIB_OF_NOBODY"), 0U) << "nor what only the caller sets";
  EXPECT_EQ(source().of_step(webs, {}).count("env DIB_OF_NOBODY"), 1U) << "a program of anybody's may read it";
  for (const char* builders : {"DIB_RELEASE", "DIB_INSTALLTYPE_web", "DIB_PYTHON_VERSION", "PIP_INDEX_URL"})
    EXPECT_TRUE(sees_it(builders)) << builders;
  script("install.d/10-x", "env | sort\n");
  EXPECT_TRUE(sees_it("DIB_WEB_GREETING"));
}

TEST_F(VariableOfAnElementTest, HearthsOwnStepsHaveOneLocaleAndAnEmptyProxyIsNone) {
  env["LANG"] = "de_DE.UTF-8";
  env["LC_COLLATE"] = "de_DE.UTF-8";
  env["http_proxy"] = "";
  env["HEARTH_CALLER_http_proxy"] = "";  // of a recording: the caller has none
  tree.hook("web", "install.d/50-web", "echo $WEB_GREETING ${HEARTH_CALLER_http_proxy-$http_proxy}\n");
  const Environment own = source().variables(hearths.phase, &hearths);
  EXPECT_EQ(own.at("LANG"), "C.UTF-8");
  EXPECT_EQ(own.count("LC_COLLATE") + own.count("http_proxy"), 0U);
  EXPECT_EQ(source().of_step(hearths, {}).count("env LANG"), 0U);
  for (const char* callers : {"C", "de_DE.UTF-8"}) {
    env["LC_ALL"] = callers;
    EXPECT_EQ(source().variables(hearths.phase, &hearths).at("LC_ALL"), "C") << callers;
    EXPECT_EQ(source().of_step(hearths, {}).count("env LC_ALL"), 0U) << callers;
  }
  EXPECT_EQ(source().variables(webs.phase, &webs).at("LANG"), "de_DE.UTF-8");
  EXPECT_EQ(source().variables(webs.phase, &webs).count("http_proxy"), 0U);
  EXPECT_EQ(source().variables(webs.phase, &webs).count("HEARTH_CALLER_http_proxy"), 1U);
  EXPECT_EQ(source().of_step(webs, {}).count("env LANG"), 1U);
  script("install.d/10-x", "echo $LANG\n");
  EXPECT_EQ(source().variables(hearths.phase, &hearths).at("LANG"), "de_DE.UTF-8") << "it names it";
}

TEST_F(VariableOfAnElementTest, IsAnInputOfAllThatMayReadItUnseen) {
  tree.hook("web", "install.d/60-other", "program\n");
  EXPECT_TRUE(sees({Phase::install, Step::Kind::hook, "60-other", "web"})) << "a program of it may read the variable";
  script("install.d/10-x", "env | sort\n");
  EXPECT_TRUE(sees(hearths));
  script("install.d/10-x", "cat $TMP_HOOKS_PATH/environment.d/*\n");
  EXPECT_TRUE(sees(hearths));
  script("install.d/10-x", "true\n");
  EXPECT_FALSE(sees(hearths));
  env["HEARTH_HOOK_VARIABLES"] = "WEB_GREETING";
  EXPECT_TRUE(sees(hearths));
  env.erase("HEARTH_HOOK_VARIABLES");
  tree.hook("web", "install.d/50-web", "true\n");
  EXPECT_TRUE(sees(hearths)) << "no hook names it: it is for programs, as a package's script";
}

TEST_F(VariableOfAnElementTest, ThatNobodyReadsYetIsNoInputOfHearthsSteps) {
  const Step installing{Phase::install, Step::Kind::install_packages, "01-package-installs", ""};
  script("install.d/10-x", "bootstrap $HEARTH_BOOTSTRAP_PACKAGES\n");
  const Facts bootstrap = source().of_step(hearths, {});
  const Facts installs = source().of_step(installing, {});
  const Facts of_web = source().of_step(webs, {});
  const auto sets = [&](const std::string& text) { tree.file("web", "environment.d/60-extra", text); };
  for (const char* name : {"DIB_WEB_EXTRA", "DIB_PLOP"}) {
    sets(cat("export ", name, "=${", name, ":-1}\n"));
    EXPECT_EQ(source().of_step(hearths, {}), bootstrap) << name;
    EXPECT_EQ(source().of_step(installing, {}), installs) << name;
    EXPECT_NE(source().of_step(webs, {}), of_web) << "a program of anybody's may read " << name;
    EXPECT_EQ(source().withheld(hearths).count(name), 1U);
  }
  for (const char* read : {"export WAZUH_MANAGER=10.0.0.2\n", "export FLASH_KERNEL_SKIP=1\n", "export ACCEPT_EULA=y\n",
                           "export DIB_RELEASE=x\n", "export DIB_PYTHON_VERSION=3\n", "export NEEDRESTART_MODE=a\n",
                           "export DIB_WEB_EXTRA=$(date)\n"}) {
    sets(read);
    EXPECT_NE(source().of_step(hearths, {}), bootstrap) << read;
    EXPECT_NE(source().of_step(installing, {}), installs) << read;
  }
  sets("export DIB_WEB_EXTRA=1\n");
  tree.file("web", "package-installs.yaml", "tcpdump:\n  when: DIB_WEB_EXTRA = 1\n");
  const Facts conditional = source().of_step(hearths, {});
  EXPECT_EQ(conditional.count("hook environment.d/60-extra"), 1U);
  sets("export DIB_WEB_EXTRA=2\n");
  EXPECT_NE(source().of_step(hearths, {}), conditional) << "a package depends on it";
}

TEST_F(VariableOfAnElementTest, IsAnInputOfTheBootstrapWhereAPackageDependsOnIt) {
  script("install.d/10-x", "bootstrap $HEARTH_BOOTSTRAP_PACKAGES\n");
  EXPECT_FALSE(sees(hearths));
  tree.file("web", "package-installs.yaml", "nginx:\n  when: WEB_GREETING = hello\n");
  EXPECT_TRUE(sees(hearths));
  EXPECT_TRUE(sees({Phase::install, Step::Kind::install_packages, "01-package-installs", ""}));
}

TEST_F(VariableOfAnElementTest, IsNoInputOfAStepThatDependsOnAnotherOfItsFile) {
  script("install.d/10-x", "bootstrap $HEARTH_BOOTSTRAP_PACKAGES\n");
  tree.file("web", "package-installs.yaml", "tcpdump:\n  when: DIB_WEB_DEBUG = 1\n");
  const auto set = [&](const std::string& debug, const std::string& greeting, const std::string& kind) {
    tree.file("web", "environment.d/50-web",
              cat("export DIB_WEB_DEBUG=${DIB_WEB_DEBUG:-", debug, "}\nexport WEB_GREETING=", greeting, "\n"));
    tree.file("web", "environment.d/60-web", cat("export WEB_KIND=", kind, "\n"));
  };
  tree.hook("web", "install.d/50-web", "echo $WEB_GREETING $WEB_KIND\n");
  set("0", "hello", "a");
  const Facts before = source().of_step(hearths, {});
  EXPECT_FALSE(source().withheld(hearths).count("DIB_WEB_DEBUG") > 0);
  EXPECT_TRUE(source().withheld(hearths).count("WEB_GREETING") > 0);
  set("0", "bye  # a comment", "b");
  env["WEB_GREETING"] = "another";
  EXPECT_EQ(source().of_step(hearths, {}), before);
  EXPECT_EQ(source().local_fault("install.d/10-x", before), std::nullopt);
  set("1", "hello", "a");
  EXPECT_EQ(source().local_fault("install.d/10-x", before), "environment.d/50-web changed");
  set("0", "hello", "a");
  env["DIB_WEB_DEBUG"] = "1";
  EXPECT_EQ(source().local_fault("install.d/10-x", before),
            cat("the variable DIB_WEB_DEBUG is new (named in ",
                (dir.path() / "elements/web/package-installs.yaml").string(), ":2)"));
  env.erase("DIB_WEB_DEBUG");
  set("$WEB_KIND", "hello", "a");
  const Facts of_two = source().of_step(hearths, {});
  set("$WEB_KIND", "hello", "b");
  EXPECT_EQ(source().local_fault("install.d/10-x", of_two), "environment.d/60-web changed");
}

TEST_F(VariableOfAnElementTest, IsAnInputOfAllWhereEnvironmentDDoesMoreThanToSetIt) {
  tree.hook("web", "install.d/50-web", "echo $WEB_GREETING $DIB_RELEASE $PATH $DISTRO_NAME\n");
  for (const char* more : {"export WEB_GREETING=$(date)\n", "export WEB_GREETING=x DIB_RELEASE=y\n",
                           "export WEB_GREETING=x PATH=$PATH:/x\n", "export WEB_GREETING=x DISTRO_NAME=debian\n"}) {
    tree.file("web", "environment.d/50-web", more);
    EXPECT_TRUE(sees(hearths)) << more;
  }
  greet("hello");
  tree.file("os", "environment.d/60-os", "[ -n \"$OS\" ] || exit 1\n");
  EXPECT_FALSE(sees(hearths)) << "Hearth's own names what it reads";
  tree.file("os", "environment.d/60-os", "[ -n \"$WEB_GREETING\" ] || exit 1\n");
  EXPECT_FALSE(sees(hearths)) << "what is refused is no input of what is not";
  tree.file("os", "environment.d/60-os", "[ -n \"$WEB_GREETING\" ] || program\n");
  EXPECT_TRUE(sees(hearths));
  tree.file("os", "environment.d/60-os", "");
  tree.file("web", "environment.d/60-web", "export VERSION=$(program)\n");
  EXPECT_TRUE(sees(hearths)) << "the program may read it";
  tree.file("web", "environment.d/60-web", "export WEB_OTHER=$WEB_GREETING\n");
  tree.hook("web", "install.d/50-web", "echo $WEB_GREETING $WEB_OTHER\n");
  EXPECT_FALSE(sees(hearths));
  script("install.d/10-x", "echo $WEB_OTHER\n");
  EXPECT_TRUE(sees(hearths)) << "another variable follows from it";
}

TEST_F(VariableOfAnElementTest, OfHearthsOwnThatChecksWhatItSetsOnlyStepsThatNameItSeeTheFile) {
  const auto set = [&](const char* kind, const char* looked_at) {
    tree.file("os", "environment.d/60-os",
              cat("case ", looked_at, " in\n    '') DIB_OS_KIND=", kind, " ;;\nesac\nexport DIB_OS_KIND\n"));
  };
  tree.hook("os", "install.d/20-os", "echo $DIB_OS_KIND\n");
  const Step names_it{Phase::install, Step::Kind::hook, "20-os", "os"};
  set("a", "${DIB_OS_KIND:-}");
  const Facts before = source().of_step(hearths, {});
  const Facts of_name = source().of_step(names_it, {});
  const Facts of_web = source().of_step(webs, {});
  EXPECT_EQ(source().withheld(hearths).count("DIB_OS_KIND"), 1U) << "what is no input is not handed";
  EXPECT_EQ(source().withheld(names_it).count("DIB_OS_KIND"), 0U);
  set("b", "${DIB_OS_KIND:-}");
  EXPECT_EQ(source().of_step(hearths, {}), before);
  EXPECT_EQ(source().local_fault("install.d/20-os", of_name), "environment.d/60-os changed");
  EXPECT_NE(source().of_step(webs, {}), of_web) << "a program of anybody's may read it";
  set("a", "${DIB_OS_KIND:=}");
  EXPECT_NE(source().of_step(hearths, {}), before) << "what is set in passing is not plain to see";
}

TEST_F(StepVariablesTest, WhatHearthsOwnMakeOfTheImagesNameIsAnInputOfThoseThatNameItOnly) {
  tree.add("web");
  tree.file("os", "environment.d/20-save", "export DIB_SAVE_DIR=${DIB_SAVE_DIR:-${IMAGE_NAME}.d/}\n");
  elements = {"os", "web"};
  env["IMAGE_NAME"] = "one";
  tree.hook("web", "install.d/50-web", "echo \"${!WEB_*}\"\n");
  tree.hook("web", "install.d/60-web", "echo $DIB_SAVE_DIR\n");
  tree.hook("os", "install.d/70-os", "export -p\n");
  const auto faults_of_another_name = [&](const std::string& name, const std::string& element) {
    step = {Phase::install, Step::Kind::hook, name, element};
    env["IMAGE_NAME"] = "one";
    const Facts noted = facts();
    env["IMAGE_NAME"] = "two";
    return fault(noted);
  };
  EXPECT_EQ(faults_of_another_name("50-web", "web"), "none");
  EXPECT_TRUE(source().withheld(step).count("DIB_SAVE_DIR") > 0) << "what is no input is not handed";
  EXPECT_EQ(faults_of_another_name("70-os", "os"), "none");
  EXPECT_EQ(faults_of_another_name("60-web", "web"), "the variable IMAGE_NAME changed");
  EXPECT_FALSE(source().withheld(step).count("DIB_SAVE_DIR") > 0);
  tree.file("web", "environment.d/30-web", "export WEB=$(date)\n");
  EXPECT_EQ(faults_of_another_name("50-web", "web"), "the variable IMAGE_NAME changed")
      << "what anybody's commands read of it nobody knows";
}

}  // namespace
}  // namespace hearth::builder
