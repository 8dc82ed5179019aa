#include "builder/store/layer_store.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class LayerStoreTest : public testing::Test {
 protected:
  LayerRecord keep(const std::string& key, const std::string& bytes, const std::string& fact = "1") {
    BlobStore::Writer writer = store.blobs().begin();
    writer.write(bytes);
    LayerRecord record;
    record.parent = "base";
    record.planned = {"root.d/10-x"};
    record.steps = {{"root.d/10-x", "x", 1, {{"env A", fact}}}};
    record.blob = writer.commit();
    record.bytes = bytes.size();
    store.put(key, record);
    return record;
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  LayerStore store{dir.path()};
};

TEST_F(LayerStoreTest, KeepsOneKeyForItsOwner) {
  const std::string key = store.fact_key().bytes;
  EXPECT_EQ(key.size(), 64U);
  EXPECT_EQ(LayerStore(dir.path()).fact_key().bytes, key);
  EXPECT_EQ(RealFileSystem().status(dir.path() / "fact-key")->mode, 0600U);
  EXPECT_EQ(RealFileSystem().list(dir.path()).size(), 1U) << "nothing else was left";
  const TempDir other = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  EXPECT_NE(LayerStore(other.path()).fact_key().bytes, key);
  RealFileSystem().write(dir.path() / "fact-key", "", {});
  EXPECT_THROW((void)store.fact_key(), Error) << "digests that anybody can make";
}

TEST_F(LayerStoreTest, FindsWhatFollowsALayer) {
  keep("k", "one", "1");
  keep("k", "two", "2");
  EXPECT_THAT(store.find("k"), SizeIs(2));
  EXPECT_THAT(store.find("other"), IsEmpty());
}

TEST_F(LayerStoreTest, ARecordWithoutItsBlobOrCutShortIsAMiss) {
  const LayerRecord gone = keep("k", "one", "1");
  const LayerRecord cut = keep("k", "two", "2");
  store.blobs().remove(gone.blob);
  RealFileSystem().write(dir.path() / "records/k" / cat(cut.id(), ".json"), "{\"version\": 1, ", {});
  EXPECT_THAT(store.find("k"), IsEmpty());
}

TEST_F(LayerStoreTest, APowerCutNeverLeavesALayerThatIsNotWhole) {
  fakes::LossyDisk disk(dir.path());
  keep("k", std::string(3000, '1'), "1");
  keep("k", std::string(3000, '2'), "2");
  const std::string key = store.fact_key().bytes;
  disk.promise("key");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    for (const LayerRecord& found : store.find("k")) EXPECT_TRUE(store.blobs().verify(found.blob));
    EXPECT_TRUE(cut.promised.empty() || store.fact_key().bytes == key);
    keep("k", "three", "3");
    EXPECT_FALSE(store.find("k").empty());
    EXPECT_TRUE(store.verify([](const std::string&) {}).empty());
  });
  EXPECT_GT(cuts, 15U);
}

TEST_F(LayerStoreTest, PruningAndVerifyingTakeTheRecordsAlong) {
  keep("k", "one", "1");
  const LayerRecord bad = keep("k", "two", "2");
  RealFileSystem().write(store.blobs().path(bad.blob), "twq", {});
  EXPECT_THAT(store.verify([](const std::string&) {}), ElementsAre(bad.blob));
  EXPECT_THAT(store.records(), SizeIs(1));
  EXPECT_THAT(store.prune(0), SizeIs(1));
  EXPECT_THAT(store.records(), IsEmpty());
  EXPECT_THAT(RealFileSystem().list(dir.path() / "records"), IsEmpty());
}

TEST_F(LayerStoreTest, AListSeesOfARecordWhatItSaysWhateverItsNames) {
  LayerRecord record = keep("k", "one", "1");
  record.planned = {"root.d/10-\"]\\\"planned\":[", "install.d/\u00fc], \"blob\":\"x", "last"};
  std::vector<StepRecord> steps = {{"\"planned\":[\"no\"]", "x", 1, {{"env \"blob\":\"", "1"}}}};
  record.steps = steps;
  const std::optional<LayerGlance> glance = glance_at(format_json(to_json(record)));
  ASSERT_TRUE(glance);
  EXPECT_EQ(glance->blob, record.blob);
  EXPECT_EQ(glance->first_step, record.planned.front());
  EXPECT_EQ(glance->last_step, "last");
  for (const char* none : {"", "{}", "{\"planned\":[\"a\"", "{\"planned\":[1],\"blob\":\"x\"}"})
    EXPECT_FALSE(glance_at(none));
}

TEST_F(LayerStoreTest, PruningTakesNoDirectoryAwayThatARecordIsJustWrittenTo) {
  std::atomic<bool> done = false;
  std::thread pruner([&] {
    while (!done) (void)store.prune(0);
  });
  for (int i = 0; i < 40; ++i) EXPECT_NO_THROW(keep("k", std::to_string(i)));
  done = true;
  pruner.join();
}

TEST_F(LayerStoreTest, PinnedLayersStayWhateverIsPruned) {
  const LayerRecord pinned = keep("k", "one", "1");
  const LayerRecord other = keep("k", "two", "2");
  store.pin({"/srv/./web", {pinned.blob}});
  EXPECT_THAT(store.prune(0), ElementsAre(other.blob));
  EXPECT_THAT(store.records(), SizeIs(1));
  EXPECT_TRUE(store.is_pinned("/srv/web"));
  const LayerRecord unused = keep("k", "four", "4");
  constexpr std::uint64_t k_no_limit = std::uint64_t{1} << 60U;
  constexpr std::int64_t k_whatever_its_age = std::int64_t{1} << 40U;
  EXPECT_THAT(store.prune(k_no_limit, k_whatever_its_age), ElementsAre(unused.blob)) << "--unused-for 0";
  const LayerRecord later = keep("k", "three", "3");
  store.pin({"/srv/web", {later.blob}});
  EXPECT_THAT(store.prune(0), ElementsAre(pinned.blob)) << "what it was made of before is nobody's";
  EXPECT_TRUE(store.unpin("/srv/web"));
  EXPECT_FALSE(store.unpin("/srv/web"));
  EXPECT_THAT(store.prune(0), ElementsAre(later.blob));
}

// A build's umask is the image's; who shares a store says by the directory that holds it, as with git.
TEST_F(LayerStoreTest, ItsDirectoriesAreAsOpenAsTheOneThatHoldsThem) {
  for (const unsigned open : {02777U, 0700U}) {
    const fs::path top = dir.path() / std::to_string(open);
    fs::create_directory(top);
    ASSERT_EQ(::chmod(top.c_str(), open), 0);
    store = LayerStore(top);
    const unsigned before = ::umask(022);
    const LayerRecord record = keep("k", "one");
    store.pin({"/srv/web", {record.blob}});
    ::umask(before);
    for (const char* made : {"blobs", "records", "records/k", "pins"})
      EXPECT_EQ(RealFileSystem().status(top / made)->mode & 02777U, open) << made;
  }
}

TEST_F(LayerStoreTest, WhileAPinIsDamagedNothingIsPruned) {
  keep("k", "one", "1");
  RealFileSystem files;
  files.make_directories(dir.path() / "pins", 0755);
  files.write(dir.path() / "pins/x.json", "{\"image\":", {});
  EXPECT_THAT(story_of([&] { return store.prune(0); }),
              testing::AllOf(testing::HasSubstr("pins/x.json is damaged"), testing::HasSubstr("pin its image again")));
  EXPECT_THAT(store.records(), SizeIs(1));
}

}  // namespace
}  // namespace hearth::builder
