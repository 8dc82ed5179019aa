#include "builder/spec/checked_values.hpp"
#include "builder/elements/condition_values.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t k_values_gib = std::uint64_t{1} << 30U;

TEST(CheckedValues, APlainSizeCountsItsUnitAndALetterIsAPowerOfTwo) {
  EXPECT_EQ(size_in({"3", "--image-size"}, k_values_gib), 3);
  EXPECT_EQ(size_in({"0.2", "--image-size"}, k_values_gib), 0.2);
  EXPECT_EQ(size_in({"3GiB", "--image-size"}, k_values_gib), 3);
  for (const char* same : {"4G", "4g", "4 G", "4GiB", "4096M"})
    EXPECT_EQ(size_in({same, "--image-size"}, k_values_gib), 4) << same;
  EXPECT_EQ(size_in({"4GB", "--image-size"}, k_values_gib), 4e9 / (1U << 30U));
  for (const char* wrong : {"big", "-1", "3 gibs", "inf", "nan", "1e999", "1e18", "", "999999999TiB"}) {
    EXPECT_THAT(story_of([&] {
                  return size_in({wrong, "--image-size"}, k_values_gib);
                }),
                AllOf(HasSubstr(cat("--image-size: '", wrong, "' is not a size")), HasSubstr("1.0 GiB")));
  }
}

TEST(CheckedValues, AWordThatIsNotKnownIsRefusedWithTheNearestAndAll) {
  EXPECT_THAT(story_of([&] {
                return one_of({"packge", "--install-type"}, known_install_types());
              }),
              AllOf(HasSubstr("--install-type: 'packge' is not known, did you mean package?"),
                    HasSubstr("Known: source, package, repo, any")));
  EXPECT_THAT(story_of([&] {
                return one_of({"sparc", "-a"}, known_architectures());
              }),
              AllOf(HasSubstr("-a: 'sparc' is not known"), HasSubstr("Known: amd64, arm64, ")));
  EXPECT_EQ(one_of({"ppc64le", "ARCH"}, known_architectures()), "ppc64le");
}

TEST(CheckedValues, EachKindOfChecksumIsKnown) {
  EXPECT_THAT(checksum_kinds({"0", ""}), IsEmpty());
  EXPECT_THAT(checksum_kinds({"", ""}), IsEmpty());
  EXPECT_THAT(checksum_kinds({"1", ""}), ElementsAre(HashKind::md5, HashKind::sha256));
  EXPECT_THAT(checksum_kinds({"sha256", ""}), ElementsAre(HashKind::sha256));
  EXPECT_THAT(checksum_kinds({"sha512 sha256,md5", ""}),
              ElementsAre(HashKind::md5, HashKind::sha256, HashKind::sha512));
  EXPECT_THAT(story_of([&] {
                return checksum_kinds({"md5,sha265", "--checksums"});
              }),
              HasSubstr("--checksums: 'sha265' is not known, did you mean sha256?"));
}

TEST(CheckedValues, PhasesAndBreakPointsAreKnown) {
  EXPECT_EQ(phase_named({"pre-install", "--fresh-from"}), Phase::pre_install);
  EXPECT_THAT(story_of([&] {
                return static_cast<int>(phase_named({"instal", "--fresh-from"}));
              }),
              AllOf(HasSubstr("did you mean install?"), HasSubstr("Known: root, extra-data, ")));
  EXPECT_EQ(break_point({"after-error", "--break"}), "after-error");
  EXPECT_EQ(break_point({"before-post-root", "--break"}), "before-post-root");
  EXPECT_THAT(story_of([&] {
                return break_point({"before-instal", "--break"});
              }),
              AllOf(HasSubstr("did you mean before-install?"), HasSubstr("Phases: root, ")));
}

}  // namespace
}  // namespace hearth::builder
