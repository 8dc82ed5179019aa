#include "agent/deploy/spread/giving.hpp"

#include <thread>

#include "base/net/own_identity.hpp"
#include "tests/unit/agent/deploy/spread/spread_fixture.hpp"

namespace hearth::agent::deploy {
namespace {

class GivingTest : public testing::Test {
 protected:
  PeerAnswer ask(const Giver& giver, std::vector<Span> spans) {
    return {dialer, clock, giver.peer(image.root), image.root, std::move(spans), {}};
  }
  /// What is said of it; empty: nothing.
  std::string trouble_with(const Peer& peer) {
    try {
      PeerAnswer(dialer, clock, peer, image.root, {image.spans[0]}, {});
      return "";
    } catch (const PeerTrouble& trouble) {
      return trouble.what();
    }
  }

  SystemClock clock;
  Dialer dialer{clock, {}};
  SmallImage image;
};

TEST_F(GivingTest, RangesAreReadStrictly) {
  EXPECT_EQ(parse_spans("bytes=0-63,100-100"), (std::vector<Span>{{0, 63}, {100, 100}}));
  EXPECT_EQ(parse_spans("bytes=0-63, 100-100"), (std::vector<Span>{{0, 63}, {100, 100}}));
  for (const char* bad :
       {"", "bytes=", "bytes=5-", "bytes=-5", "bytes=9-5", "bytes=a-b", "lines=0-5", "bytes=0-5,", "bytes=0-5,x"})
    EXPECT_TRUE(parse_spans(bad).empty()) << bad;
  std::string many = "bytes=0-1";
  for (std::size_t i = 1; i < k_most_spans; ++i) many += ",0-1";
  EXPECT_EQ(parse_spans(many).size(), k_most_spans);
  EXPECT_TRUE(parse_spans(many + ",0-1").empty());
}

TEST_F(GivingTest, FramesComeInTheOrderAskedForAndOneThatIsAwaitedAsSoonAsItIsThere) {
  Giver giver;
  giver.shelf.open(image.root, image.head, image.map, 1U << 30U);
  giver.shelf.put(5, image.frame(5));
  PeerAnswer answer = ask(giver, {image.spans[5], image.spans[2], image.spans[3]});
  EXPECT_EQ(answer.next()->text(), image.stored[5]);
  std::thread later([&] {
    clock.sleep(std::chrono::milliseconds(1500));  // longer than from sign of life to sign of life
    giver.shelf.put(3, image.frame(3));
    giver.shelf.put(2, image.frame(2));
  });
  EXPECT_EQ(answer.next()->text(), image.stored[2]);
  EXPECT_EQ(answer.next()->text(), image.stored[3]);
  EXPECT_EQ(answer.next(), nullptr);
  later.join();
}

TEST_F(GivingTest, AFrameThatWillNotComeEndsTheAnswer) {
  Giver giver;
  image.fill(giver.shelf);
  PeerAnswer answer = ask(giver, {image.spans[0], {image.spans[1].first, image.spans[1].last + 1}, image.spans[2]});
  EXPECT_EQ(answer.next()->text(), image.stored[0]);
  EXPECT_EQ(answer.next(), nullptr);
}

TEST_F(GivingTest, OneRangeIsAnsweredAsManyAre) {
  Giver giver;
  image.fill(giver.shelf);
  PeerAnswer answer = ask(giver, {image.spans[11]});
  EXPECT_EQ(answer.next()->text(), image.stored[11]);
  EXPECT_EQ(answer.next(), nullptr);
}

TEST_F(GivingTest, NobodyIsGivenAnythingWithoutTheTokenForThatImage) {
  Giver giver;
  image.fill(giver.shelf);
  const auto status = [&](const std::string& root, const std::string& authorization, const std::string& own) {
    ServedRequest request{.method = "GET", .path = cat(frames::k_giving_path, root)};
    request.headers = {{"Range", "bytes=0-63"}, {"Authorization", authorization}};
    return give_frames(request, own, giver.shelf).status;
  };
  const std::string good = cat("Bearer ", frames::giving_token("own", image.root));
  EXPECT_EQ(status(image.root, good, "own"), 206);
  EXPECT_EQ(status("another", good, "own"), 401);
  EXPECT_EQ(status(image.root, "Bearer own", "own"), 401);
  EXPECT_EQ(status(image.root, cat("Bearer ", frames::giving_token("other's", image.root)), "own"), 401);
  EXPECT_EQ(status(image.root, "", "own"), 401);
  EXPECT_EQ(status(image.root, cat("Bearer ", frames::giving_token("", image.root)), ""), 401);
}

TEST_F(GivingTest, WhoDoesNotAnswerAsAGiverDoesIsTrouble) {
  Giver giver;
  Peer peer = giver.peer(image.root);
  EXPECT_EQ(trouble_with(peer), "");
  peer.token = "no";
  EXPECT_NE(trouble_with(peer).find("it answers 401"), std::string::npos);
  RestServer other(0, [](const ServedRequest&) { return ServedResponse{.status = 200, .body = "an image"}; });
  EXPECT_NE(trouble_with({cat("http://127.0.0.1:", other.port()), "t", ""}).find("it answers 200"), std::string::npos);
  EXPECT_NE(trouble_with({"http://127.0.0.1:1", "t", ""}).find("refused"), std::string::npos);
}

TEST_F(GivingTest, ByTlsFramesComeAsTheyDoWithout) {
  const TlsIdentity identity("127.0.0.1");
  Giver giver({}, &identity);
  image.fill(giver.shelf);
  const TempDir directory = TempDir::create("/tmp", "hearth-giving-");
  const std::string certificate = (directory.path() / "agent.pem").string();
  RealFileSystem().write(certificate, identity.certificate(), {});
  Peer peer = giver.peer(image.root);
  peer.url = cat("https://127.0.0.1:", giver.port());
  peer.pin = key_pin(certificate);
  const MonotonicTime began = clock.now();
  PeerAnswer answer(dialer, clock, peer, image.root, image.spans, {});
  for (const std::string& stored : image.stored) EXPECT_TRUE(answer.next()->text() == stored);
  EXPECT_EQ(answer.next(), nullptr);
  EXPECT_LT(clock.now() - began, std::chrono::seconds(2)) << "no end of a frame is waited for in vain";
}

TEST_F(GivingTest, ByTlsAGiverIsWhoHasTheKeyThatTheConductorTold) {
  const TlsIdentity identity("127.0.0.1");
  Giver giver({}, &identity);
  image.fill(giver.shelf);
  Peer peer = giver.peer(image.root);
  peer.url = cat("https://127.0.0.1:", giver.port());
  peer.pin = std::string(64, 'a');
  EXPECT_NE(trouble_with(peer), "");
  const std::string told = trouble_with(peer);
  EXPECT_NE(told.find("key"), std::string::npos) << told;
  EXPECT_EQ(giver.asked, 0);  // nothing was said to it, the token least of all
}

}  // namespace
}  // namespace hearth::agent::deploy
