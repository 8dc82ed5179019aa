#include "builder/layers/facts.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

/// Keys of what a step with these texts may see.
Facts facts_of(const Environment& env, const std::vector<std::string>& texts,
               const std::set<std::string>& passed = {}) {
  Mentions mentions;
  for (const std::string& text : texts) {
    const ScriptWords words(text);
    mentions.lists_variables = mentions.lists_variables || words.lists_variables();
    for (const auto& [name, value] : env) {
      if (words.names(name)) mentions.names.insert(name);
    }
  }
  return environment_facts(env, mentions, passed, [](const std::string& name, const std::string& value) {
    return variable_digest({}, name, value);
  });
}

TEST(Facts, WhatProgramsReadByThemselvesCountsAlwaysAndTheRestWhereItIsNamed) {
  const Environment env = {{"DIB_RELEASE", "bookworm"}, {"MY_SETTING", "1"},   {"SSH_TTY", "/dev/pts/1"},
                           {"IMAGE_NAME", "web"},       {"_", "/bin/x"},       {"DIB_IMAGE_CACHE", "/c"},
                           {"https_proxy", "http://p"}, {"LC_TIME", "de"},     {"CI_JOB_ID", "7"},
                           {"TMUX_PANE", "%3"},         {"BUILD_NUMBER", "9"}, {"SUDO_COMMAND", "/bin/sh"}};
  EXPECT_THAT(facts_of(env, {}),
              UnorderedElementsAre(Key("env DIB_RELEASE"), Key("env https_proxy"), Key("env LC_TIME")));
  EXPECT_THAT(
      facts_of(env, {"echo ${MY_SETTING:-none} $OTHER_CI_JOB_ID"}),
      UnorderedElementsAre(Key("env DIB_RELEASE"), Key("env https_proxy"), Key("env LC_TIME"), Key("env MY_SETTING")))
      << "a part of another name is none";
}

TEST(Facts, AScriptThatListsVariablesDependsOnAllButTheSessions) {
  const Environment env = {{"MY_SETTING", "1"}, {"CI_JOB_ID", "7"}, {"TMUX_PANE", "%3"}};
  for (const char* script : {"for n in ${!MY_*}; do :; done", "env | grep MY_", "export -p", "x=$(env\n)",
                             "eval \"x=\\$MY_$n\"", "print(dict(os.environ))", "os.environ.get(name)",
                             "for n in os.environ:", "compgen -v MY_", "${!names[@]} ${!name[0]}"})
    EXPECT_THAT(facts_of(env, {script}), UnorderedElementsAre(Key("env MY_SETTING"))) << script;
  EXPECT_THAT(facts_of(env, {"env | grep CI_JOB_ID"}),
              UnorderedElementsAre(Key("env MY_SETTING"), Key("env CI_JOB_ID")));
}

TEST(Facts, WhatAServiceSaysOfItsJobIsNoInputThoughItsNameBeginsAsAProgramsDoes) {
  const Environment env = {
      {"GIT_COMMIT", "4f"},     {"GIT_SSH_COMMAND", "ssh -x"}, {"npm_package_json", "/ci/7/package.json"},
      {"npm_config_proxy", ""}, {"SLURM_JOB_ID", "7"},         {"NOMAD_ALLOC_ID", "9"},
      {"KUBERNETES_PORT", "1"}};
  EXPECT_THAT(facts_of(env, {"env > /dev/null"}),
              UnorderedElementsAre(Key("env GIT_SSH_COMMAND"), Key("env npm_config_proxy")));
  EXPECT_THAT(facts_of(env, {"echo $GIT_COMMIT"}), testing::Contains(Key("env GIT_COMMIT")))
      << "a script that names it sees it";
}

TEST(Facts, KeysOfAnArrayAndNamesOfFilesAreNoVariables) {
  const Environment env = {{"MY_SETTING", "1"}};
  for (const char* script : {"for n in \"${!elements[@]}\"; do :; done", "echo ${!a[*]}", "compgen -G '/etc/*'"})
    EXPECT_THAT(facts_of(env, {script}), testing::IsEmpty()) << script;
}

TEST(Facts, AFileAmongManyIsNotTakenAtItsWord) {
  const ScriptWords data("eval $x; echo $MY_SETTING $CI_JOB_ID", ScriptWords::Kind::may_be_data);
  EXPECT_FALSE(data.lists_variables());
  EXPECT_TRUE(data.names("MY_SETTING"));
  EXPECT_FALSE(data.names("CI_JOB_ID"));
}

TEST(Facts, AShortNameIsNamedWhereItIsPlainlyAVariable) {
  const Environment env = {{"T", "1"}, {"TERM", "xterm"}};
  for (const char* script : {"kill -s TERM 1", "tar -T list", "a T b", "T=$(date)", "case $x in T) ;; esac"})
    EXPECT_THAT(facts_of(env, {script}), IsEmpty()) << script;
  for (const char* script : {"echo $T", "echo ${T:-x}", "export T", "[[ -v T ]]", "$((T + 1))", "os.getenv('T')",
                             "$ENV{T}", "when: T = 1", "$(T)", "x=$((1 + T))", "[[ 3 -lt T ]]", "process.env.T"})
    EXPECT_THAT(facts_of(env, {script}), testing::SizeIs(1)) << script;
}

TEST(Facts, TheLineThatNamesAVariableIsTheFirstThatIsNoMereWord) {
  const ScriptWords words("# T, V\ntar -T x\necho $T\nV=1\nf\n");
  EXPECT_EQ(words.line_naming("T"), 3U);
  EXPECT_EQ(words.line_naming("V"), 1U) << "a word, where there is nothing else";
  EXPECT_EQ(words.line_naming("BASH_FUNC_f%%"), 5U);
  EXPECT_EQ(ScriptWords("cd ~\n").line_naming("HOME"), 0U);
  const ScriptWords own("# VERSION\necho VERSION\nexport VERSION\n", ScriptWords::Kind::own);
  EXPECT_EQ(own.line_naming("VERSION"), 3U);
}

TEST(Facts, AWordThatIsNoVariableThereIsNoneInHearthsOwnElements) {
  const auto names = [](const std::string& script, ScriptWords::Kind kind = ScriptWords::Kind::own) {
    const ScriptWords words(script, kind);
    return words.names("VERSION") || words.names("user") || words.names("file");
  };
  for (const char* script :
       {"# VERSION of what is built", "echo \"user: none\"",
        "cat /etc/os-release | grep ^VERSION=", "for file in a b; do rm $file; done", "VERSION=12\necho $VERSION\n",
        "VERSION=$(cat v w)\necho $VERSION", "f() {\n  local user=$1\n  echo $user\n}",
        "while read -r file; do cat $file; done", "IFS=: read -r user _ < x; echo $user",
        "os.environ.get(\"MORE\"), logging.VERSION", "useradd user", "tar --file x", "VERSION='a b'\ntouch $VERSION",
        "VERSION=$cache/VERSION\nls $VERSION", "VERSION=$(mktemp -u XX)  # of this run\necho $VERSION"})
    EXPECT_FALSE(names(script)) << script;
  for (const char* script : {"[ -n \"$VERSION\" ] || VERSION=1",
                             "VERSION=${VERSION:-1}\n",
                             "VERSION=a$VERSION\n",
                             "VERSION=$(printenv VERSION)\n",
                             "VERSION=$((VERSION + 1))\n",
                             "VERSION=\"a #b\nc\" make\necho $VERSION",
                             "VERSION=1 make\necho $VERSION",
                             "echo $VERSION\nVERSION=1\n",
                             "cat << END > x\nVERSION=1\nEND\necho $VERSION",
                             "  VERSION=1\necho $VERSION\n",
                             "x=$((1 + VERSION))",
                             "(( VERSION++ ))",
                             "export A VERSION",
                             "[[ 3 -lt VERSION ]]",
                             "[[ VERSION -gt 3 ]]",
                             "ENV['VERSION']",
                             "process.env.VERSION",
                             "os.environ['VERSION']",
                             "'VERSION' in os.environ",
                             "getenv(\"VERSION\")",
                             "# VERSION\necho ${VERSION}",
                             "{\"x\": {\"when\": \"VERSION=1\"}}",
                             "VERSION=$OTHER$VERSION\n",
                             "cat <<END\n# by ${VERSION:-none}\nEND",
                             "local x=$user",
                             "VERSION=\"\n$VERSION\nx\"\n"})
    EXPECT_TRUE(names(script)) << script;
  for (const char* script :
       {"cat <<END\n# built by ${VERSION:-none}\nEND", "local url=\"$file/debian\"", "hooks read VERSION",
        "@ENV{qw(VERSION)}", "show VERSION", "jq -n '$ENV.VERSION'", "let \"n = VERSION + 1\"",
        "std::env::var(\"VERSION\")", "if x; then\nVERSION=1\nfi\necho $VERSION"})
    EXPECT_TRUE(names(script, ScriptWords::Kind::script)) << "anybody's may ask in any way: " << script;
}

TEST(Facts, HearthsOwnLibraryDoesNotReadWhatItOnlyGivesAValue) {
  const std::string text = "HOME=/root USER=root chroot x; export TERM=dumb; [ \"$LANG\" = C ] || LANG=C; echo $TERM";
  const ScriptWords own(text, ScriptWords::Kind::hearths);
  for (const char* given : {"HOME", "USER"}) EXPECT_FALSE(own.names(given)) << given;
  for (const char* read : {"LANG", "TERM"}) EXPECT_TRUE(own.names(read)) << read;
  EXPECT_TRUE(ScriptWords(text).names("HOME")) << "anybody's may let a program read it, where it was not set";
}

TEST(Facts, AValueNamesFilesAlsoInListsAndUrls) {
  const auto paths = [](const std::string& value) { return input_paths("MY_FILES", value); };
  EXPECT_THAT(paths("/srv/a:/srv/b,c=/srv/c"), ElementsAre("/srv/a", "/srv/b", "/srv/c"));
  EXPECT_THAT(paths("file:///srv/a"), ElementsAre("/srv/a"));
  EXPECT_THAT(paths("/srv/a b"), testing::Contains("/srv/a b"));
  for (const char* value : {"", "x", "/", "/hearth/target", "http://host/srv/a"})
    EXPECT_THAT(paths(value), IsEmpty()) << value;
  EXPECT_THAT(input_paths("HOME", "/srv/u"), IsEmpty());
}

TEST(Facts, HomeIsNamedByATilde) {
  const Environment env = {{"HOME", "/home/u"}};
  for (const char* script : {"cat ~/x", "cd ~", "x=~/y", "cat $HOME/x"})
    EXPECT_THAT(facts_of(env, {script}), testing::SizeIs(1)) << script;
  for (const char* script : {"[[ a =~ b ]]", "sed s~a~b~", "x~", "awk '$1 ~ /x/'"})
    EXPECT_THAT(facts_of(env, {script}), IsEmpty()) << script;
}

TEST(Facts, TheCallerMayNameMore) {
  const Environment env = {{"MY_SETTING", "1"}, {"CI_JOB_ID", "7"}, {"IMAGE_NAME", "x"}, {"_", "/bin/x"}};
  EXPECT_THAT(facts_of(env, {}, {"CI_JOB_ID"}), UnorderedElementsAre(Key("env CI_JOB_ID")));
  EXPECT_THAT(facts_of(env, {}, {"*"}), UnorderedElementsAre(Key("env CI_JOB_ID"), Key("env MY_SETTING")));
}

TEST(Facts, AScriptThatNamesOneOfThoseDependsOnIt) {
  const Environment env = {{"IMAGE_NAME", "web"}, {"BASH_FUNC_get_image_element_array%%", "() { :; }"}, {"CI", "1"}};
  EXPECT_THAT(facts_of(env, {"echo x", "echo $IMAGE_NAME; get_image_element_array"}),
              UnorderedElementsAre(Key("env IMAGE_NAME"), Key("env BASH_FUNC_get_image_element_array%%")));
}

TEST(Facts, PlacesNeverCountEvenWhenNamed) {
  EXPECT_THAT(facts_of({{"DIB_IMAGE_CACHE", "/c"}, {"_", "x"}}, {"cd $DIB_IMAGE_CACHE # _"}), IsEmpty());
}

TEST(Facts, DifferencesAreSentencesThatNameTheInput) {
  const Facts before = {{"env A", "1"}, {"hook install.d/10-x", "1"}, {"repository http://m/InRelease", "1"}};
  const Facts now = {{"env B", "1"}, {"hook install.d/10-x", "2"}, {"repository http://m/InRelease", "1"}};
  EXPECT_THAT(describe_differences(before, now),
              ElementsAre("the variable A is gone", "the variable B is new", "install.d/10-x changed"));
  EXPECT_THAT(describe_differences(now, now), IsEmpty());
  const Facts one = {{"element web/pkg-map", "1"}, {"elements all", "1"}};
  EXPECT_THAT(describe_differences(one, {{"element web/pkg-map", "2"}, {"elements all", "2"}}),
              ElementsAre("pkg-map of the element web changed"));
  EXPECT_THAT(describe_differences({{"elements all", "1"}}, {{"elements all", "2"}}),
              ElementsAre("some file of an element changed"));
}

TEST(Facts, WhatIsNoInputAnyMoreIsNotGoneAndComesLast) {
  const Facts before = {{"env A", "1"}, {"hook environment.d/10-a", "1"}, {"hook install.d/10-x", "1"}};
  const Facts now = {{"hook install.d/10-x", "2"}};
  const auto place_of = [](const std::string& fact) {
    return FactPlace{fact == "env A" ? "named in a:3" : "", fact != "env A"};
  };
  EXPECT_THAT(describe_differences(before, now, place_of),
              ElementsAre("the variable A is gone (named in a:3)", "install.d/10-x changed",
                          "environment.d/10-a is no input of it any more"));
}

TEST(Facts, TheAptSettingsOfARecordingAreNotTakenForAPersonsOwn) {
  const Facts recorded = {{"env APT_CONFIG", "1"}};
  EXPECT_THAT(describe_differences(recorded, {}),
              ElementsAre("the variable APT_CONFIG is gone (a build with --record, --locked or --offline has one of "
                          "Hearth's)"));
  EXPECT_THAT(describe_differences(recorded, {{"env APT_CONFIG", "2"}}),
              ElementsAre("the variable APT_CONFIG changed"));
}

TEST(Facts, ADirectoryWhoseNamesAreOthersIsLeftOutWhereTheFilesAreNamed) {
  const Facts before = {{"list environment.d", "1"}, {"hook environment.d/20-a", "1"}};
  EXPECT_THAT(describe_differences(before, {{"list environment.d", "2"}, {"hook environment.d/20-b", "1"}}),
              ElementsAre("environment.d/20-a is gone", "environment.d/20-b is new"));
  EXPECT_THAT(describe_differences(before, {{"list environment.d", "2"}, {"hook environment.d/20-a", "2"}}),
              ElementsAre("environment.d/20-a changed", "the directory environment.d changed"))
      << "which file is new is not known";
}

}  // namespace
}  // namespace hearth::builder
