#include "builder/fetch/fetch_plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::builder::fetch {
namespace {

FetchPlan plan(const std::vector<std::string>& words, bool strict = true) {
  std::vector<cli::Option> table = fetch_options();
  table.push_back({"offline", 0, "", ""});
  return make_fetch_plan(cli::parse_options(table, words), "/home/me", strict);
}

TEST(FetchPlan, LeavesTheNetworkAloneUnlessAsked) {
  EXPECT_FALSE(plan({}).mode);
  EXPECT_EQ(plan({"--record"}).mode, FetchMode::record);
  EXPECT_EQ(plan({"--locked"}).mode, FetchMode::locked);
  EXPECT_EQ(plan({"--offline"}).mode, FetchMode::offline);
}

TEST(FetchPlan, FindsTheLockWhereTheUserIs) {
  EXPECT_EQ(plan({"--record"}).lock, "/home/me/hearth.lock");
  EXPECT_EQ(plan({"--record", "--lock", "a/b.lock"}).lock, "/home/me/a/b.lock");
}

TEST(FetchPlan, HasHttpsRecordedUnlessTheUserLetsItPass) {
  EXPECT_FALSE(plan({"--record"}).allow_unrecorded);
  EXPECT_FALSE(plan({"--record", "--intercept-https"}).allow_unrecorded);
  EXPECT_TRUE(plan({"--record", "--allow-unrecorded"}).allow_unrecorded);
}

TEST(FetchPlan, OfDiskImageCreateCutsTheNetworkOnlyWithALock) {
  EXPECT_FALSE(plan({"--offline"}, false).mode);
  EXPECT_EQ(plan({"--offline", "--lock", "x"}, false).mode, FetchMode::offline);
}

TEST(FetchPlan, RefusesWhatContradictsItself) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--record", "--locked"},
                                             {"--record", "--offline"},
                                             {"--locked", "--intercept-https"},
                                             {"--lock", "x"},
                                             {"--locked", "--allow-unrecorded"},
                                             {"--record", "--allow-local", "localhost:http"},
                                             {"--record", "--allow-local", "127.0.0.1:65536"},
                                             {"--record", "--allow-local", "::1"},
                                             {"--record", "--allow-local", ":80"},
                                             {"--record", "--allow-unrecorded", "--intercept-https"}}) {
    EXPECT_THROW((void)plan(words), Error) << words.back();
  }
}

}  // namespace
}  // namespace hearth::builder::fetch
