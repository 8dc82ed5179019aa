#include "bootstrap/conductor/spreading.hpp"

#include <gmock/gmock.h>

#include "base/frames/giving.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SpreadingPlan, NobodyPassesOnMoreThanTheImageOnceAndAllHaveItFromTheHead) {
  for (std::size_t size = 1; size < 300; ++size) {
    std::vector<std::size_t> stripes_given(size);
    for (std::size_t index = 1; index < size; ++index) {
      for (std::size_t stripe = 0; stripe < k_stripes; ++stripe) {
        ++stripes_given[*asked_in_wave(index, size, stripe)];
        std::size_t steps = 0;
        for (std::optional<std::size_t> at = index; *at != 0; at = asked_in_wave(*at, size, stripe)) {
          ASSERT_LT(++steps, 10U) << index << " of " << size;  // a logarithm, and no circle
        }
      }
    }
    for (const std::size_t given : stripes_given) EXPECT_LE(given, k_stripes) << size;
    EXPECT_FALSE(asked_in_wave(0, size, 0));
    for (std::size_t stripe = 0; stripe < k_stripes; ++stripe) EXPECT_LT(last_of_wave(size, stripe), size);
  }
}

TEST(SpreadingPlan, SixtyFourStandSixDeepAndTheLastOfThemHaveRoomForTheNextWave) {
  const auto depth = [](std::size_t index, std::size_t size, std::size_t stripe) {
    std::size_t steps = 0;
    for (std::optional<std::size_t> at = index; *at != 0; at = asked_in_wave(*at, size, stripe)) ++steps;
    return steps;
  };
  std::size_t deepest = 0;
  std::size_t below_last = 0;
  for (std::size_t index = 1; index < 64; ++index) {
    deepest = std::max({deepest, depth(index, 64, 0), depth(index, 64, 1)});
    below_last += asked_in_wave(index, 64, 0) == last_of_wave(64, 0) ? 1 : 0;
  }
  EXPECT_EQ(deepest, 6U);
  EXPECT_LT(below_last, 2U);
}

class SpreadingTest : public ConductorFixture {
 protected:
  static constexpr const char* k_root = "00ff";

  /// A machine whose agent is at its image; its node's UUID.
  std::string machine(int number, const char* root = k_root, const char* version = HEARTH_VERSION) {
    const std::string uuid = add("fake-hardware", cat("52:54:00:00:00:", 10 + number), cat("m", number));
    Node& node = conductor->ledger().edit(uuid);
    if (root != nullptr) node.instance_info = {{"image_os_hash_algo", "hearth-frames"}, {"image_os_hash_value", root}};
    node.internal["agent_secret_token"] = token(number);
    node.internal["agent_url"] = url(number);
    node.internal["agent_version"] = version;
    node.job.kind = JobKind::deploy;
    at(uuid, Stage::write_image);
    return uuid;
  }
  void at(const std::string& uuid, Stage stage) { conductor->ledger().edit(uuid).job.stage = stage; }
  static std::string token(int number) { return cat("token", number); }
  static std::string url(int number) { return cat("http://192.0.2.", number, ":9999"); }
  /// The machines that are named, by number; -1: the seed.
  std::vector<int> numbers(const Json& peers) {
    std::vector<int> found;
    for (const Json& peer : peers) {
      int number = -1;
      for (int i = 0; i < 30; ++i) {
        if (!peer.is_null() && peer["url"] == url(i)) number = i;
      }
      if (number >= 0) {
        EXPECT_EQ(peer["token"], frames::giving_token(token(number), k_root));
      }
      found.push_back(number);
    }
    return found;
  }
  std::vector<int> ordered(const std::string& uuid) { return numbers(spreading.peers_of_order(node(uuid))); }
  std::vector<int> reported(const std::string& uuid, const Json& faults = Json::array()) {
    return numbers(spreading.peers_of_report(node(uuid), faults));
  }
  static Json fault(int number, const char* kind) {
    return Json::array({{{"url", url(number)}, {"fault", kind}, {"what", "block 7 is not the image's"}}});
  }

  Spreading spreading{conductor->ledger(), directory.path()};
};

TEST_F(SpreadingTest, TheFirstHasNobodyToAskAndTheOthersFindTheirPlaceInTheTrees) {
  std::vector<std::string> all;
  for (int i = 0; i < 5; ++i) all.push_back(machine(i));
  EXPECT_THAT(ordered(all[0]), ElementsAre());
  EXPECT_THAT(ordered(all[1]), ElementsAre(0, 0));
  EXPECT_THAT(ordered(all[2]), ElementsAre(1, 0));
  EXPECT_THAT(ordered(all[3]), ElementsAre(1, 2));
  EXPECT_THAT(ordered(all[4]), ElementsAre(3, 2));
  EXPECT_THAT(reported(all[1]), ElementsAre(0, 2));  // there are more by now
  EXPECT_THAT(reported(all[0]), ElementsAre(-1, -1));
  EXPECT_THAT(ordered(all[4]), ElementsAre(3, 2));  // an order that is given again changes nothing
}

TEST_F(SpreadingTest, AnImageThatHasNoRootIsNotSpreadNorIsAnotherImage) {
  EXPECT_THAT(ordered(machine(0)), ElementsAre());
  EXPECT_THAT(ordered(machine(1, nullptr)), ElementsAre());
  EXPECT_THAT(ordered(machine(2, "aa")), ElementsAre());
  EXPECT_THAT(ordered(machine(3)), ElementsAre(0, 0));
}

TEST_F(SpreadingTest, AnAgentOfAnotherVersionIsAskedForNothing) {
  EXPECT_THAT(ordered(machine(0, k_root, "9.9.0")), ElementsAre());
  EXPECT_THAT(ordered(machine(1)), ElementsAre());
  EXPECT_THAT(ordered(machine(2)), ElementsAre(1, 1));
  EXPECT_THAT(ordered(machine(3, k_root, "9.9.0")), ElementsAre(2, 1));  // it may ask, if it knows how to
  EXPECT_THAT(ordered(machine(4)), ElementsAre(2, 1));                   // not 3, which would be next
}

TEST_F(SpreadingTest, WhoComesLaterAsksTheLastOfThoseBefore) {
  std::vector<std::string> all;
  for (int i = 0; i < 8; ++i) {
    if (i == 4 || i == 6) clock.advance(std::chrono::seconds(6));
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  EXPECT_THAT(reported(all[4]), ElementsAre(3, 2));  // of 0 to 3, the last that pass on each stripe
  EXPECT_THAT(reported(all[5]), ElementsAre(4, 4));
  EXPECT_THAT(reported(all[6]), ElementsAre(5, 4));
  EXPECT_THAT(reported(all[7]), ElementsAre(6, 6));
}

TEST_F(SpreadingTest, WhoLeavesOrBeginsAnewIsAskedNoMoreAndThoseBelowAskTheFirstThatHasRoom) {
  std::vector<std::string> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  ASSERT_THAT(reported(all[4]), ElementsAre(3, 2));
  at(all[3], Stage::bootloader);  // it has its image, and is there still
  EXPECT_THAT(reported(all[4]), ElementsAre(3, 2));
  at(all[3], Stage::leave);
  EXPECT_THAT(reported(all[4]), ElementsAre(1, 2));  // who has room, as 3 takes nothing any more
  EXPECT_THAT(reported(all[4]), ElementsAre(1, 2));  // and there it stays
  conductor->ledger().edit(all[5]).internal["agent_secret_token"] = "another";
  conductor->ledger().edit(all[1]).internal["agent_secret_token"] = "another";
  EXPECT_THAT(reported(all[4]), ElementsAre(0, 2));
  conductor->ledger().edit(all[0]).job = {};
  EXPECT_THAT(reported(all[4]), ElementsAre(-1, 2));
  for (const std::string& uuid : all) conductor->ledger().edit(uuid).job = {};
  EXPECT_THAT(ordered(machine(20)), ElementsAre());  // nobody is left: it begins anew
  EXPECT_THAT(ordered(machine(21)), ElementsAre(20, 20));
}

TEST_F(SpreadingTest, WhenAThirdDiesAllLinksHaveAboutAsMuchToCarryAndNobodyComesToWaitForHimself) {
  std::vector<std::string> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  clock.advance(std::chrono::seconds(6));  // nobody comes any more
  const auto is_dead = [](std::size_t index) { return index % 3 == 1; };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_dead(i)) conductor->ledger().edit(all[i]).job = {};
  }
  std::vector<std::vector<int>> asked(all.size());
  std::map<int, std::size_t> stripes_given;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (is_dead(i)) continue;
    asked[i] = reported(all[i]);
    for (const int number : asked[i]) ++stripes_given[number];
  }
  for (const auto& [number, stripes] : stripes_given) {
    EXPECT_GE(number, 0) << "the seed is asked by the first alone";
    EXPECT_FALSE(is_dead(static_cast<std::size_t>(number)));
    EXPECT_LE(stripes, 3U) << number;
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    for (std::size_t stripe = 0; stripe < k_stripes && !is_dead(i); ++stripe) {
      std::size_t steps = 0;
      for (std::size_t at = i; at != 0; at = static_cast<std::size_t>(asked[at][stripe])) ASSERT_LT(++steps, 20U) << i;
    }
  }
}

TEST_F(SpreadingTest, WhoGaveWhatIsWrongIsNamedAndAskedByNobodyAnyMore) {
  std::vector<std::string> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  ASSERT_THAT(reported(all[2]), ElementsAre(1, 0));
  ASSERT_THAT(reported(all[3]), ElementsAre(1, 2));
  EXPECT_THAT(reported(all[3], fault(1, "wrong")), ElementsAre(0, 2));
  EXPECT_THAT(reported(all[2]), ElementsAre(3, 0));  // who has it from 0 by now
  conductor->settle();
  EXPECT_THAT(events(all[3], "agent"),
              ElementsAre(HasSubstr("m1 (http://192.0.2.1:9999) was asked for parts of the image: "
                                    "block 7 is not the image's; nobody asks it any more")));
  EXPECT_THAT(events(all[1], "agent"), ElementsAre(HasSubstr("gave m3 what is not of the image")));
  (void)reported(all[2], fault(1, "wrong"));  // once is enough
  conductor->settle();
  EXPECT_EQ(events(all[1], "agent").size(), 1U);
}

TEST_F(SpreadingTest, WhoIsSlowForOneIsAskedByTheOthers) {
  std::vector<std::string> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  EXPECT_THAT(reported(all[3], fault(1, "slow")), ElementsAre(0, 2));
  EXPECT_THAT(reported(all[2]), ElementsAre(1, 0));
}

TEST_F(SpreadingTest, WhoReachesNobodyIsLeftToTheServerAndTakesNobodyFromTheOthers) {
  std::vector<std::string> all;
  for (int i = 0; i < 12; ++i) {
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  const std::vector<int> before = reported(all[3]);
  for (int times = 0; times < 4; ++times) {
    const std::vector<int> told = reported(all[11]);
    ASSERT_GE(told[0], 0);
    (void)reported(all[11], fault(told[0], "unreached"));
  }
  EXPECT_THAT(reported(all[11]), ElementsAre(-1, -1));
  EXPECT_EQ(reported(all[3]), before);
  for (int i = 1; i < 11; ++i) EXPECT_THAT(reported(all[i]), testing::Not(testing::Contains(-1))) << i;
  conductor->settle();
  const auto told = events(all[11], "agent");
  ASSERT_EQ(told.size(), 5U);
  EXPECT_THAT(told[0], HasSubstr("; it asks others"));
  EXPECT_THAT(told[4], HasSubstr("reaches none of 4 machines that have its image"));
}

TEST_F(SpreadingTest, OnlyThoseThatItWasToldToAskCanBeAccusedAndNotTooManyOfThem) {
  std::vector<std::string> all;
  for (int i = 0; i < 24; ++i) {
    all.push_back(machine(i));
    (void)ordered(all.back());
  }
  (void)reported(all[23], fault(2, "wrong"));  // it was told of others
  (void)reported(all[23], Json("nonsense"));
  (void)reported(all[23], Json::array({nullptr, Json::object()}));
  EXPECT_THAT(reported(all[6]), ElementsAre(13, 2));
  std::set<int> accused;
  for (int i = 0; i < 24; ++i) {
    const std::vector<int> told = reported(all[23]);
    for (const int number : told) {
      if (number >= 0) accused.insert(number);
      if (number >= 0) (void)reported(all[23], fault(number, "gone"));
    }
  }
  EXPECT_LE(accused.size(), 10U);
  EXPECT_THAT(reported(all[23]), ElementsAre(-1, -1));  // likelier it is its own
}

TEST_F(SpreadingTest, AConductorThatStartsAnewTakesThoseThatReport) {
  const std::string first = machine(0);
  const std::string second = machine(1);
  EXPECT_THAT(reported(first), ElementsAre(-1, -1));
  EXPECT_THAT(reported(second), ElementsAre(0, 0));
}

TEST_F(SpreadingTest, AnOrderHasThePeersAndSoHasTheAnswerToAReport) {
  std::vector<std::string> all;
  std::vector<std::string> tokens;
  for (int i = 0; i < 2; ++i) {
    all.push_back(add("fake-hardware", cat("52:54:00:00:00:0", i), cat("m", i)));
    conductor->ledger().edit(all[i]).instance_info = {{"image_source", "http://192.0.2.1/i.frames"},
                                                      {"image_os_hash_algo", "hearth-frames"},
                                                      {"image_os_hash_value", k_root}};
    conductor->verb(all[i], "deploy", {});
    pass(3);
    const Json found = conductor->agents().look_up({node(all[i]).ports.at(0).address}, "", "http://h", url(i));
    tokens.push_back(found["config"]["agent_token"]);
    conductor->agents().heartbeat(
        all[i], {{"callback_url", url(i)}, {"agent_token", tokens[i]}, {"agent_version", HEARTH_VERSION}},
        cat("192.0.2.", i));
    conductor->settle();
    agents.rounds = 100;
    pass(3);
  }
  ASSERT_EQ(node(all[1]).job.stage, Stage::write_image);
  const auto ordered_of = [&](int number) {
    return agents.agents[url(number)].commands.back()["command_params"]["step"]["args"]["image_info"]["peers"];
  };
  EXPECT_EQ(ordered_of(0), Json::array());
  ASSERT_EQ(ordered_of(1).size(), 2U);
  EXPECT_EQ(ordered_of(1)[0]["url"], url(0));
  EXPECT_EQ(ordered_of(1)[0]["token"], frames::giving_token(tokens[0], k_root));
  const Json report = {{"node_uuid", all[1]}, {"agent_token", tokens[1]}, {"fetched", 5}};
  EXPECT_EQ(conductor->agents().progress(report, "192.0.2.1"), nullptr);
  Json with_faults = report;
  with_faults["faults"] = Json::array();
  EXPECT_EQ(conductor->agents().progress(with_faults, "192.0.2.1")["peers"], ordered_of(1));
}

TEST_F(SpreadingTest, MachinesThatWereToldTheFramesOfALoadedImageGiveThemToEachOther) {
  const std::string first = machine(0, nullptr);
  const std::string second = machine(1, nullptr);
  EXPECT_THAT(ordered(first), ElementsAre());
  EXPECT_THAT(ordered(second), ElementsAre()) << "an image by its digest alone";
  for (const std::string& uuid : {first, second}) conductor->ledger().edit(uuid).internal[k_told_root] = k_root;
  EXPECT_THAT(ordered(first), ElementsAre());
  EXPECT_THAT(ordered(second), ElementsAre(0, 0));
  EXPECT_THAT(reported(second), ElementsAre(0, 0));
}

}  // namespace
}  // namespace hearth::bootstrap
