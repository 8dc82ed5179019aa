#include "builder/evidence/evidence_room.hpp"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

constexpr std::uint64_t k_mib = std::uint64_t{1} << 20;

TEST(EvidenceBytes, GoByTheTreeAndByWhatTheLastBuildLeft) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  const std::uint64_t none = evidence_bytes(dir.path(), 0, false);
  EXPECT_GT(evidence_bytes(dir.path(), 10000, false), none);
  EXPECT_GT(evidence_bytes(dir.path(), 10000, true), evidence_bytes(dir.path(), 10000, false));
  RealFileSystem files;
  files.write(dir.path() / "build.log", std::string(k_mib, 'x'), {});
  EXPECT_EQ(evidence_bytes(dir.path(), 0, false), none);
  files.write(dir.path() / "sbom.spdx.json", std::string(k_mib, 'x'), {});
  EXPECT_GT(evidence_bytes(dir.path(), 0, false), none + k_mib);
  files.make_directories(dir.path() / "hearth.lock.d", 0755);
  files.write(dir.path() / "hearth.lock.d/pack", std::string(k_mib, 'x'), {});
  EXPECT_GT(evidence_bytes(dir.path(), 0, false), none + 2 * k_mib) << "what git servers answered";
}

TEST(ReserveRoom, IsNamelessAndGoesWithTheDescriptor) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  const Fd room = reserve_room(dir.path(), k_mib, "web.tar");
  EXPECT_TRUE(RealFileSystem().list(dir.path()).empty());
}

TEST(ReserveRoom, NamesTheOutputsWhereThereIsNotSoMuch) {
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([&] {
    mount_file_system("tmpfs", "tmpfs", dir.path(), 0, "size=1m");
    Fd first = reserve_room(dir.path(), k_mib * 3 / 4, "web.tar");
    try {
      (void)reserve_room(dir.path(), k_mib / 2, "web.tar");
      ADD_FAILURE() << "it is reserved twice";
    } catch (const Error& error) {
      EXPECT_NE(error.story().find("for the evidence of web.tar in"), std::string::npos) << error.story();
      EXPECT_NE(error.story().find("No space left on device"), std::string::npos) << error.story();
    }
    first = Fd();
    EXPECT_TRUE(reserve_room(dir.path(), k_mib / 2, "web.tar"));
  });
}

}  // namespace
}  // namespace hearth::builder
