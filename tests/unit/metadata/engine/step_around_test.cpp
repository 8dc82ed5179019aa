#include "metadata/engine/step_around.hpp"

#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

TEST_F(EngineTest, WhatAStepTakesIsTakenWhenItIsKept) {
  (void)create("s1", k_one_server);
  const LiveTree& live = *engine_->find("s1").live;
  const std::string key = at("s1", "s").data.key;
  StepAround around(*engine_);
  around.forget(live.tree, at("s1", "s"));
  EXPECT_TRUE(engine_->is_steady(key)) << "the step may not come to its end";
  const Changes changes = around.all({});
  ASSERT_EQ(changes.settings.size(), 1U);
  EXPECT_EQ(changes.settings[0].first, "retired/" + key);
  for (const std::function<void()>& follows : changes.when_kept) follows();
  EXPECT_FALSE(engine_->is_steady(key));
  EXPECT_TRUE(around.all({}).when_kept.empty()) << "once";
}

TEST_F(EngineTest, AStepThatIsMadeApartLooksAtNothingThatOthersChange) {
  const std::string id = create("s1", k_one_server);
  StepAround around(*engine_);
  StepAround apart(*engine_);
  apart.be_apart();
  clock_.advance(std::chrono::seconds(1000));
  (void)engine_->resource(id, "s");
  EXPECT_TRUE(around.is_polling(at("s1", "s")));
  EXPECT_FALSE(apart.is_polling(at("s1", "s")));
}

}  // namespace
}  // namespace hearth::metadata::live
