#include "builder/store/layer_store.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"

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

}  // namespace
}  // namespace hearth::builder
