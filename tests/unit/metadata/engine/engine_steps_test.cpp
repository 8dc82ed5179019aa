// Steps that are made beside all else: what others do and see meanwhile.
#include "base/text.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

class EngineStepsTest : public EngineTest {
 protected:
  EngineStepsTest() {
    engine_->set_apart({[this] { return is_here_; },
                        [this](const std::function<void()>& work) {
                          work();
                          if (!is_here_ || !meanwhile_) return;
                          is_here_ = false;  // others have the turn
                          std::exchange(meanwhile_, {})();
                          is_here_ = true;
                        }});
  }
  /// The next step is made apart, and this happens before it is kept.
  void meanwhile(std::function<void()> others) {
    is_here_ = true;
    meanwhile_ = std::move(others);
  }
  static std::string value(int number) { return cat(R"({"v": {"properties": {"v": )", number, R"(}}})"); }

  bool is_here_ = false;
  std::function<void()> meanwhile_;
};

TEST_F(EngineStepsTest, UntilItIsKeptATreeIsAsItWasBefore) {
  meanwhile([this] { EXPECT_THROW((void)engine_->find("s1"), EngineError); });
  const std::string id = create("s1", k_one_server);
  const Json before = metadata("s1", "s");
  meanwhile([&] {
    EXPECT_TRUE(engine_->is_apart(id));
    EXPECT_EQ(metadata("s1", "s"), before);
    EXPECT_EQ(status("s1"), "CREATE_IN_PROGRESS");
    (void)create("other", k_one_server);
    engine_->tick();
  });
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  EXPECT_FALSE(engine_->is_apart(id));
  EXPECT_EQ(metadata("s1", "s")["deployments"][0]["inputs"]["in"], "42");
  meanwhile([] {});
  (void)engine_->signal(id, "d2", Json::object());
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
  restart();
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
  EXPECT_EQ(status("other"), "CREATE_IN_PROGRESS");
}

TEST_F(EngineStepsTest, WhatWasChangedMeanwhileIsChangedFromThere) {
  const std::string id =
      create("s1", R"({"s": {"role": "server"}, "a": {"role": "deployment", "server": "s", "needs": ["s"]},
      "b": {"role": "deployment", "server": "s", "needs": ["s"]}})");
  meanwhile([&] { (void)engine_->signal(id, "a", Json::object()); });
  (void)engine_->signal(id, "b", Json::object());
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE") << "neither of both is lost";
  restart();
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
}

TEST_F(EngineStepsTest, ARunningUpdateKnowsWhatWasBeforeWhereItGoesOnMeanwhile) {
  const std::string with = R"({"s": {"role": "server"}, "a": {"role": "deployment", "server": "s", "needs": ["s"]},
      "old": {"role": "fixed", "properties": {"v": 1}}})";
  const std::string id = create("s1", with);
  (void)engine_->signal(id, "a", Json::object());
  engine_->update(id, body(R"({"s": {"role": "server"},
      "a": {"role": "deployment", "server": "s", "needs": ["s"], "properties": {"v": 2}},
      "b": {"role": "deployment", "server": "s", "needs": ["s"]}})"));
  EXPECT_EQ(status("s1"), "UPDATE_IN_PROGRESS");
  meanwhile([&] { (void)engine_->signal(id, "a", Json::object()); });
  (void)engine_->signal(id, "b", Json::object());
  EXPECT_EQ(status("s1"), "UPDATE_COMPLETE");
  EXPECT_EQ(engine_->find(id).live->tree.find_path("old"), k_none);
}

TEST_F(EngineStepsTest, TwoOfOneNameAreNotMade) {
  meanwhile([this] { (void)create("s1", value(1)); });
  EXPECT_THROW((void)create("s1", value(2)), EngineError);
  EXPECT_EQ(engine_->trees().size(), 1U);
  restart();
  EXPECT_EQ(engine_->trees().size(), 1U);
}

TEST_F(EngineStepsTest, WhatIsGoneMeanwhileIsNotChanged) {
  const std::string id = create("s1", value(1));
  meanwhile([&] { engine_->act(id, Action::erase); });
  EXPECT_THROW(engine_->update(id, body(value(2))), EngineError);
  is_here_ = false;
  EXPECT_TRUE(engine_->trees().empty());
}

TEST_F(EngineStepsTest, WhatIsRefusedLeavesTheTreeAsItWas) {
  const std::string id = create("s1", k_one_server);
  meanwhile([] {});
  EXPECT_THROW(engine_->act(id, Action::suspend), EngineError);
  (void)engine_->signal(id, "d1", Json::parse(R"({"result": "42"})"));
  (void)engine_->signal(id, "d2", Json::object());
  EXPECT_EQ(status("s1"), "CREATE_COMPLETE");
}

}  // namespace
}  // namespace hearth::metadata::live
