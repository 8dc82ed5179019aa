#include "agent/collect/cache.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

class CacheTest : public testing::Test {
 protected:
  std::string data(const std::string& path) { return files_.read(path).value_or("(none)"); }
  fakes::MemoryFileSystem files_;
  fakes::MemoryLogger log_;
  Cache cache_{"/c/d", files_, log_};
};

TEST_F(CacheTest, AFirstDocumentIsNewAndKeptAsTheOriginal) {
  const Cache::Stored stored = cache_.store("ec2", Json{{"a", 1}});
  EXPECT_EQ(stored.path.string(), "/c/d/ec2.json");
  EXPECT_TRUE(stored.changed);
  EXPECT_EQ(data("/c/d/ec2.json"), "{\n \"a\": 1\n}");
  EXPECT_EQ(data("/c/d/ec2.json.orig"), "{\n \"a\": 1\n}");
  EXPECT_EQ(files_.files.at("/c/d/ec2.json").attributes.mode, 0600U);
}

TEST_F(CacheTest, ADocumentIsChangedUntilItIsCommitted) {
  (void)cache_.store("x", 1);
  EXPECT_TRUE(cache_.store("x", 1).changed);
  cache_.commit("x");
  EXPECT_FALSE(cache_.store("x", 1).changed);
  EXPECT_FALSE(cache_.store("x", 1.0).changed);
  EXPECT_TRUE(cache_.store("x", 2).changed);
  EXPECT_EQ(data("/c/d/x.json.orig"), "1");
  EXPECT_EQ(data("/c/d/x.json.last"), "1");
}

TEST_F(CacheTest, ADamagedLastFileCountsAsAChange) {
  (void)cache_.store("x", 1);
  files_.put("/c/d/x.json.last", "{");
  EXPECT_TRUE(cache_.store("x", 1).changed);
  EXPECT_THAT(log_.lines, testing::Contains(testing::HasSubstr("The cache is damaged")));
}

TEST_F(CacheTest, NamesThatLeaveTheDirectoryOrTakeOurListAreUnsafe) {
  for (const char* name : {"", ".", "..", "../x", "a/b", ".hidden", "os_config_files"})
    EXPECT_FALSE(Cache::is_safe_name(name)) << name;
  EXPECT_FALSE(Cache::is_safe_name(std::string("a\0b", 3)));
  EXPECT_FALSE(Cache::is_safe_name(std::string(300, 'x')));
  for (const char* name : {"ec2", "a.json", "my deployment"}) EXPECT_TRUE(Cache::is_safe_name(name)) << name;
}

TEST_F(CacheTest, TheListHoldsPaths) {
  files_.make_directories("/c/d", 0755);
  cache_.store_list({"a", "b"});
  EXPECT_EQ(data("/c/d/os_config_files.json"), "[\"/c/d/a.json\", \"/c/d/b.json\"]");
}

TEST_F(CacheTest, TheBackupIsAnExactCopy) {
  (void)cache_.store("x", 1);
  files_.put("/b/stale.json", "old");
  cache_.back_up("/b");
  EXPECT_EQ(data("/b/x.json"), "1");
  EXPECT_EQ(data("/b/x.json.orig"), "1");
  EXPECT_EQ(data("/b/stale.json"), "(none)");
}

TEST_F(CacheTest, ABackupThatWouldEatTheCacheIsNotMade) {
  (void)cache_.store("x", 1);
  for (const char* bad : {"/c/d", "/c/d/", "/c", "/", "/c/d/sub"}) cache_.back_up(bad);
  EXPECT_EQ(data("/c/d/x.json"), "1");
  EXPECT_EQ(log_.lines.size(), 5U);
  EXPECT_EQ(files_.directories.count("/c/d/sub"), 0U);
}

TEST_F(CacheTest, AFullDiskAtTheBackupIsOnlyAWarning) {
  (void)cache_.store("x", 1);
  files_.fail_write_after(0);
  cache_.back_up("/b");
  EXPECT_THAT(log_.lines, testing::ElementsAre(testing::StartsWith("WARNING Could not back up the cache")));
}

TEST_F(CacheTest, AFullDiskAtStoringIsAnErrorAndKeepsTheOldContent) {
  (void)cache_.store("x", 1);
  files_.fail_write_after(0);
  EXPECT_THROW((void)cache_.store("x", 2), Error);
  EXPECT_EQ(data("/c/d/x.json"), "1");
}

}  // namespace
}  // namespace hearth::agent
