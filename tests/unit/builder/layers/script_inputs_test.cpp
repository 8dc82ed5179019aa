#include "builder/layers/script_inputs.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ScriptInputs in(const char* text) { return inputs_in(text, "/home/someone"); }

TEST(ScriptInputs, FilesOfTheHooksAreFoundWhereverTheyAreNamed) {
  EXPECT_THAT(in("[ -e \"$TMP_HOOKS_PATH/data/flag\" ] || exit").hooks, ElementsAre("data/flag"));
  EXPECT_THAT(in("test -f ${TMP_HOOKS_PATH}/flag && x").hooks, ElementsAre("flag"));
  EXPECT_THAT(in("cp \"$TMP_HOOKS_PATH\"/a/b.c /tmp").hooks, ElementsAre("a/b.c"));
  EXPECT_THAT(in("if [ -d /tmp/in_target.d/static ]; then").hooks, ElementsAre("static"));
  EXPECT_FALSE(in("[ -e $TMP_HOOKS_PATH/flag ]").any_hook);
}

TEST(ScriptInputs, FilesOfTheHooksAreFoundByTheScriptsOwnPlace) {
  const char* const hooks = "hooks=$(dirname \"$(dirname \"$0\")\")\n";
  const ScriptInputs found = inputs_in(cat(hooks, "[ -d \"$hooks/bin\" ] && cp ${hooks}/a.b \"$hooks\"/bin/*\n"), "");
  EXPECT_THAT(found.hooks, ElementsAre("a.b", "bin"));
  EXPECT_TRUE(found.own_hooks);
  EXPECT_FALSE(found.any_hook || found.own_directory);
  EXPECT_THAT(in("static=$(dirname $(dirname $0))/static\ncd \"$static\"").hooks, ElementsAre("static"));
  EXPECT_THAT(in("for f in $TMP_HOOKS_PATH/data/* $TMP_HOOKS_PATH/x/$name; do").hooks, ElementsAre("data", "x"));
}

TEST(ScriptInputs, WhatIsPutTogetherWhileItRunsMeansAnyOfThem) {
  for (const char* text :
       {"ls $TMP_HOOKS_PATH", "[ -e $TMP_HOOKS_PATH/$name ]", "for f in $TMP_HOOKS_PATH/*; do",
        "cd \"$(dirname \"$0\")\"", "here=${BASH_SOURCE[0]}", "cp $TMP_HOOKS_PATH/x-${ARCH} /",
        "cd \"$(dirname \"$(dirname \"$0\")\")\"", "hooks=$(dirname \"$(dirname \"$0\")\")\nls \"$hooks\"",
        "hooks=$(dirname \"$(dirname \"$0\")\")\nexport hooks", "hooks=$(dirname \"$(dirname \"$0\")\") program"}) {
    EXPECT_TRUE(in(text).any_hook || in(text).own_directory) << text;
    EXPECT_THAT(in(text).hooks, IsEmpty()) << text;
  }
}

TEST(ScriptInputs, FilesOfTheMachineAreFound) {
  EXPECT_THAT(in("[ -e /etc/site/flag ] && cp /srv/keys/a.pub \"$TMP_MOUNT_PATH/etc/\"").host,
              ElementsAre("/etc/site/flag", "/srv/keys/a.pub"));
  EXPECT_THAT(in("cat ~/.ssh/id.pub \"$HOME/.netrc\" ${HOME}/x/y; z=\"/opt/a/b\"").host,
              ElementsAre("/home/someone/.netrc", "/home/someone/.ssh/id.pub", "/home/someone/x/y", "/opt/a/b"));
}

TEST(ScriptInputs, OfAPatternTheDirectoryIsAnInput) {
  EXPECT_THAT(in("ls /etc/site/$name /etc/other/a*").host, ElementsAre("/etc/other", "/etc/site"));
}

TEST(ScriptInputs, WhatIsNoInputOfTheMachineIsNot) {
  for (const char* text :
       {"echo x > $TARGET_ROOT/etc/hosts", "#!/bin/bash", "# see /etc/site/flag", "cat /proc/cpuinfo > /dev/null",
        "/usr/bin/env python3", "rm -rf /tmp/x /var/tmp/y /run/z", "cd /etc", "http://192.0.2.1/etc/passwd",
        "cp ${TMP_MOUNT_PATH}/etc/a .", "ls /etc/*.conf /etc/x-$name", "/hearth/shims/mount"}) {
    EXPECT_THAT(in(text).host, IsEmpty()) << text;
  }
}

TEST(ClockWords, NameWhatReadsTheClock) {
  for (const char* text :
       {"date", "now=$(date +%s)", "x | date -u", "echo `date`", "if true; then\n  /bin/date +%F\nfi",
        "echo $EPOCHSECONDS", "python3 -c 'import time; print(time.time())'"}) {
    EXPECT_TRUE(clock_words(text)) << text;
  }
}

TEST(ClockWords, ADateFromElsewhereIsNotTheClocks) {
  for (const char* text : {"date -d @$SOURCE_DATE_EPOCH +%F", "date -u --date=@0", "date -r file", "apt-get update",
                           "# date", "echo date", "up-to-date", "validate x", "date=5", "mandate=1; dates"}) {
    EXPECT_FALSE(clock_words(text)) << text;
  }
}

}  // namespace
}  // namespace hearth::builder
