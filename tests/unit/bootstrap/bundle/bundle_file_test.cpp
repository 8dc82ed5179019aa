#include "bootstrap/bundle/bundle_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::bootstrap::bundle {
namespace {

using testing::HasSubstr;

// Made by `openssl genpkey -algorithm ed25519` for these tests.
constexpr const char* k_key =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n";
const std::string k_stranger = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511b";

class BundleFileTest : public testing::Test {
 protected:
  void SetUp() override {
    RealFileSystem files;
    files.write(dir_.path() / "run", "#!/bin/sh\n", {.mode = 0755});
    files.write(dir_.path() / "data", std::string(3000000, 'd'), {.mode = 0600});
    fs::create_symlink("run", dir_.path() / "link");
  }
  fs::path bundle() const { return dir_.path() / "site.bundle"; }
  void write(const std::string& key = "") {
    write_bundle(bundle(), {.name = "site", .created_s = 7, .made_by = "hearth", .entries = {}, .site = {}},
                 {{"x/run", dir_.path() / "run"}, {"data", dir_.path() / "data"}, {"x/link", dir_.path() / "link"}},
                 key, {});
  }
  /// "" or the error's story; nothing may be left of a failure.
  std::string unpack(const std::optional<std::string>& key = std::nullopt) {
    try {
      unpack_bundle(bundle(), dir_.path() / "out", key, {});
      return "";
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(dir_.path() / "out"));
      for (const std::string& name : RealFileSystem().list(dir_.path())) {
        EXPECT_EQ(name.find(".hearth-unpack"), std::string::npos) << name;
      }
      return error.story();
    }
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(BundleFileTest, GivesBackWhatWentIn) {
  write();
  ASSERT_EQ(unpack(), "");
  const fs::path out = dir_.path() / "out";
  EXPECT_EQ(read_file(out / "x/run"), "#!/bin/sh\n");
  EXPECT_EQ(::access((out / "x/run").c_str(), X_OK), 0);
  EXPECT_EQ(fs::read_symlink(out / "x/link"), "run");
  EXPECT_EQ(read_file(out / "data").size(), 3000000U);
  EXPECT_EQ(fs::status(out / "data").permissions(), fs::owner_read | fs::owner_write) << "it is its owner's only";
  EXPECT_NE(fs::status(out / "x/run").permissions() & fs::others_read, 0);
  EXPECT_THAT(unpack_bundle(bundle(), dir_.path() / "out2", std::nullopt, {}).key_id, "");
}

TEST_F(BundleFileTest, APowerCutLeavesTheOldBundleOrTheNewOneAndADirectoryOnlyWhenAllOfItIsThere) {
  RealFileSystem().write(dir_.path() / "data", std::string(5000, 'd'), {.mode = 0600});
  RealFileSystem().write(bundle(), "the old one", {});
  fakes::LossyDisk disk(dir_.path());
  write();
  disk.promise("bundle");
  ASSERT_EQ(unpack(), "");
  disk.promise("directory");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    if (!cut.promised.empty() || read_file(bundle()) != "the old one") (void)check_bundle(bundle(), std::nullopt, {});
    const fs::path out = dir_.path() / "out";
    EXPECT_TRUE(fs::exists(out) || cut.promised.size() < 2);
    if (!fs::exists(out)) return;
    EXPECT_EQ(read_file(out / "x/run"), "#!/bin/sh\n");
    EXPECT_EQ(fs::read_symlink(out / "x/link"), "run");
    EXPECT_EQ(read_file(out / "data"), std::string(5000, 'd'));
  });
  EXPECT_GT(cuts, 15U);
}

TEST_F(BundleFileTest, IsTheSameForTheSameContents) {
  write(k_key);
  const std::string first = read_file(bundle());
  write(k_key);
  EXPECT_EQ(read_file(bundle()), first);
}

TEST_F(BundleFileTest, TellsWhoSigned) {
  write(k_key);
  const std::string key = frames::public_key_of(k_key);
  EXPECT_EQ(check_bundle(bundle(), key, {}).key_id, key);
  EXPECT_THAT(unpack(k_stranger), HasSubstr(cat("is signed by a stranger, the owner of the key ", key)));
  write();
  EXPECT_THAT(unpack(key), HasSubstr("is not signed"));
}

TEST_F(BundleFileTest, IsRefusedWhenItIsCutShortAnywhere) {
  write(k_key);
  const std::uint64_t size = fs::file_size(bundle());
  for (const std::uint64_t kept : {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{700}, size / 2, size - 4000}) {
    write(k_key);
    ASSERT_EQ(::truncate(bundle().c_str(), static_cast<off_t>(kept)), 0);
    EXPECT_THAT(unpack(), HasSubstr("is not whole")) << kept;
  }
}

TEST_F(BundleFileTest, IsRefusedWhenAByteOfItWasAltered) {
  write(k_key);
  const std::string whole = read_file(bundle());
  for (const std::string_view where : {"#!/bin/sh", "dddddddd", "\"made_by\""}) {
    std::string altered = whole;
    altered[altered.find(where) + 3] ^= 1;
    RealFileSystem().write(bundle(), altered, {});
    EXPECT_NE(unpack(), "") << where;
  }
}

TEST_F(BundleFileTest, IsNotUnpackedOverAnything) {
  write();
  fs::create_directory(dir_.path() / "full");
  RealFileSystem().write(dir_.path() / "full/x", "", {});
  EXPECT_THROW(unpack_bundle(bundle(), dir_.path() / "full", std::nullopt, {}), Error);
  fs::create_directory(dir_.path() / "empty");
  EXPECT_NO_THROW(unpack_bundle(bundle(), dir_.path() / "empty", std::nullopt, {}));
}

TEST_F(BundleFileTest, HoldsFilesAndLinksOnly) {
  EXPECT_THROW(write_bundle(bundle(), {}, {{"null", "/dev/null"}}, "", {}), Error);
  EXPECT_FALSE(fs::exists(bundle()));
  RealFileSystem().write(dir_.path() / "noise", "this is no bundle", {});
  EXPECT_THROW((void)check_bundle(dir_.path() / "noise", std::nullopt, {}), Error);
}

TEST_F(BundleFileTest, WithASecretInItItIsItsOwnersOnly) {
  write();
  EXPECT_EQ(fs::status(bundle()).permissions(), fs::owner_read | fs::owner_write);
}

TEST_F(BundleFileTest, ModesDoNotDependOnTheUmask) {
  write();
  const mode_t before = ::umask(0077);
  EXPECT_EQ(unpack(), "");
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(dir_.path() / "out/x/run").permissions()), 0755U);
}

}  // namespace
}  // namespace hearth::bootstrap::bundle
