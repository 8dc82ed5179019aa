#include "simulation/fault.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"

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
