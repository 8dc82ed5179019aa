#include "builder/fetch/fetched_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "builder/fetch/known_answers.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FetchedCacheTest : public testing::Test {
 protected:
  /// Two objects, of which one has a name.
  void SetUp() override {
    ObjectStore store(dir_.path());
    for (const char* text : {"first", "second!"}) {
      BlobStore::Writer object = store.blobs().begin();
      object.write(text);
      (void)object.commit();
    }
    set_time(store.blobs().path(first_), 1000);
    set_time(store.blobs().path(second_), 2000);
    change_known_answers(dir_.path(), [&](Lock& known) {
      known.fetches[{"GET", "http://a.example/first"}] = {200, first_, 5, {}};
    });
  }
  static void set_time(const fs::path& file, time_t seconds) {
    const timespec then[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), then, 0), 0);
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  const std::string first_ = hex_digest(HashKind::sha256, "first");
  const std::string second_ = hex_digest(HashKind::sha256, "second!");
};

TEST_F(FetchedCacheTest, ListsWhatThereIsAndWhereItCameFrom) {
  const std::vector<FetchedObject> objects = list_fetched(dir_.path());
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].sha256, first_);
  EXPECT_EQ(objects[0].url, "http://a.example/first");
  EXPECT_EQ(objects[0].last_used, 1000);
  EXPECT_EQ(objects[1].url, "");
  EXPECT_EQ(objects[1].bytes, 7U);
  EXPECT_THAT(list_fetched(dir_.path() / "nothing"), IsEmpty());
  EXPECT_FALSE(fs::exists(dir_.path() / "nothing"));
}

TEST_F(FetchedCacheTest, ReadingAnObjectIsAUseOfIt) {
  (void)ObjectStore(dir_.path()).open(first_, 5);
  EXPECT_EQ(list_fetched(dir_.path())[0].sha256, second_);
}

TEST_F(FetchedCacheTest, VerifyingRemovesWhatIsDamagedAndItsAnswer) {
  EXPECT_THAT(verify_fetched(dir_.path()), IsEmpty());
  const fs::path object = objects_in(dir_.path()).path(first_);
  fs::remove(object);
  RealFileSystem().write(object, "fIrst", {});
  EXPECT_THAT(verify_fetched(dir_.path()), ElementsAre(first_));
  EXPECT_EQ(list_fetched(dir_.path()).size(), 1U);
  EXPECT_THAT(known_answers(dir_.path()).fetches, IsEmpty());
}

TEST_F(FetchedCacheTest, PruningTakesWhatWasUsedLongestAgoAndNothingFromABuild) {
  {
    const Fd build = ObjectStore(dir_.path()).share();
    EXPECT_THROW((void)prune_fetched(dir_.path(), 0), Error);
    EXPECT_EQ(list_fetched(dir_.path()).size(), 2U);
  }
  EXPECT_THAT(prune_fetched(dir_.path(), 12), IsEmpty());
  EXPECT_THAT(prune_fetched(dir_.path(), 11), ElementsAre(first_));
  EXPECT_THAT(known_answers(dir_.path()).fetches, IsEmpty());
  EXPECT_THAT(prune_fetched(dir_.path(), 0), ElementsAre(second_));
}

}  // namespace
}  // namespace hearth::builder::fetch
