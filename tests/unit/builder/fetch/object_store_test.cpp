#include "builder/fetch/object_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/sys/file.hpp"

namespace hearth::builder::fetch {
namespace {

class ObjectStoreTest : public testing::Test {
 protected:
  std::string keep(std::string_view bytes) {
    BlobStore::Writer object = store_.blobs().begin();
    object.write(bytes);
    return object.commit();
  }
  std::string read(const std::string& digest, std::uint64_t size) {
    const std::optional<Fd> file = ObjectStore(dir_.path()).open(digest, size);  // another process's view
    return file ? read_all(*file, "object") : "none";
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  ObjectStore store_{dir_.path()};
};

TEST_F(ObjectStoreTest, GivesBackWhatItKeptUnderItsDigest) {
  const std::string digest = keep("some bytes");
  EXPECT_EQ(digest, hex_digest(HashKind::sha256, "some bytes"));
  EXPECT_EQ(read(digest, 10), "some bytes");
  EXPECT_EQ(keep("some bytes"), digest) << "the same again is fine";
}

TEST_F(ObjectStoreTest, LeavesNothingOfWhatIsNotKept) {
  { store_.blobs().begin().write("half"); }
  EXPECT_TRUE(fs::is_empty(dir_.path() / "objects"));
}

TEST_F(ObjectStoreTest, TreatsAWrongObjectAsAMissingOne) {
  const std::string digest = keep("some bytes");
  RealFileSystem().write(store_.blobs().path(digest), "sone bytes", {});
  EXPECT_EQ(read(digest, 10), "none");
  EXPECT_FALSE(fs::exists(store_.blobs().path(digest)));
  (void)keep("some bytes");
  ASSERT_EQ(::truncate(store_.blobs().path(digest).c_str(), 4), 0);
  EXPECT_EQ(read(digest, 10), "none");
}

TEST_F(ObjectStoreTest, ReplacesAWrongObjectWhenTheRightOneComes) {
  const std::string digest = keep("some bytes");
  RealFileSystem().write(store_.blobs().path(digest), "something else", {});
  (void)keep("some bytes");
  EXPECT_EQ(read(digest, 10), "some bytes");
}

}  // namespace
}  // namespace hearth::builder::fetch
