#include "simulation/fault.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "tests/simulation/shrunk.hpp"

namespace hearth::simulation {
namespace {

TEST(Faults, AreReadAsTheyAreWritten) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    const std::vector<Fault> faults = faults_of(seed, 20, std::chrono::minutes(40));
    std::vector<std::string> texts;
    for (const Fault& fault : faults) texts.push_back(text_of(fault));
    const auto read = parse_faults(join(texts, ","));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(*read, faults);
  }
  EXPECT_NE(parse_faults("flood:node1@1+2").error().find("kill-conductor"), std::string::npos);
  EXPECT_FALSE(parse_faults("hung-bmc@1+2"));
  EXPECT_FALSE(parse_faults("full-disk:node1@1+2"));
  EXPECT_FALSE(parse_faults("hung-bmc:node0@1+2"));
}

TEST(Faults, OfOneThatIsNoneItIsSaidWhichPartIsWrong) {
  const std::vector<std::string> machines = {"srv-a1", "srv-b2"};
  const auto wrong = [&](const char* text) { return parse_faults(text, machines).error(); };
  EXPECT_EQ(wrong("power-los:srv-a1@200+0"), "'power-los' is no kind of fault; did you mean power-loss?");
  EXPECT_EQ(wrong("power-loss:srv-b3@200+0"), "there is no machine 'srv-b3'; did you mean srv-b2?");
  EXPECT_EQ(wrong("power-loss:web@200+0"), "there is no machine 'web': there are srv-a1, srv-b2");
  EXPECT_EQ(wrong("power-loss@200+0"), "power-loss is of a machine: power-loss:MACHINE@SECONDS+SECONDS");
  EXPECT_EQ(wrong("full-disk:srv-a1@200+0"), "full-disk is of no one machine: full-disk@SECONDS+SECONDS");
  EXPECT_EQ(wrong("full-disk@soon"),
            "'full-disk@soon': behind its kind @SECONDS+SECONDS is expected, when and how long");
}

TEST(Faults, AreShrunkToThoseThatAreNeeded) {
  const std::vector<Fault> all = faults_of(17, 20, std::chrono::minutes(40));
  ASSERT_GT(all.size(), 5U);
  const auto needs = [&](const std::vector<Fault>& faults) {
    const auto has = [&](const Fault& one) { return std::find(faults.begin(), faults.end(), one) != faults.end(); };
    return has(all[1]) && has(all[4]);
  };
  EXPECT_EQ(shrunk(all, needs), (std::vector<Fault>{all[1], all[4]}));
}

}  // namespace
}  // namespace hearth::simulation
