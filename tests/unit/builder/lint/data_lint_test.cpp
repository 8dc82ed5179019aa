#include "builder/lint/data_lint.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

std::string found(const std::string& place, const std::string& text, std::uint32_t mode = 0644) {
  fakes::MemoryFileSystem files;
  files.put("/e/" + place, text, mode);
  std::vector<std::string> lines;
  for (const Finding& finding : lint_data(files, "/e/" + place, place, "e")) lines.push_back(finding_text(finding));
  return join(lines, "\n");
}

TEST(DataLint, PackageInstallsHaveKnownKeys) {
  EXPECT_THAT(found("package-installs.yaml", "a:\n  fase: x\n"),
              HasSubstr("/e/package-installs.yaml:2:3: error: unknown key 'fase'; allowed are phase"));
  EXPECT_EQ(found("package-installs.yaml", "a:\n  phase: install.d\n"), "");
  EXPECT_THAT(found("package-installs.json", "{\"a\": 3}"), HasSubstr(":1:7: error:"));
  EXPECT_THAT(found("package-installs.yaml", "a: {fase: x}\nb: {when: x}\n"),
              HasSubstr("\n/e/package-installs.yaml:2:"))
      << "all that is wrong";
}

TEST(DataLint, MapsHaveKnownKeys) {
  EXPECT_THAT(found("pkg-map", "{\"famly\": {}}"), HasSubstr("unknown key 'famly'"));
  EXPECT_THAT(found("svc-map", "ssh: sshd\n"), HasSubstr("service 'ssh' must be a mapping"));
}

TEST(DataLint, AnExecutablePackageMapIsAProgram) { EXPECT_EQ(found("pkg-map", "#!/bin/sh\n", 0755), ""); }

TEST(DataLint, LayoutsAreThoseThatADiskIsMadeBy) {
  const std::string good =
      "- local_loop: {name: image0}\n- mkfs: {name: mkfs_root, base: image0, mount: {mount_point: /}}\n";
  EXPECT_EQ(found("block-device-default.yaml", good), "");
  EXPECT_THAT(found("block-device-arm64.yaml", "- local_lop: {name: image0}\n"),
              HasSubstr("block-device-arm64.yaml:1:3: error: [0]: Config entry is not a plugin value: local_lop, did "
                        "you mean local_loop?"));
  EXPECT_THAT(found("block-device-default.yaml", "- local_loop:\n  name: image0\n"),
              HasSubstr("what belongs to local_loop stands two blanks further right than it"));
  EXPECT_EQ(found("static/block-device-default.yaml", "- local_lop: {name: image0}\n"), "") << "it is the image's";
}

TEST(DataLint, OtherYamlHasToParse) {
  EXPECT_THAT(found("some/deep.yaml", "a: [\n"), HasSubstr("some/deep.yaml:1:4: error: this '[' is not closed"));
  EXPECT_EQ(found("some/deep.yaml", "a: [b]\n"), "");
  EXPECT_EQ(found("some/text", "a: [\n"), "");
  EXPECT_EQ(found("os-apply-config/etc/template.yaml", "{{#a}}\n  - {{b}}\n{{/a}}\n"), "");
}

}  // namespace
}  // namespace hearth::builder
