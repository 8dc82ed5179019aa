#include "builder/layers/unnamed_variables.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hearth::builder {
namespace {

TEST(UnnamedVariables, ATextReadsAllWhereItTellsThemOrAsksByAValue) {
  for (const char* script : {"env|grep MY_",
                             "env  | sort",
                             "env \\\n | sort",
                             "env>/tmp/x",
                             "env 2>&1 | sort",
                             "{ env; } | sort",
                             "sort <(env)",
                             "(env) | sort",
                             "/usr/bin/env --null | sort",
                             "env -u FOO | sort",
                             "set|grep MY_",
                             "(set) | sort",
                             "export",
                             "if true; then export | sort; fi",
                             "declare|sort",
                             "declare -px",
                             "typeset -x",
                             "declare -n r=MY_$n",
                             "local -n r=MY_$1",
                             "printenv MY_$n",
                             "[[ -v $n ]]",
                             "test -v $n",
                             "eval\t$x",
                             "bash -c \"echo \\$${p}A\"",
                             "envsubst < template",
                             "os.getenv(name)",
                             "from os import environ\nenviron.get(name)",
                             "dict(o.environ)",
                             "os.environb",
                             "os.path.expandvars(x)",
                             "$ENV{$name}",
                             "while (($k, $v) = each %ENV)",
                             "for (k in ENVIRON)",
                             "ENVIRON[name]",
                             "ENV[name]",
                             "process.env[name]",
                             "{ ...process.env }",
                             "LC_ALL=C env | grep MY_",
                             "A=1 B=2 env",
                             "x=$(LC_ALL=C env)",
                             "timeout 5 env | sort",
                             "if true; then LC_ALL=C timeout 5s env; fi",
                             "env LC_ALL=C env",
                             "timeout -k 1 5 env",
                             "nice -n 5 env | sort",
                             "setsid env; stdbuf -oL true",
                             "bash -c env",
                             "sh -c 'env | sort'",
                             "\\env",
                             "find . -exec env \\;",
                             "while env | grep MY_; do :; done",
                             "if env | grep -q MY_; then :; fi",
                             "if false; then :; elif env | grep -q MY_; then :; fi",
                             "until env | grep -q MY_; do :; done",
                             "os.environ.get(\"MY_\" + x)",
                             "os.environ['MY_' + x]",
                             "os.getenv(\"MY_\" + x)",
                             "$ENV{\"MY_\" . $x}",
                             "$ENV{\"MY_$x\"}",
                             "ENVIRON[\"MY_\" x]",
                             "os.Environ()"})
    EXPECT_TRUE(lists_variables(script)) << script;
}

TEST(UnnamedVariables, ATextThatRunsAnotherProgramOrSaysTheNameDoesNot) {
  for (const char* script : {"#!/usr/bin/env bash",
                             "env FOO=1 cmd",
                             "env -i cmd",
                             "env -u FOO \\\n  cmd",
                             "set -eu",
                             "set -o pipefail",
                             "export FOO",
                             "export FOO=1",
                             "declare -A a=()",
                             "local -a found=()",
                             "declare -f f | cat",
                             "python3 -m venv env",
                             "timeout 5 make env",
                             "cp -r -n env",
                             "virtualenv env",
                             "case $x in set) ;; env) ;; esac",
                             "grep -v $pattern",
                             "os.environ[\"FOO\"]",
                             "os.environ.get('FOO')",
                             "\"FOO\" in os.environ",
                             "os.getenv(\"FOO\")",
                             "process.env.FOO",
                             "$ENV{FOO}",
                             "$ENV{'FOO'}",
                             "os.environ.get('FOO', 'bar')",
                             "echo A=1 timeout 5 environment",
                             "A=1 env FOO=1 cmd",
                             "timeout 5 env FOO=1 cmd",
                             "if env FOO=1 cmd; then :; fi",
                             "ENVIRON[\"FOO\"]",
                             "# the environment is set"})
    EXPECT_FALSE(lists_variables(script)) << script;
}

TEST(UnnamedVariables, OfACompiledProgramItsSymbolsAreNoText) {
  EXPECT_FALSE(lists_variables(std::string("\177ELF\0environ\0getenv(\0\\$$1", 26)));
  EXPECT_TRUE(lists_variables(std::string("\177ELF\0print(os.environb)\0", 25))) << "a script within";
}

}  // namespace
}  // namespace hearth::builder
