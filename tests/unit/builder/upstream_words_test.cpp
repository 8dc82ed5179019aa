#include "builder/upstream_words.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

std::string spelt(const std::string& line, const std::string& program = "disk-image-create") {
  return join(spelt_out(program, split_words(line)), " ");
}

TEST(UpstreamWords, AnAbbreviationThatUpstreamTakesMeansUpstreamsOption) {
  EXPECT_EQ(spelt("--check --no --off --lo=a --docker b --image-s 3 os"),
            "--checksum --no-tmpfs --offline --logfile=a --docker-target b --image-size 3 os");
  EXPECT_EQ(spelt("--check os", "ramdisk-image-create"), "--checksum os");
}

TEST(UpstreamWords, WholeNamesAndWhatUpstreamHasSeveralOfStay) {
  for (const char* line :
       {"--checksum", "--checksums sha512", "--no-cache os", "--r x", "--help", "--image-extra-size 2"}) {
    EXPECT_EQ(spelt(line), line);
  }
}

TEST(UpstreamWords, ValuesAndOperandsAreNoOptions) {
  EXPECT_EQ(spelt("-o --check -xo --check --logfile --check -- --check"),
            "-o --check -xo --check --logfile --check -- --check");
}

TEST(UpstreamWords, OtherProgramsAreNotUpstreams) { EXPECT_EQ(spelt("--check", "hearth"), "--check"); }

}  // namespace
}  // namespace hearth::builder
