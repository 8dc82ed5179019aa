#include "builder/lint/script_lint.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* k_head =
    "#!/bin/bash\nif [ \"${DIB_DEBUG_TRACE:-0}\" -gt 0 ]; then\n    set -x\nfi\nset -eu\nset -o pipefail\n";

/// "check:line" of each finding; a warning has a "?" behind it.
std::vector<std::string> script_lint_found(const std::string& place, const std::string& text, bool executable = true,
                                           const Disabled& disabled = {}) {
  std::vector<std::string> list;
  for (const Finding& finding : lint_script({"/e/" + place, place, text, executable}, disabled)) {
    list.push_back(cat(finding.check, ":", finding.line, finding.severity == Severity::warning ? "?" : ""));
  }
  return list;
}

std::vector<std::string> found_in_hook(const std::string& body) {
  return script_lint_found("root.d/10-a", cat(k_head, body, "\n"));
}

TEST(ScriptLint, AGoodHookHasNoFindings) { EXPECT_THAT(found_in_hook("echo hello"), IsEmpty()); }

TEST(ScriptLint, ScriptsAreStrictAndTraceable) {
  EXPECT_THAT(script_lint_found("install.d/10-a", "#!/bin/bash\necho\n"),
              ElementsAre("sete:1", "setu:1", "setpipefail:1", "dibdebugtrace:1"));
  EXPECT_THAT(script_lint_found("install.d/10-a", "#!/bin/bash\n# DIB_DEBUG_TRACE\nset -euo pipefail\n"), IsEmpty());
  EXPECT_THAT(
      script_lint_found("install.d/10-a", "#!/bin/bash\n# DIB_DEBUG_TRACE\nset -u\nset -o pipefail -o errexit\n"),
      IsEmpty());
  EXPECT_THAT(script_lint_found("install.d/10-a", "#!/bin/sh\necho\n"), IsEmpty());
  EXPECT_THAT(script_lint_found("install.d/10-a", "#!/bin/bash -x\nset -eu\nset -o pipefail\n"),
              ElementsAre("shebang:1", "dibdebugtrace:1"));
}

TEST(ScriptLint, AFileThatIsSourcedNeedsNoStrictness) {
  EXPECT_THAT(script_lint_found("environment.d/10-a", "#!/bin/bash\nexport DIB_A=1\n", false),
              ElementsAre("environment:1?"));
  EXPECT_THAT(script_lint_found("environment.d/10-a", "export DIB_A=1\n", false), IsEmpty());
}

std::vector<std::string> found_in_target(const std::string& body) {
  return script_lint_found("post-install.d/10-a", cat(k_head, body, "\n"));
}

TEST(ScriptLint, NoServiceRunsWhileAnImageIsMade) {
  EXPECT_THAT(found_in_target("systemctl start nginx"), ElementsAre("service:7?"));
  EXPECT_THAT(found_in_target("if true; then\n    sudo systemctl --quiet restart nginx\nfi"),
              ElementsAre("sudo:8?", "service:8?"));
  EXPECT_THAT(found_in_target("systemctl enable --now nginx"), ElementsAre("service:7?"));
  EXPECT_THAT(found_in_target("service nginx start"), ElementsAre("service:7?"));
  for (const char* good : {"systemctl enable nginx", "systemctl daemon-reload", "echo systemctl start nginx",
                           "cat > /etc/x << EOF\nsystemctl start nginx\nEOF", "# systemctl start nginx"})
    EXPECT_THAT(found_in_target(good), IsEmpty()) << good;
  EXPECT_THAT(found_in_hook("systemctl start nginx"), IsEmpty()) << "of the host it is no matter of the image";
}

TEST(ScriptLint, AptAsksWhereNobodyAnswers) {
  EXPECT_THAT(found_in_target("apt-get install nginx"), ElementsAre("apt:7?"));
  EXPECT_THAT(found_in_target("apt-get update && apt -t trixie install \\\n    nginx"), ElementsAre("apt:7?"));
  EXPECT_THAT(found_in_target("apt-get purge nginx"), ElementsAre("apt:7?"));
  for (const char* good : {"apt-get -y install nginx", "apt-get install --yes nginx", "apt-get -qq install nginx",
                           "apt-get -fy install nginx", "apt-get $options install nginx", "apt-get update",
                           "apt-get -o APT::Get::Assume-Yes=true install nginx", "echo apt-get install nginx"})
    EXPECT_THAT(found_in_target(good), IsEmpty()) << good;
}

TEST(ScriptLint, CommentsAndTheCallerSwitchChecksOff) {
  EXPECT_THAT(script_lint_found("install.d/10-a", "#!/bin/bash\n# dib-lint: disable=sete setu setpipefail\n"),
              ElementsAre("dibdebugtrace:1"));
  EXPECT_THAT(script_lint_found("install.d/10-a", "#!/bin/bash\nset -euo pipefail\n", true, {"dibdebugtrace"}),
              IsEmpty());
}

TEST(ScriptLint, WhatHasAShebangIsExecutableAndBashIsBinBash) {
  EXPECT_THAT(script_lint_found("bin/tool", k_head, false), ElementsAre("executable:1"));
  EXPECT_THAT(script_lint_found("bin/tool", "#!/usr/bin/env bash\nset -eu\n"), ElementsAre("shebang:1"));
}

TEST(ScriptLint, AHookNeedsAShebangAndANameThatIsRun) {
  EXPECT_THAT(script_lint_found("install.d/10-a", "echo\n"), ElementsAre("shebang:1"));
  EXPECT_THAT(script_lint_found("install.d/10-a.sh", k_head), ElementsAre("hookname:0?"));
  EXPECT_THAT(script_lint_found("install.d/a", k_head), ElementsAre("hookname:0?"));
  EXPECT_THAT(script_lint_found("install.d/10-a.sh", k_head, false), ElementsAre("executable:1", "hookname:0?"))
      << "chmod alone would not make it run";
  EXPECT_THAT(script_lint_found("install.d/my-source-install/a.sh", k_head), IsEmpty());
  EXPECT_THAT(script_lint_found("install.d/data.conf", "x\n", false), IsEmpty());
}

TEST(ScriptLint, EnvironmentFilesAreSourced) {
  EXPECT_THAT(script_lint_found("environment.d/10-a", "set -x\nexport A=1\n"),
              ElementsAre("environment:1", "environment:0"));
  EXPECT_THAT(script_lint_found("environment.d/10 a", "export A=1\n", false), ElementsAre("hookname:0"));
  EXPECT_THAT(script_lint_found("environment.d/10-a.bash", "export A=1\n", false), IsEmpty());
}

TEST(ScriptLint, AVariableThatIsSetAndNotExportedIsToldInEnvironmentFiles) {
  EXPECT_THAT(script_lint_found("environment.d/10-a", "# one\nDIB_A=1\nDIB_B=\"x y\"\n", false),
              ElementsAre("environment:2?", "environment:3?"));
  for (const char* fine : {"export DIB_A=1\n", "DIB_A=1\nexport DIB_A\n", "DIB_A=1\nexport B=$DIB_A\n", "a=1\n",
                           "DIB_A=1 program\n", "set -a\nDIB_A=1\n", "DIB_RELEASE=bookworm\n", "[ $DIB_A = 1 ]\n"})
    EXPECT_THAT(script_lint_found("environment.d/10-a", fine, false), IsEmpty()) << fine;
  EXPECT_THAT(found_in_hook("DIB_A=1"), IsEmpty()) << "a hook's own";
}

TEST(ScriptLint, AProgramThatDebianHasNotIsToldInTheFirstLine) {
  for (const char* first : {"#!/usr/bin/python", "#!/usr/bin/env python", "#! /usr/bin/python2 -u"})
    EXPECT_THAT(script_lint_found("install.d/10-a", cat(first, "\nprint(1)\n")), ElementsAre("shebang:1?")) << first;
  for (const char* first : {"#!/usr/bin/python3", "#!/usr/bin/env python3", "#!/usr/local/bin/dib-python"})
    EXPECT_THAT(script_lint_found("install.d/10-a", cat(first, "\nprint(1)\n")), IsEmpty()) << first;
}

TEST(ScriptLint, AnExportMustNotHideAFailure) {
  EXPECT_THAT(script_lint_found("environment.d/10-a", "A=$(b)\nexport A\nexport C=$(d)\n", false),
              ElementsAre("export:3"));
}

TEST(ScriptLint, WhichIsNotEverywhere) {
  EXPECT_THAT(found_in_hook("# which one\nx=$(which bash)\ny=$(which sh) # dib-lint: which"), ElementsAre("which:8"));
}

TEST(ScriptLint, SudoOnTheHostStaysInTheTarget) {
  EXPECT_THAT(found_in_hook("sudo rm -rf /etc"), ElementsAre("safe_sudo:7"));
  EXPECT_THAT(found_in_hook("sudo rm -rf $TARGET_ROOT/etc"), ElementsAre("sudo:7?"));
  EXPECT_THAT(found_in_hook("sudo cp a \\\n    $TMP_MOUNT_PATH/b"), ElementsAre("sudo:7?"));
  EXPECT_THAT(found_in_hook("install-packages sudo\nsudo true # dib-lint: safe_sudo\necho pseudo x"), IsEmpty());
  EXPECT_THAT(script_lint_found("install.d/10-a", cat(k_head, "sudo true\n")), ElementsAre("sudo:7?"));
}

TEST(ScriptLint, ThereAreNoLoopDevices) {
  EXPECT_THAT(found_in_hook("losetup -f\nkpartx -av x\nmount -o loop a b\nls /dev/loop0"),
              ElementsAre("loop:7", "loop:8", "loop:9", "loop:10"));
  EXPECT_THAT(found_in_hook("# losetup is not used\nfor my_losetup in a; do :; done"), IsEmpty());
}

TEST(ScriptLint, FourBlanksNoTabsAndANewlineAtTheEnd) {
  EXPECT_THAT(found_in_hook("if true; then\n  echo\n\techo\n    echo\nfi"), ElementsAre("indent:8", "tabindent:9"));
  EXPECT_THAT(script_lint_found("install.d/10-a", cat(k_head, "echo")), ElementsAre("newline:7"));
  EXPECT_THAT(script_lint_found("source-repository-x", "a git /b c", false), ElementsAre("newline:1"));
  EXPECT_THAT(script_lint_found("bin/tool", "#!/usr/bin/python3\nif 1:\n  pass\n"), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
