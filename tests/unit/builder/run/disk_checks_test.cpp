#include "builder/run/disk_checks.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/disk_plan_fixture.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

using DiskChecksTest = DiskPlanFixture;

TEST_F(DiskChecksTest, AMissingToolIsNamedBeforeTheBuild) {
  request.formats = parse_formats("qcow2");
  EXPECT_THAT(story_of([&] {
                check_tools(disk(), request, {{"PATH", "/dev/null/nonexistent"}});
                return 0;
              }),
              HasSubstr("e2fsprogs"));
  request.formats = parse_formats("tar");
  EXPECT_EQ(story_of([&] {
              check_tools(disk(), request, {{"PATH", "/dev/null/nonexistent"}});
              return 0;
            }),
            "");
}

}  // namespace
}  // namespace hearth::builder
