#include "builder/blobs/blob_store.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BlobStoreTest : public testing::Test {
 protected:
  std::string put(const std::string& text, int age = 0) {
    BlobStore::Writer writer = store.begin();
    writer.write(text);
    std::string digest = writer.commit();
    const std::array<timespec, 2> times = {timespec{1000 - age, 0}, timespec{1000 - age, 0}};
    ::utimensat(AT_FDCWD, store.path(digest).c_str(), times.data(), 0);
    return digest;
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  BlobStore store{dir.path() / "blobs"};
};

TEST_F(BlobStoreTest, GivesBackWhatWasPutUnderItsDigest) {
  const std::string digest = put("some bytes");
  EXPECT_EQ(digest, hex_digest(HashKind::sha256, "some bytes"));
  EXPECT_EQ(store.open(digest)->bytes(), "some bytes");
  EXPECT_EQ(put(""), hex_digest(HashKind::sha256, ""));
  EXPECT_FALSE(store.open(std::string(64, '0')));
}

TEST_F(BlobStoreTest, AWriterThatIsNotCommittedLeavesNothing) {
  store.begin().write("half");
  EXPECT_THAT(RealFileSystem().list(dir.path() / "blobs"), IsEmpty());
}

TEST_F(BlobStoreTest, PrunesWhatWasUsedLongestAgoFirst) {
  const std::string old = put("old", 300);
  const std::string used = put("used", 200);
  const std::string recent = put("new", 100);
  (void)store.open(used);
  EXPECT_THAT(store.prune(7), ElementsAre(old)) << "10 bytes are there";
  EXPECT_THAT(store.prune(4), ElementsAre(recent));
  EXPECT_TRUE(store.has(used));
}

TEST_F(BlobStoreTest, PrunesWhatNobodyUsedForLongHoweverMuchThereIs) {
  const std::string old = put("old", 300);
  const std::string recent = put("new", 100);
  const std::int64_t between = (store.list().front().last_used + store.list().back().last_used) / 2;
  EXPECT_THAT(store.prune(UINT64_MAX, between), ElementsAre(old));
  EXPECT_EQ(store.list().front().digest(), recent);
}

// Its owner alone may set a blob's time; that another user read it tells the time of its reading.
TEST_F(BlobStoreTest, WhatAnotherUserReadIsNoLongerUnused) {
  const std::string old = put("old", 300);
  const std::string read = put("read", 300);
  const std::array<timespec, 2> times = {timespec{1000, 0}, timespec{700, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, store.path(read).c_str(), times.data(), 0), 0);
  EXPECT_THAT(store.prune(UINT64_MAX, 900), ElementsAre(old));
}

TEST_F(BlobStoreTest, WhatABuildHoldsIsNotPruned) {
  const std::string digest = put("held");
  {
    const std::optional<Blob> held = store.open(digest);
    EXPECT_THAT(store.prune(0), IsEmpty());
  }
  EXPECT_THAT(store.prune(0), ElementsAre(digest));
}

TEST_F(BlobStoreTest, DamageIsFound) {
  const std::string digest = put("bytes");
  EXPECT_TRUE(store.verify(digest));
  RealFileSystem().write(store.path(digest), "bytez", {});
  EXPECT_FALSE(store.verify(digest));
}

TEST_F(BlobStoreTest, LookingWhetherABlobIsWholeIsNoUseOfIt) {
  const std::string digest = put("bytes", 300);
  const std::int64_t used = store.list().front().last_used;
  EXPECT_TRUE(store.verify(digest));
  EXPECT_EQ(store.list().front().last_used, used);
}

TEST_F(BlobStoreTest, DamagedBlobsAreRemovedAndOthersStay) {
  const std::string digest = put("bytes");
  const std::string whole = put("whole");
  RealFileSystem().write(store.path(digest), "bytez", {});
  EXPECT_THAT(store.remove_damaged(), ElementsAre(digest));
  EXPECT_FALSE(store.has(digest));
  EXPECT_TRUE(store.has(whole, 5));
  EXPECT_FALSE(store.has(whole, 4));
}

TEST_F(BlobStoreTest, CheckedBlobsLieInFoldersAndAreListedAndPrunedLikeOthers) {
  const BlobStore checked(dir.path() / "checked", BlobCare::checked);
  BlobStore::Writer writer = checked.begin();
  writer.write("some ");
  writer.write("bytes");
  EXPECT_EQ(writer.text(), "some bytes");
  EXPECT_EQ(writer.size(), 10U);
  const std::string digest = writer.commit();
  EXPECT_TRUE(fs::exists(dir.path() / "checked" / digest.substr(0, 2) / digest));
  EXPECT_EQ(checked.list().front().digest(), digest);
  EXPECT_THAT(checked.prune(9), ElementsAre(digest));
  EXPECT_THAT(checked.list(), IsEmpty());
}

TEST_F(BlobStoreTest, OthersFilesAreNoBlobs) {
  put("x");
  RealFileSystem().write(dir.path() / "blobs/README", "x", {});
  EXPECT_THAT(store.list(), SizeIs(1));
  EXPECT_FALSE(is_digest("../../etc/passwd"));
}

}  // namespace
}  // namespace hearth::builder
