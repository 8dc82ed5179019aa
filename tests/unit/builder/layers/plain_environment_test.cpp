#include "builder/layers/plain_environment.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::Optional;

auto Sets(const char* variable, const char* text) {
  return testing::AllOf(Field("variable", &Assignment::variable, variable), Field("text", &Assignment::text, text));
}

TEST(PlainEnvironment, TellsWhatAFileOfAssignmentsSets) {
  EXPECT_THAT(plainly_set(""), Optional(testing::IsEmpty()));
  EXPECT_THAT(
      plainly_set(
          "#!/bin/bash\n# $(date)\nexport A=${A:-hello}  # `why`\nB='$(x)' C=\"$A isn't ${B-its} <y>\"; export B\n"
          "export D E=a:/b/c#d,%e+f F=${A:+${B:-\"two words\"}}\n"),
      Optional(ElementsAre(Sets("A", "A=${A:-hello}"), Sets("B", "B='$(x)'"), Sets("C", "C=\"$A isn't ${B-its} <y>\""),
                           Sets("B", "B"), Sets("D", "D"), Sets("E", "E=a:/b/c#d,%e+f"),
                           Sets("F", "F=${A:+${B:-\"two words\"}}"))));
}

TEST(PlainEnvironment, WhatMayDoMoreIsNotPlain) {
  for (const char* text : {"export A=$(date)",
                           "export A=`date`",
                           "A=1 date",
                           "date",
                           ". ./file",
                           "if true; then A=1; fi",
                           "A=(1 2)",
                           "A[1]=x",
                           "A=\"$(date)\"",
                           "A=\"`date`\"",
                           "A=${B:=x}",
                           "A=${B:?no}",
                           "A=${B=x}",
                           "A=${!B}",
                           "A=${B//x/y}",
                           "A=${#B}",
                           "A=${B:",
                           "A=${B:-$(date)}",
                           "A=\"${B:-$(date)}\"",
                           "A=$((1+1))",
                           "A=x && date",
                           "A=x | date",
                           "A=<(date)",
                           "A=x > file",
                           "A=\\\nx",
                           "A=~",
                           "A='open",
                           "A=\"open",
                           "A=\"${B:-'}\" C='$(date)'\"}\"",
                           "A=\"${B:-it's}\"",
                           ";",
                           "A=1;; B=2",
                           "A=1\n;",
                           "export -p",
                           "export",
                           "set -eu",
                           "A+=x",
                           "declare A=1",
                           "[ -n \"$A\" ]",
                           "PATH=x\r\n",
                           "UID=0",
                           "BASH_ENV=x",
                           "CDPATH=/",
                           "A=1&",
                           "A=x!",
                           "=x",
                           "1A=x",
                           "A= date",
                           "A=${1}",
                           "A=$$"}) {
    EXPECT_FALSE(plainly_set(text).has_value()) << text;
  }
}

TEST(CheckedEnvironment, TellsWhatAFileThatRefusesMaySet) {
  EXPECT_THAT(
      set_with_checks("case ${A:-} in\n    a | 'b') ;;\n    '')\n        echo \"A isn't set!\"\n        exit 1\n"
                      "        ;;\n    c*)\n        B=1 C=2\n        ;;\nesac\n"),
      Optional(ElementsAre("B", "C")));
  EXPECT_THAT(
      set_with_checks("export A=${A:-30}\nif ! [ \"$A\" -gt 0 ] 2> /dev/null; then\n    echo \"no $A\" >&2  # said\n"
                      "    exit 1\nelif [ -z \"${D:-}\" ] && [ x != y ]; then E=\"$((10#${F[2]} + 1))\"; fi\n"),
      Optional(ElementsAre("A", "E")));
  EXPECT_THAT(
      set_with_checks("for A in $B c; do\n    if ! [[ $A =~ ^([a-z]+)\\.(x|y)?$ ]]; then\n        exit 1\n    fi\n"
                      "done\nunset A\nexport B\n"),
      Optional(ElementsAre("A", "B")));
  EXPECT_THAT(set_with_checks("[ -n \"$A\" ] || exit 1\n"), Optional(testing::IsEmpty()));
}

TEST(CheckedEnvironment, WhatMayDoMoreIsNone) {
  for (const char* text : {"date",
                           "if date; then A=1; fi",
                           "if [ -z \"$(date)\" ]; then A=1; fi",
                           "if [ -z `date` ]; then A=1; fi",
                           "if [[ -z $(date) ]]; then A=1; fi",
                           "if [[ -z `date` ]]; then A=1; fi",
                           "if [[ a ]]; then A=1; fi; date",
                           "case $(date) in a) A=1 ;; esac",
                           "case a in $(date)) A=1 ;; esac",
                           "case a in a) date ;; esac",
                           "case a in a) A=1 ;; esac date",
                           "for A in $(date); do exit; done",
                           "for A in *; do exit; done",
                           "for A in a; do date; done",
                           "for PATH_X; do date; done",
                           "for BASH_ENV in a; do exit; done",
                           "A=1 date",
                           "export A=1 > file",
                           "echo a > file",
                           "echo a >> file",
                           "echo a | date",
                           "echo a & date",
                           "[ -n a ] && date",
                           "[ -n a ] || . ./file",
                           "! date",
                           "echo ${A:=x}",
                           "echo ${A=x}",
                           "echo ${!A}",
                           "echo \"$((A = 1))\"",
                           "echo \"$((A++))\"",
                           "echo \"${A:-$(date)}\"",
                           "echo \"${A:-`date`}\"",
                           "f() { A=1; }",
                           "(A=1)",
                           "{ A=1; }",
                           "A=(1 2)",
                           "A[1]=x",
                           "A+=x",
                           "A=~",
                           "A=\\\nx",
                           "eval A=1",
                           "read A",
                           "declare A=1",
                           "printf -v A x",
                           "set -a",
                           "export -p",
                           "unset -f f",
                           "UID=0",
                           "echo 'open",
                           "echo \"open",
                           "if [[ open",
                           "case a in open"}) {
    EXPECT_FALSE(set_with_checks(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace hearth::builder
