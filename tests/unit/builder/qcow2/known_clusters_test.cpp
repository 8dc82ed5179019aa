#include "builder/qcow2/known_clusters.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "builder/qcow2/writer.hpp"

namespace hearth::builder::qcow2 {
namespace {

std::string text_of(std::size_t bytes, std::uint64_t state) {
  std::string text;
  while (text.size() < bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += static_cast<char>('a' + (state >> 60U));
  }
  return text;
}

std::string noise_of(std::size_t bytes, std::uint64_t state) {
  std::string noise;
  while (noise.size() < bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    noise += static_cast<char>(state >> 56U);
  }
  return noise;
}

class KnownClustersTest : public testing::Test {
 protected:
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "known-");
  fs::path raw_ = work_.path() / "disk";
  fs::path image_ = work_.path() / "image.qcow2";
  fs::path index_ = work_.path() / "clusters";

  void disk(const std::string& data) const { RealFileSystem().write(raw_, data, {}); }

  /// Beside the earlier image, as a build does it: that stays until the new one is whole.
  std::string write(const WriterOptions& options) const {
    const fs::path next = image_.string() + ".new";
    const Fd out = Fd::open(next.string(), O_CREAT | O_TRUNC | O_RDWR);
    write_qcow2(RawDisk(raw_), out, options);
    fs::rename(next, image_);
    return read_file(image_);
  }
  [[nodiscard]] std::string rebuild(Compression compression = Compression::fast) const {
    return write({.compression = compression, .earlier_image = image_, .index = index_});
  }
  [[nodiscard]] std::string from_nothing(Compression compression = Compression::fast) const {
    const fs::path kept = image_.string() + ".kept";
    if (fs::exists(image_)) fs::rename(image_, kept);
    std::string bytes = write({.compression = compression});
    if (fs::exists(kept)) fs::rename(kept, image_);
    return bytes;
  }
  [[nodiscard]] bool knows(const std::string& cluster, Compression compression = Compression::fast) const {
    const KnownClusters known = KnownClusters::load(index_, image_, compression);
    Marker marker(known.key());
    std::vector<std::uint8_t> room(k_cluster);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(cluster.data());
    return known.find(marker.of({bytes, cluster.size()}), room, marker) != nullptr;
  }
};

const std::string k_one = text_of(k_cluster, 1);
const std::string k_two = text_of(k_cluster, 2);
const std::string k_noise = noise_of(k_cluster, 3);

TEST_F(KnownClustersTest, ARebuiltImageIsTheOneThatIsMadeFromNothing) {
  for (const Compression compression : {Compression::fast, Compression::best, Compression::zstd}) {
    disk(k_one + k_noise + k_two + k_one);
    EXPECT_EQ(rebuild(compression), from_nothing(compression));
    for (const std::string& cluster : {k_one, k_noise, k_two}) EXPECT_TRUE(knows(cluster, compression));
    disk(k_two + std::string(k_cluster, '\0') + text_of(k_cluster, 4) + k_noise + k_one.substr(0, 5000));
    EXPECT_EQ(rebuild(compression), from_nothing(compression));
    EXPECT_TRUE(knows(text_of(k_cluster, 4), compression));
  }
}

TEST_F(KnownClustersTest, WhatWasCompressedIsReallyTakenFromTheEarlierImage) {
  disk(k_one);
  (void)rebuild();
  // An image that holds something else than the codec would make, and an index that vouches for it.
  KnownClusters known = KnownClusters::load(index_, image_, Compression::fast);
  Marker marker(known.key());
  const std::string planted = "planted";
  const auto bytes = [](const std::string& text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  RealFileSystem().write(image_, planted, {});
  save_index(index_, Compression::fast, known.key(), {{marker.of(bytes(k_one)), marker.of(bytes(planted)), 0, 7}});
  EXPECT_THAT(rebuild(), testing::HasSubstr(planted));
}

TEST_F(KnownClustersTest, AnImageThatWasWrittenToIsNotBelieved) {
  disk(k_one + k_two + k_noise);
  const std::string right = rebuild();
  for (std::size_t at = k_cluster; at < right.size(); at += 4099) {
    std::string damaged = right;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    RealFileSystem().write(image_, damaged, {});
    EXPECT_EQ(rebuild(), right) << at;
  }
  RealFileSystem().write(image_, right.substr(0, k_cluster + 100), {});
  EXPECT_FALSE(knows(k_one));
  EXPECT_EQ(rebuild(), right);
  fs::remove(image_);
  EXPECT_EQ(rebuild(), right);
}

TEST_F(KnownClustersTest, ADamagedIndexIsNone) {
  disk(k_one + k_noise);
  const std::string right = rebuild();
  const std::string index = read_file(index_);
  for (std::size_t at = 0; at < index.size(); at += 5) {
    std::string damaged = index;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    RealFileSystem().write(index_, damaged, {});
    EXPECT_EQ(rebuild(), right) << at;
    RealFileSystem().write(index_, index.substr(0, at), {});
    EXPECT_EQ(rebuild(), right) << at;
  }
}

TEST_F(KnownClustersTest, AnotherCodecHasNothingToTake) {
  disk(k_one);
  (void)rebuild(Compression::fast);
  EXPECT_TRUE(knows(k_one, Compression::fast));
  EXPECT_FALSE(knows(k_one, Compression::best));
  EXPECT_EQ(rebuild(Compression::best), from_nothing(Compression::best));
}

TEST_F(KnownClustersTest, TheIndexIsForItsOwnerAndHasItsOwnKey) {
  disk(k_one);
  (void)rebuild();
  struct stat status {};
  ASSERT_EQ(::stat(index_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  const MarkKey key = KnownClusters::load(index_, image_, Compression::fast).key();
  (void)rebuild();
  EXPECT_EQ(KnownClusters::load(index_, image_, Compression::fast).key(), key);
  fs::remove(index_);
  (void)rebuild();
  EXPECT_NE(KnownClusters::load(index_, image_, Compression::fast).key(), key);
}

}  // namespace
}  // namespace hearth::builder::qcow2
