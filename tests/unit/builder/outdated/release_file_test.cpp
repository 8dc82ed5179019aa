#include "builder/outdated/release_file.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::string line(char digit, const std::string& path, int bytes = 7) {
  return cat(" ", std::string(64, digit), " ", bytes, " ", path, "\n");
}

TEST(ReleaseFile, OfEachListOfTheArchitecturesTheSmallestForm) {
  const ReleaseFile release = parse_release_file(
      cat("Origin: Debian\nLabel: Debian-Security\nSuite: oldstable-security\nCodename: bookworm-security\n"
          "Acquire-By-Hash: yes\nArchitectures: all amd64\nMD5Sum:\n",
          line('0', "main/binary-amd64/Packages.xz"), "SHA256:\n", line('1', "main/binary-amd64/Packages"),
          line('2', "main/binary-amd64/Packages.xz", 99), line('3', "main/binary-amd64/Packages.gz"),
          line('4', "main/binary-arm64/Packages.xz"), line('5', "contrib/binary-all/Packages.gz"),
          line('6', "main/debian-installer/binary-amd64/Packages.xz"), line('7', "main/source/Sources.xz")),
      {"amd64"});
  EXPECT_THAT(release.lists, ElementsAre(PackageListFile{"contrib/binary-all/Packages.gz", std::string(64, '5'), 7},
                                         PackageListFile{"main/binary-amd64/Packages.xz", std::string(64, '2'), 99}));
  EXPECT_EQ(release.suite, "oldstable-security");
  EXPECT_TRUE(release.is_security);
  EXPECT_TRUE(release.by_hash);
  EXPECT_FALSE(release.not_automatic);
}

TEST(ReleaseFile, AFlatRepositoryHasItsListBesideIt) {
  const ReleaseFile release = parse_release_file(
      cat("Codename: lab\nNotAutomatic: yes\nButAutomaticUpgrades: yes\nSHA256:\n", line('a', "Packages.gz")),
      {"amd64"});
  EXPECT_THAT(release.lists, ElementsAre(Field(&PackageListFile::path, "Packages.gz")));
  EXPECT_EQ(release.suite, "lab");
  EXPECT_TRUE(release.not_automatic && release.automatic_upgrades);
}

TEST(ReleaseFile, WherePackagesOfAllAreInEachListTheirOwnIsNotAskedFor) {
  const std::string lists =
      cat("SHA256:\n", line('a', "main/binary-all/Packages.xz"), line('b', "main/binary-amd64/Packages.xz"));
  for (const char* said :
       {"Architectures: all amd64\nNo-Support-for-Architecture-all: Packages\n", "Architectures: amd64\n"}) {
    EXPECT_THAT(parse_release_file(cat(said, lists), {"amd64"}).lists,
                ElementsAre(Field(&PackageListFile::path, "main/binary-amd64/Packages.xz")));
  }
}

TEST(ReleaseFile, NothingLeadsOutOfTheRepositoryOrOntoTheTerminal) {
  const ReleaseFile release =
      parse_release_file(cat("Suite: \033[31mred\nSHA256:\n", line('a', "../../x/binary-amd64/Packages.xz"),
                             line('b', "/binary-amd64/Packages"), line('c', "main/binary-amd64/Packages\033[2J"),
                             " short 7 main/binary-amd64/Packages\n"),
                         {"amd64"});
  EXPECT_THAT(release.lists, IsEmpty());
  EXPECT_EQ(release.suite, "");
}

TEST(ReleaseFile, OnlyWhatIsSignedIsRead) {
  EXPECT_EQ(
      clear_signed_text("Suite: before\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nSuite: in\r\n- -dashed\n"
                        "-----BEGIN PGP SIGNATURE-----\nxx\n-----END PGP SIGNATURE-----\nSuite: behind\n"),
      "Suite: in\n-dashed\n");
  EXPECT_EQ(clear_signed_text("Suite: plain\n"), std::nullopt);
  EXPECT_EQ(clear_signed_text("-----BEGIN PGP SIGNED MESSAGE-----\n\nSuite: no end\n"), std::nullopt);
}

}  // namespace
}  // namespace hearth::builder
