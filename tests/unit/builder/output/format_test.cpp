#include "builder/output/format.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

TEST(FormatTest, TheListIsTakenInOrderAndOnce) {
  const std::vector<OutputFormat> formats = parse_formats("qcow2, raw,tgz,qcow2");
  EXPECT_EQ(formats, (std::vector<OutputFormat>{
                         {"qcow2", FormatKind::qemu}, {"raw", FormatKind::raw}, {"tgz", FormatKind::archive}}));
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

TEST(FormatTest, OnlyQemuFormatsNeedQemu) {
  EXPECT_TRUE(programs_for(parse_formats("raw,tar")).empty());
  EXPECT_EQ(programs_for(parse_formats("raw,vmdk")), (std::vector<NeededProgram>{{"qemu-img", "qemu-utils"}}));
}

}  // namespace
}  // namespace hearth::builder
