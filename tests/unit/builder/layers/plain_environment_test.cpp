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

}  // namespace
}  // namespace hearth::builder
