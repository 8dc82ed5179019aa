#include "builder/lint/node_templates.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NodeTemplates : public testing::Test {
 protected:
  /// Of an element that has this file, too.
  std::string found(const std::string& place, const std::string& text, std::uint32_t mode = 0644) {
    files.put("/e/" + place, text, mode);
    std::vector<std::string> lines;
    for (const Finding& finding : node_template_faults(files, {.name = "e", .path = "/e"}))
      lines.push_back(finding_text(finding));
    files.remove("/e/" + place);
    return join(lines, "\n");
  }

  fakes::MemoryFileSystem files;
};

TEST_F(NodeTemplates, OneThatDoesNotParseIsToldWithItsPlace) {
  EXPECT_THAT(found("os-apply-config/etc/web.conf", "a {{b}}\n{{#c}}\n  {{/d}}\n"),
              AllOf(HasSubstr("/e/os-apply-config/etc/web.conf:3:3: error: Section end tag mismatch: d != c"),
                    HasSubstr("none of a node's files")));
  EXPECT_THAT(found("os-apply-config/etc/bytes", "\xff"), HasSubstr("error: the template is not valid UTF-8"));
  EXPECT_EQ(found("os-apply-config/etc/good", "{{#c}}{{d.e}}{{/c}} } }} {{{f}}}\n"), "");
}

TEST_F(NodeTemplates, ASectionThatIsNeverClosedLosesText) {
  EXPECT_THAT(found("os-apply-config/etc/web.conf", "a\n{{#c}}\nb\n"),
              HasSubstr("web.conf:2:1: warning: section c is never closed: a node loses the text before it"));
}

TEST_F(NodeTemplates, ATagThatEndsOnNoLineOfItsOwnLosesText) {
  EXPECT_THAT(found("os-apply-config/etc/web.conf", "\nport = {{web.port}\n{{#peers}}x{{/peers}}\n"),
              HasSubstr("error: "));
  EXPECT_THAT(found("os-apply-config/etc/web.conf", "\nport = {{web.port}\npeer = {{peer}}\n"),
              HasSubstr("web.conf:2: warning: the tag that begins here is not ended by }} on its line"));
  EXPECT_THAT(found("os-apply-config/etc/web.conf", "a\nb={{web.port}\n"), HasSubstr("web.conf:2: warning: the tag"));
  EXPECT_EQ(found("os-apply-config/etc/web.conf", "{{{a}}} {{b}} {{! a\nremark }}\n{\"c\": {\"d\": 1}}\n"), "");
}

TEST_F(NodeTemplates, ProgramsAndFilesElsewhereAreNoTemplates) {
  EXPECT_EQ(found("os-apply-config/etc/program", "#!/bin/sh\necho '{{/x}}'\n", 0755), "");
  EXPECT_EQ(found("static/etc/text", "{{/x}}"), "");
}

TEST_F(NodeTemplates, AHeaderHasWhatOsApplyConfigTakes) {
  files.put("/e/os-apply-config/etc/web.conf", "{{x}}");
  const std::string header = "os-apply-config/etc/web.conf.oac";
  for (const char* good :
       {"", "mode: 0644\nowner: root\ngroup: 0\nallow_empty: false\n", "mode: 420\n", "mode: !!int 0644\n",
        "group: 'staff'\nallow_empty: no\n", "[]", "{}", "false", "0", "0.0", "''", "~"})
    EXPECT_EQ(found(header, good), "") << good;
  EXPECT_THAT(found(header, "onwer: root\nmode: 0644\n"),
              HasSubstr("web.conf.oac:1:1: error: unknown key 'onwer', did you mean owner?; allowed are allow_empty"));
  for (const char* mode : {"'0644'", "644", "01777", "rw", "-1", "[0644]"})
    EXPECT_THAT(found(header, cat("owner: root\nmode: ", mode, "\n")),
                HasSubstr("web.conf.oac:2:7: error: mode is to be"))
        << mode;
  for (const char* account : {"[1]", "{a: b}", "true", "1.5", "~"})
    EXPECT_THAT(found(header, cat("owner: ", account, "\n")), HasSubstr("error: owner is to be a name or a number"));
  for (const char* wish : {"\"yes\"", "1", "maybe", "[]"})
    EXPECT_THAT(found(header, cat("allow_empty: ", wish, "\n")),
                HasSubstr("error: allow_empty is to be true or false"));
  for (const char* other : {"true", "text", "1", "[a]"})
    EXPECT_THAT(found(header, other), HasSubstr("must map allow_empty, group, mode, owner")) << other;
  EXPECT_THAT(found(header, "- mode\n"), HasSubstr("must map allow_empty, group, mode, owner"));
  EXPECT_THAT(found(header, "mode: [\n"), HasSubstr("error: "));
}

/// As os-apply-config does; they may lead back, or to all of the machine.
TEST_F(NodeTemplates, LinkedDirectoriesAreNotEntered) {
  const TempDir dir = TempDir::create("/tmp", "hearth-templates-");
  fs::create_directories(dir.path() / "e/os-apply-config/etc");
  fs::create_directories(dir.path() / "beside");
  fs::create_symlink("..", dir.path() / "e/os-apply-config/etc/loop");
  fs::create_symlink("../../../beside", dir.path() / "e/os-apply-config/etc/away");
  RealFileSystem real;
  real.write(dir.path() / "beside/bad", "{{/x}}", {});
  real.write(dir.path() / "e/os-apply-config/etc/own", "{{/x}}", {});
  EXPECT_EQ(node_template_faults(real, {.name = "e", .path = dir.path() / "e"}).size(), 1U);
}

TEST_F(NodeTemplates, AHeaderOfNothingIsToldOf) {
  EXPECT_THAT(found("os-apply-config/etc/wbe.conf.oac", "mode: 0600\n"),
              HasSubstr("wbe.conf.oac: warning: there is no wbe.conf beside it"));
  EXPECT_THAT(found("os-apply-config/etc/.oac", "mode: 0600\n"),
              HasSubstr(".oac: warning: a header is called as its template with .oac behind: this one is of none"));
}

TEST_F(NodeTemplates, AHeaderMayBeOfAnotherElementsTemplate) {
  files.put("/e/os-apply-config/etc/web.conf.oac", "mode: 0600\n");
  files.put("/other/os-apply-config/etc/web.conf", "{{x}}");
  const Element element{.name = "e", .path = "/e"};
  EXPECT_EQ(node_template_faults(files, element, {{.name = "other", .path = "/other"}}).size(), 0U);
  EXPECT_EQ(node_template_faults(files, element, {{.name = "third", .path = "/third"}}).size(), 1U);
}

}  // namespace
}  // namespace hearth::builder
