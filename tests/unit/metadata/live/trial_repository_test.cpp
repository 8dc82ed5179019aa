#include "metadata/live/trial_repository.hpp"

#include <gtest/gtest.h>

#include "metadata/engine/sql_repository.hpp"

namespace hearth::metadata::live {
namespace {

TEST(TrialRepository, IsTheRealOneUntilItIsACopysAndThenReadsAndKeepsNothing) {
  SqlRepository real(":memory:");
  TrialRepository kept(real);
  kept.set("a", "1");
  kept.put_object("o", {"body", "text/plain", 1});
  EXPECT_EQ(kept.setting("a"), "1");
  EXPECT_TRUE(kept.object("o"));
  EXPECT_FALSE(kept.was_asked());

  kept.detach();
  kept.set("a", "2");
  kept.unset("a");
  kept.put_object("p", {"body", "text/plain", 1});
  kept.remove("tree");
  EXPECT_FALSE(kept.was_asked()) << "what is written is not missed";
  EXPECT_EQ(kept.setting("a"), "");
  EXPECT_TRUE(kept.was_asked());
  EXPECT_FALSE(kept.object("o"));
  EXPECT_FALSE(kept.remove_object("o"));
  EXPECT_TRUE(kept.settings_below("a").empty());
  EXPECT_TRUE(kept.events({{"s"}, "", 0, 0}).empty());

  EXPECT_EQ(real.setting("a"), "1");
  EXPECT_TRUE(real.object("o"));
  EXPECT_FALSE(real.object("p"));
}

TEST(TrialRepository, ACopyHasWhatWasBroughtForItAndNothingElse) {
  SqlRepository real(":memory:");
  TrialRepository kept(real);
  kept.set("snapshot/i/1", "first");
  kept.set("snapshot/j/1", "another's");
  kept.bring("snapshot/j/");
  kept.bring("snapshot/i/");
  kept.detach();
  EXPECT_EQ(kept.settings_below("snapshot/i/"), std::vector<std::string>{"first"});
  EXPECT_FALSE(kept.was_asked());
  EXPECT_TRUE(kept.settings_below("snapshot/j/").empty());
  EXPECT_TRUE(kept.was_asked());
}

}  // namespace
}  // namespace hearth::metadata::live
