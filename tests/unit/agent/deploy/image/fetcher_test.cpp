#include "agent/deploy/image/fetcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "agent/deploy/image/write_pool.hpp"
#include "base/error.hpp"
#include "tests/fakes/no_threads.hpp"

namespace hearth::agent::deploy {
namespace {

/// A file of `size` bytes, each other than its neighbours.
class PatternSource final : public ByteSource {
 public:
  explicit PatternSource(std::size_t size) : bytes_(size, '\0') {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<char>((i * 7 + i / 251) % 256);
  }
  std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  std::optional<std::string> piece(std::uint64_t offset, std::uint64_t length) override {
    return bytes_.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// The window over such a file, whose header has been looked at.
struct OpenedFile {
  explicit OpenedFile(std::size_t size) : source(size) { (void)window.peek(8); }

  /// Of a piece with its last byte changed, or as it is.
  std::string piece(std::uint64_t offset, std::uint64_t length, bool changed) {
    std::string bytes = source.piece(offset, length).value();
    if (changed) bytes.back() = static_cast<char>(bytes.back() + 1);
    return bytes;
  }

  PatternSource source;
  std::atomic<std::uint64_t> fetched{0};
  Fetcher fetcher{source, std::nullopt, fetched};
  Window window{fetcher};
};

constexpr std::size_t k_three_blocks = 3 * k_block;

TEST(Fetcher, WithoutRoomForItsThreadsItFailsAndEndsNothing) {
  PatternSource source(k_three_blocks);
  std::atomic<std::uint64_t> fetched{0};
  for (const std::size_t first : {0U, 1U}) {
    const fakes::NoThreads none(first);
    EXPECT_THROW(Fetcher(source, HashKind::sha256, fetched), Error) << first;
  }
  EXPECT_EQ(fetched, 0U);
}

TEST(WritePool, FewerThreadsThanWantedDoTheWorkAndNoneIsAnError) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan maps memory of its own for each thread, beside the limit that lets one start";
#endif
  int done = 0;
  {
    const fakes::NoThreads but_one(1);
    WritePool pool(4);
    for (int i = 0; i < 100; ++i) pool.add([&done](Workbench&) { ++done; });
    pool.finish();
  }
  EXPECT_EQ(done, 100);
  const fakes::NoThreads none;
  EXPECT_THROW(WritePool(4), Error);
}

TEST(Window, WhatCameByItselfMustBeWhatTheFileHas) {
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{100}, k_block - 10, 2 * k_block + 5}) {
    OpenedFile file(k_three_blocks);
    file.window.expect(offset, file.piece(offset, 64, false));
    EXPECT_NO_THROW(file.window.finish()) << offset;
  }
}

TEST(Window, AChangedByteIsFoundWhereverItLies) {
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{100}, k_block - 10, 2 * k_block + 5}) {
    OpenedFile file(k_three_blocks);
    EXPECT_THROW(
        {
          file.window.expect(offset, file.piece(offset, 64, true));
          file.window.finish();
        },
        Error)
        << offset;
  }
}

TEST(Window, ItIsAlsoComparedWhereTheDecoderSkipsIt) {
  OpenedFile file(k_three_blocks);
  file.window.expect(k_block + 17, file.piece(k_block + 17, 64, true));
  EXPECT_THROW((void)file.window.at(2 * k_block + 100, 8), Error);
}

/// A qcow2's first table that lies about itself, and is then asked for again as one of the second, truthfully.
TEST(Window, TheTruthAboutAPlaceIsNoExcuseForALieAboutIt) {
  for (const std::uint64_t longer : {std::uint64_t{64}, std::uint64_t{4096}}) {
    OpenedFile file(k_three_blocks);
    file.window.expect(k_block + 17, file.piece(k_block + 17, 64, true));
    file.window.expect(k_block + 17, file.piece(k_block + 17, longer, false));
    EXPECT_THROW(file.window.finish(), Error) << longer;
  }
}

TEST(Window, APieceBehindTheEndIsNoPartOfTheFile) {
  OpenedFile file(k_three_blocks);
  file.window.expect(k_three_blocks - 4, std::string(8, 'x').replace(0, 4, file.piece(k_three_blocks - 4, 4, false)));
  EXPECT_THROW(file.window.finish(), Error);
}

}  // namespace
}  // namespace hearth::agent::deploy
