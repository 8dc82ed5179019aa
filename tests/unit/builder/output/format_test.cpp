#include "builder/output/format.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

TEST(FormatTest, TheListIsTakenInOrderAndOnce) {
  const std::vector<OutputFormat> formats = parse_formats("qcow2, raw,tgz,qcow2");
  EXPECT_EQ(formats, (std::vector<OutputFormat>{
                         {"qcow2", FormatKind::qcow2}, {"raw", FormatKind::raw}, {"tgz", FormatKind::archive}}));
}

TEST(FormatTest, AllThatTheHelpNamesAreTaken) {
  const std::vector<std::string> names = format_type_names();
  EXPECT_EQ(names.front(), "qcow2") << "the default";
  for (const std::string& name : names) EXPECT_EQ(parse_formats(name).front().name, name);
}

TEST(FormatTest, AnUnknownNameIsAUsageErrorWithASuggestion) {
  try {
    (void)parse_formats("vmdq");
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean vmdk?"));
  }
  EXPECT_THROW((void)parse_formats(","), Error);
}

TEST(FormatTest, WhatIsMadeFromTheTreeNeedsNoDisk) {
  for (const OutputFormat& format :
       parse_formats("tar,tgz,tar.zst,aci,squashfs,erofs,ext4,xfs,btrfs,docker,oci,oci-archive,kernel,uki,iso")) {
    EXPECT_FALSE(format.from_disk()) << format.name;
  }
  EXPECT_TRUE(parse_formats("vhd").front().from_disk());
  EXPECT_EQ(parse_formats("squashfs").front().extension(), "squash");  // upstream's name of the file
  EXPECT_EQ(parse_formats("oci-archive").front().extension(), "oci.tar");
  EXPECT_EQ(parse_formats("uki").front().extension(), "efi");
  EXPECT_EQ(parse_formats("kernel").front().extension(), "vmlinuz");
  EXPECT_EQ(programs_for(parse_formats("squashfs"), ""),
            (std::vector<NeededProgram>{{"mksquashfs", "squashfs-tools"}}));
}

TEST(FormatTest, WhatOtherProgramsCallAFormatIsKnown) {
  EXPECT_EQ(nearest_format("img"), "raw");
  EXPECT_EQ(nearest_format("tar.gz"), "tgz");
  EXPECT_EQ(nearest_format("qcw2"), "qcow2");
  for (const auto& [others, ours] : alike_format_names()) {
    EXPECT_TRUE(is_format(ours)) << ours;
    EXPECT_FALSE(is_format(others)) << others;
  }
}

TEST(FormatTest, OnlyQemuFormatsNeedQemu) {
  EXPECT_TRUE(programs_for(parse_formats("raw,tar,qcow2"), "").empty());
  EXPECT_EQ(programs_for(parse_formats("raw,vmdk"), ""), (std::vector<NeededProgram>{{"qemu-img", "qemu-utils"}}));
}

TEST(FormatTest, Qcow2NeedsQemuOnlyForItsSpecialOptions) {
  EXPECT_EQ(programs_for(parse_formats("qcow2"), "cluster_size=2M"),
            (std::vector<NeededProgram>{{"qemu-img", "qemu-utils"}}));
}

}  // namespace
}  // namespace hearth::builder
