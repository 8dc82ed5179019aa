#include "builder/layers/chain.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A store in memory; a step's only fact is what it must hold: "good" does.
class ChainTest : public testing::Test {
 protected:
  /// Keeps a layer over `planned` (separated by blanks) on top of `parent`; returns its id.
  std::string keep(const std::string& parent, const std::string& planned, const std::string& fact = "good",
                   bool is_copy = false) {
    LayerRecord record;
    record.parent = parent;
    record.planned = split_words(planned);
    for (const std::string& label : record.planned) record.steps.push_back({label, "e", 1, {{"fact", fact}}});
    record.phase = Phase::install;
    record.is_copy = is_copy;
    std::string id = record.id();
    store_[lookup_key(parent, record.planned.front(), is_copy)].push_back(record);
    return id;
  }
  Chain find(const std::vector<std::string>& planned) {
    return find_chain({.base = "base",
                       .planned = planned,
                       .find = [this](const std::string& key) { return store_[key]; },
                       .find_elsewhere =
                           [this](const std::string& key) {
                             asked_.push_back(key);
                             return far_[key];
                           },
                       .faults = [](const StepRecord& step) -> std::vector<std::string> {
                         if (step.facts.at("fact") == "good") return {};
                         return split(step.facts.at("fact"), ',');
                       }});
  }
  std::map<std::string, std::vector<LayerRecord>> store_;
  std::map<std::string, std::vector<LayerRecord>> far_;
  std::vector<std::string> asked_;
};

TEST_F(ChainTest, AFartherStoreIsAskedOnlyWhereTheNearerHasNothingThatHolds) {
  const std::string first = keep("base", "a");
  const std::string second = keep(first, "b");
  std::swap(store_[lookup_key(first, "b", false)], far_[lookup_key(first, "b", false)]);
  keep(first, "b", "script changed");
  EXPECT_EQ(find({"a", "b"}).parent, second);
  EXPECT_THAT(asked_, ElementsAre(lookup_key(first, "b", false)));
}

TEST_F(ChainTest, GoesAsFarAsLayersHold) {
  const std::string first = keep("base", "a b");
  const std::string second = keep(first, "c");
  keep(second, "d", "script changed");
  const Chain chain = find({"a", "b", "c", "d", "e"});
  EXPECT_EQ(chain.covered, 3U);
  EXPECT_EQ(chain.parent, second);
  EXPECT_THAT(chain.nearest, ElementsAre("d: script changed"));
}

TEST_F(ChainTest, OfLayersThatDoNotHoldTheOneThatDiffersLeastComesFirst) {
  keep("base", "a", "another image,another host");
  keep("base", "a", "LANG changed");
  EXPECT_THAT(find({"a"}).nearest, ElementsAre("a: LANG changed", "a: another image"));
}

TEST_F(ChainTest, OfALayerIsSaidWhichOfItsStepsIsAtFault) {
  keep("base", "a b");
  store_.begin()->second.front().steps.back().facts["fact"] = "script changed";
  EXPECT_THAT(find({"a", "b"}).nearest, ElementsAre("a: the layer has b, too, of which script changed"));
}

TEST_F(ChainTest, TakesTheLayerThatHoldsAmongSeveral) {
  keep("base", "a", "other variable");
  const std::string good = keep("base", "a");
  EXPECT_EQ(find({"a", "b"}).parent, good);
}

TEST_F(ChainTest, ALayerOverOtherStepsThanPlannedIsNoneOfIts) {
  keep("base", "a gone b");
  keep("base", "a b c");
  const Chain chain = find({"a", "b"});
  EXPECT_THAT(chain.layers, IsEmpty());
  EXPECT_EQ(chain.parent, "base");
}

TEST_F(ChainTest, CopiesAndOverlaysDoNotMix) {
  keep("base", "a", "good", true);
  EXPECT_THAT(find({"a"}).layers, IsEmpty());
}

TEST_F(ChainTest, WorkGoesOnBehindTheLastLayer) {
  EXPECT_EQ(resume_point({}, {}).phase, Phase::root);
  keep("base", "a");
  EXPECT_EQ(resume_point(find({"a"}), {}).phase, Phase::install);
}

TEST_F(ChainTest, TheRestOfAPhaseIsWhatIsPlannedNowAndWhatEarlierHooksPutThere) {
  const auto hook = [](const char* name, const char* element) {
    return Step{Phase::install, Step::Kind::hook, name, element};
  };
  const Step packages{Phase::install, Step::Kind::extra_packages, "extra-packages", ""};
  Chain chain;
  chain.covered = 1;
  chain.layers.push_back({});
  chain.layers.back().phase = Phase::install;
  chain.layers.back().rest = {hook("20-gone", "e"), hook("30-stays", "e"), hook("40-put-there", ""), packages};
  const Step later{Phase::post_install, Step::Kind::hook, "10-later", "e"};
  const std::vector<Step> plan = {hook("10-a", "e"), hook("30-stays", "e"), hook("50-new", "e"), packages, later};
  const ResumePoint point = resume_point(chain, plan);
  EXPECT_EQ(point.phase, Phase::install);
  EXPECT_THAT(point.rest, ElementsAre(plan[1], hook("40-put-there", ""), plan[2], packages));
}

}  // namespace
}  // namespace hearth::builder
