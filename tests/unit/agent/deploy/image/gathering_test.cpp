#include "agent/deploy/image/gathering.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/agent/deploy/spread/spread_fixture.hpp"

namespace hearth::agent::deploy {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// The image's own server.
class Seed final : public ByteSource {
 public:
  explicit Seed(const std::string& file, std::atomic<int>& asked) : file_(file), asked_(asked) {}
  std::size_t read(std::span<char>) override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return file_.size(); }
  std::optional<std::string> piece(std::uint64_t offset, std::uint64_t length) override {
    ++asked_;
    return file_.substr(offset, length);
  }

 private:
  const std::string& file_;
  std::atomic<int>& asked_;
};

class GatheringTest : public testing::Test {
 protected:
  GatheringTest() { RealFileSystem().write(path, std::string(image.head.disk_size, '\xaa'), {}); }

  /// The disk afterwards.
  std::string gather(PeerPlan plan) {
    spread.peers.begin(std::move(plan));
    DiskTarget disk(path);
    WritePool pool(1);
    if (disk_stalls > Duration(0)) pool.add([this](Workbench&) { clock.sleep(disk_stalls); });
    Writing to{disk, pool, written, "image", &spread.shelf, room};
    std::size_t front = 0;
    const FrameWritingPtr writing = begin_frames(
        to, [](const std::string&, std::string_view) {},
        [&](std::size_t size) {
          front += size;
          return image.file.substr(front - size, size);
        });
    Gathering::Seeds seeds;
    for (std::size_t i = 0; i < 2; ++i) seeds.push_back(std::make_unique<Seed>(image.file, from_seed));
    Gathering(writing, image.root, spread, {dialer, clock, [this](const std::string& text) { say(text); }, patience},
              {fetched, from_peers})
        .run(seeds);
    came_at = clock.now();
    end_frames(writing);
    pool.finish();
    disk.commit();
    return read_file(path);
  }
  void say(const std::string& text) {
    const std::lock_guard guard(lock);
    said += text + "\n";
  }
  /// How a giver's parts are changed: `nth` counts them from 0; nothing: it hangs up.
  static std::function<Giver::Parts(Giver::Parts)> changing(
      std::function<std::optional<std::string>(int nth, std::string part)> change) {
    return [change = std::move(change)](const Giver::Parts& parts) -> Giver::Parts {
      return [change, parts, nth = 0, kept = std::string()]() mutable -> std::string_view {
        const std::optional<std::string> changed = change(nth++, std::string(parts()));
        kept = changed.value_or("");
        return kept;
      };
    };
  }

  SystemClock clock;
  Dialer dialer{clock, {}};
  SmallImage image;
  TempDir directory = TempDir::create("/tmp", "hearth-gathering-");
  std::string path = (directory.path() / "disk").string();
  Patience patience{std::chrono::seconds(5), std::chrono::seconds(5), 1U << 20U, std::chrono::seconds(5)};
  Duration disk_stalls{0};
  std::uint64_t room = 1U << 30U;
  MonotonicTime came_at{};
  Spread spread;
  std::atomic<std::uint64_t> written{0}, fetched{0}, from_peers{0};
  std::atomic<int> from_seed{0};
  std::mutex lock;
  std::string said;
};

TEST_F(GatheringTest, WhoHasPeersThatHaveAllAsksTheSeedForNothing) {
  Giver giver;
  image.fill(giver.shelf);
  EXPECT_TRUE(gather({giver.peer(image.root), giver.peer(image.root)}) == image.disk);
  EXPECT_EQ(from_seed, 0);
  EXPECT_EQ(giver.asked, 2);  // once for each stripe
  EXPECT_EQ(from_peers, 12 * image.head.block_size);
  EXPECT_EQ(fetched, from_peers);
  EXPECT_EQ(said, "");
  EXPECT_EQ(spread.shelf.look(image.root, image.spans[7], milliseconds(1)).bytes->text(),
            image.stored[7]);  // for others
}

TEST_F(GatheringTest, AStripeWithoutAPeerComesFromTheSeed) {
  Giver giver;
  image.fill(giver.shelf);
  EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(from_seed, 6);
  EXPECT_EQ(from_peers, 6 * image.head.block_size);
}

TEST_F(GatheringTest, WhoGivesSomethingElseCostsOneBlockIsNamedAndAskedNoMore) {
  Giver honest;
  image.fill(honest.shelf);
  Giver liar(changing([](int nth, std::string part) {
    if (nth == 3) part[100] ^= 1;  // the second frame's bytes
    return part;
  }));
  image.fill(liar.shelf);
  int blamed = 0;
  spread.peers.blamed = [&blamed] { ++blamed; };
  EXPECT_TRUE(gather({honest.peer(image.root), liar.peer(image.root)}) == image.disk);
  EXPECT_EQ(blamed, 1) << "the conductor is to hear of it at once";
  EXPECT_EQ(from_seed, 5);
  EXPECT_EQ(liar.asked, 1);
  EXPECT_THAT(said,
              HasSubstr(cat("from ", liar.peer(image.root).url, ": block 4 is not the image's; it is asked no more")));
  const Json faults = spread.peers.take_faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0]["fault"], "wrong");
  EXPECT_EQ(faults[0]["url"], liar.peer(image.root).url);
}

TEST_F(GatheringTest, WhoLiesToBothStripesIsNamedOnce) {
  Giver liar(changing([](int nth, std::string part) {
    if (nth % 2 == 1) part[100] ^= 1;
    return part;
  }));
  image.fill(liar.shelf);
  EXPECT_TRUE(gather({liar.peer(image.root), liar.peer(image.root)}) == image.disk);
  EXPECT_EQ(from_seed, 12);
  EXPECT_EQ(spread.peers.take_faults().size(), 1U);
  EXPECT_EQ(said.find("is not the image's"), said.rfind("is not the image's"));
}

TEST_F(GatheringTest, WhoGivesAnotherFrameOfTheImageIsWrongToo) {
  Giver giver(changing([this](int nth, std::string part) { return nth == 1 ? image.stored[4] : part; }));
  image.fill(giver.shelf);
  EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(spread.peers.take_faults()[0]["fault"], "wrong");
}

TEST_F(GatheringTest, WhoAnswersWithOtherRangesOrNonsenseIsWrong) {
  for (const std::string& with : {std::string("Content-Range: bytes 0-5/*\r\n\r\nabcdef"),
                                  std::string("\r\n--other\r\n"), std::string(100000, 'x')}) {
    Giver giver(changing([&with](int nth, const std::string& part) {
      return nth == 0 && part.find("--") != std::string::npos && with.starts_with("Content")
                 ? part.substr(0, part.find("Content")) + with
                 : with;
    }));
    image.fill(giver.shelf);
    EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
    EXPECT_EQ(from_seed.exchange(0), 12);
    EXPECT_EQ(spread.peers.take_faults()[0]["fault"], "wrong") << with.substr(0, 60);
    written = 0;
  }
}

TEST_F(GatheringTest, WhoDiesInTheMidstOfAFrameOrBetweenThemIsGone) {
  for (const int dies_at : {2, 3, 4}) {
    Giver giver(changing([dies_at](int nth, std::string part) -> std::optional<std::string> {
      if (nth == dies_at && part.size() > 5000) return part.substr(0, 5000);
      if (nth >= dies_at) return std::nullopt;
      return part;
    }));
    image.fill(giver.shelf);
    EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
    EXPECT_EQ(from_seed.exchange(0), 6 + 6 - dies_at / 2) << dies_at;
    EXPECT_THAT(said, HasSubstr("it has hung up; it is asked no more, the seed is"));
    EXPECT_EQ(spread.peers.take_faults()[0]["fault"], "gone");
    written = 0;
  }
}

TEST_F(GatheringTest, WhoIsNotThereOrGivesNothingIsGone) {
  RestServer nothing(0, [](const ServedRequest&) { return ServedResponse{.status = 404}; });
  const Peer refuses{cat("http://127.0.0.1:", nothing.port()), "t", ""};
  from_peers = 1;  // others were reached
  EXPECT_TRUE(gather({refuses, Peer{"http://127.0.0.1:1", "t1", ""}}) == image.disk);
  EXPECT_EQ(from_seed, 12);
  const Json faults = spread.peers.take_faults();
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0]["fault"], "gone");
  EXPECT_EQ(faults[1]["fault"], "gone");
}

TEST_F(GatheringTest, WhoHasReachedNobodySoFarDoesNotSayThatTheOthersAreGone) {
  EXPECT_TRUE(gather({Peer{"http://127.0.0.1:1", "t", ""}, std::nullopt}) == image.disk);
  const Json faults = spread.peers.take_faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0]["fault"], "unreached");
}

TEST_F(GatheringTest, WhoTalksWithoutEndBeforeAFrameIsWrong) {
  Giver giver(changing([](int nth, const std::string& part) {
    std::string fields;
    for (int i = 0; i < 500 && nth > 0; ++i) fields += "Field: x\r\n";
    return nth == 0 ? part.substr(0, part.find("Content-Type")) : fields;
  }));
  image.fill(giver.shelf);
  patience.bytes_a_second = 1;  // it would be waited for, for days
  EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(spread.peers.take_faults()[0]["fault"], "wrong");
  EXPECT_EQ(from_seed, 12);
}

TEST_F(GatheringTest, WhoNeverHasWhatItIsAskedForIsAskedNoMoreAfterSome) {
  image = SmallImage(40);
  RealFileSystem().write(path, std::string(image.head.disk_size, '\xaa'), {});
  Giver giver;
  giver.shelf.open(image.root, image.head, image.map, 1U << 30U);
  giver.shelf.close();
  EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(giver.asked, 8);
  EXPECT_EQ(from_seed, 40);
  const Json faults = spread.peers.take_faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0]["fault"], "slow");
}

TEST_F(GatheringTest, WhoseOwnDiskHeldUpAGiverDoesNotBlameItForHangingUp) {
  disk_stalls = milliseconds(600);
  room = 0;
  patience.dawdling = milliseconds(200);
  std::atomic<bool> hung_up{false};
  Giver giver(changing([&hung_up](int nth, std::string part) -> std::optional<std::string> {
    if (nth == 10 && !hung_up.exchange(true)) return std::nullopt;
    return part;
  }));
  image.fill(giver.shelf);
  EXPECT_TRUE(gather({giver.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_TRUE(hung_up);
  EXPECT_EQ(said, "");
  EXPECT_TRUE(spread.peers.take_faults().empty());
  EXPECT_EQ(giver.asked, 2);
  EXPECT_EQ(from_seed, 6);  // of the other stripe
}

TEST_F(GatheringTest, ASlowDiskKeepsNobodyFromGettingFrames) {
  disk_stalls = milliseconds(3000);
  Giver giver;
  image.fill(giver.shelf);
  const MonotonicTime began = clock.now();
  EXPECT_TRUE(gather({giver.peer(image.root), giver.peer(image.root)}) == image.disk);
  EXPECT_LT(came_at - began, milliseconds(2000)) << "all frames are on the shelf before the disk has any";
  EXPECT_GE(clock.now() - began, milliseconds(3000));
}

TEST_F(GatheringTest, FramesOfAStreamAreVerifiedForOthersBeforeTheyAreWritten) {
  DiskTarget disk(path);
  WritePool pool(1);
  Writing to{disk, pool, written, "image", &spread.shelf, room};
  std::size_t front = 0;
  const FrameWritingPtr writing = begin_frames(
      to, [](const std::string&, std::string_view) {},
      [&](std::size_t size) {
        front += size;
        return image.file.substr(front - size, size);
      });
  pool.add([this](Workbench&) { clock.sleep(milliseconds(200)); });
  pool.follow([this](Workbench&) { clock.sleep(milliseconds(3000)); });  // a block that is being written
  for (std::size_t frame = 0; frame < image.map.size(); ++frame) add_frame(writing, frame, image.frame(frame), false);
  EXPECT_EQ(spread.shelf.look(image.root, image.spans.back(), milliseconds(2000)).found, Shelf::Found::here);
  EXPECT_LT(written, image.disk.size());
  end_frames(writing);
  pool.finish();
  disk.commit();
  EXPECT_TRUE(read_file(path) == image.disk);
}

TEST_F(GatheringTest, WhoFallsSilentIsGoneAndWhoOnlySaysThatItWaitsIsSlow) {
  patience.silence = milliseconds(300);
  Giver silent(changing([this](int nth, std::string part) {
    if (nth == 2) clock.sleep(milliseconds(900));
    return part;
  }));
  image.fill(silent.shelf);
  EXPECT_TRUE(gather({silent.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(spread.peers.take_faults()[0]["fault"], "gone");
  EXPECT_EQ(from_seed.exchange(0), 11);
  written = 0;
  patience.silence = std::chrono::seconds(2);  // signs of life are a second apart
  Giver waits;
  waits.shelf.open(image.root, image.head, image.map, 1U << 30U);
  waits.shelf.put(0, image.frame(0));
  EXPECT_TRUE(gather({waits.peer(image.root), std::nullopt}) == image.disk);
  const Json faults = spread.peers.take_faults();
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0]["fault"], "slow");
  EXPECT_THAT(faults[0]["what"].get<std::string>(), HasSubstr("it has had nothing for us for too long"));
  EXPECT_EQ(from_seed, 11);
}

TEST_F(GatheringTest, WhoTricklesIsSlow) {
  patience.silence = milliseconds(600);
  Giver trickling([this](const Giver::Parts& parts) -> Giver::Parts {
    return [this, parts, kept = std::string(), at = std::size_t{0}]() mutable -> std::string_view {
      if (at >= kept.size()) kept = parts(), at = 0;
      if (kept.size() < 5000) return at = kept.size(), std::string_view(kept);
      clock.sleep(milliseconds(100));
      at += 1000;
      return std::string_view(kept).substr(at - 1000, 1000);
    };
  });
  image.fill(trickling.shelf);
  EXPECT_TRUE(gather({trickling.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(spread.peers.take_faults()[0]["fault"], "slow");
  EXPECT_EQ(from_seed, 12);
}

TEST_F(GatheringTest, OneThatHasForgottenAFrameIsAskedForTheOthers) {
  Giver giver;
  image.fill(giver.shelf, 6 * image.head.block_size);  // the second half of them
  EXPECT_TRUE(gather({giver.peer(image.root), giver.peer(image.root)}) == image.disk);
  EXPECT_EQ(from_seed, 6);
  EXPECT_EQ(said, "");
}

TEST_F(GatheringTest, ANewPlanHoldsFromTheNextFrameOn) {
  Giver second;
  image.fill(second.shelf);
  Giver first(changing([&](int nth, std::string part) {
    if (nth == 2) spread.peers.follow({second.peer(image.root), std::nullopt});
    return part;
  }));
  image.fill(first.shelf);
  EXPECT_TRUE(gather({first.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_EQ(from_seed, 6);
  EXPECT_EQ(second.asked, 1);
  EXPECT_EQ(said, "");
}

TEST_F(GatheringTest, ANewPlanHoldsForWhoIsWaitedForToo) {
  patience.bytes_a_second = 4U << 10U;  // it would be waited for for a minute
  Giver second;
  image.fill(second.shelf);
  Giver first(changing([&](int nth, std::string part) {
    if (nth == 3) spread.peers.follow({second.peer(image.root), std::nullopt});
    return part;
  }));
  first.shelf.open(image.root, image.head, image.map, 1U << 30U);
  first.shelf.put(0, image.frame(0));
  const MonotonicTime began = clock.now();
  EXPECT_TRUE(gather({first.peer(image.root), std::nullopt}) == image.disk);
  EXPECT_LT(clock.now() - began, std::chrono::seconds(30));
  EXPECT_EQ(from_seed, 6);
  EXPECT_EQ(second.asked, 1);
  EXPECT_EQ(said, "");
}

TEST_F(GatheringTest, ASeedWhoseFramesAreWrongEndsTheWholeAndNothingOfThemIsWritten) {
  image = SmallImage(40);  // what is in the first mebibyte is not written before all is there
  RealFileSystem().write(path, std::string(image.head.disk_size, '\xaa'), {});
  constexpr std::size_t k_wrong = 21;
  const std::uint32_t block = image.map[k_wrong].block;
  image.file[image.spans[k_wrong].first] ^= 1;
  try {
    (void)gather({std::nullopt, std::nullopt});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(cat("block ", block, " is not what the image's map says")));
  }
  EXPECT_EQ(read_file(path).substr(std::size_t{block} * image.head.block_size, image.head.block_size),
            std::string(image.head.block_size, '\xaa'));
}

}  // namespace
}  // namespace hearth::agent::deploy
