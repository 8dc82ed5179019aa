#include "builder/layers/layer_record.hpp"

#include <gtest/gtest.h>

namespace hearth::builder {
namespace {

LayerRecord example() {
  LayerRecord record;
  record.parent = "base";
  record.planned = {"install.d/10-a"};
  record.steps = {{"install.d/10-a", "a", 1.5, {{"env X", "1"}}}};
  record.phase = Phase::install;
  record.rest = {{Phase::install, Step::Kind::extra_packages, "extra-packages", ""}};
  record.written = {.began = 1'700'000'000'000'000'005, .ended = 1'700'000'001'000'000'000};
  record.blob = std::string(64, 'a');
  record.bytes = 7;
  record.made_by = "shop";
  return record;
}

TEST(LayerRecord, IsReadBackAsItWasWritten) {
  const std::optional<LayerRecord> read = parse_layer_record(to_json(example()).dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(example()));
  EXPECT_EQ(read->id(), example().id());
  EXPECT_EQ(read->made_by, "shop");
  Json older = to_json(example());
  older.erase("made_by");
  EXPECT_EQ(parse_layer_record(older.dump())->made_by, "");
}

TEST(LayerRecord, TellsWhatHooksHadBoundOfTheImageCache) {
  LayerRecord record = example();
  record.binds = {{"apt/debian", "var/cache/apt/archives", false}, {"pip", "tmp/pip", true}};
  const std::optional<LayerRecord> read = parse_layer_record(to_json(record).dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->binds, record.binds);
  EXPECT_EQ(read->id(), record.id());
  EXPECT_NE(record.id(), example().id());
  EXPECT_EQ(to_json(record).at("version"), 5) << "a Hearth that knows no binds must not take it";
  EXPECT_EQ(to_json(example()).at("version"), 4);
}

TEST(LayerRecord, NoneBindsWhatLeadsOutOfTheCacheOrTheTarget) {
  for (const CacheBind& bad : std::vector<CacheBind>{{"../x", "var/cache/x", false},
                                                     {"/etc", "var/cache/x", false},
                                                     {"x", "var/cache/../../etc", false},
                                                     {"x", "/tmp/x", false},
                                                     {"x", "etc/x", false}}) {
    LayerRecord record = example();
    record.binds = {bad};
    EXPECT_FALSE(parse_layer_record(to_json(record).dump())) << bad.from << " on " << bad.to;
  }
}

TEST(LayerRecord, FactsMayBeAnyBytes) {
  const Facts facts = {{"hook f\xff", "\xfe"}, {"hook f\xfe", "x"}, {"\x01hook", "\x01"}, {"hook \xc3\xa4", "1"}};
  EXPECT_EQ(facts_from(parse_json(format_json(json_of(facts)), "facts").value_or_throw()), facts);
}

TEST(LayerRecord, ItsIdFollowsFromWhatItDependsOnNotFromItsBytesOrTimes) {
  LayerRecord other = example();
  other.blob = std::string(64, 'b');
  other.steps.front().seconds = 9;
  other.made_by = "another";
  EXPECT_EQ(other.id(), example().id());
  other.steps.front().facts["env X"] = "2";
  EXPECT_NE(other.id(), example().id());
}

TEST(LayerRecord, WhatIsNotAWholeRecordIsNone) {
  const std::string text = to_json(example()).dump();
  for (const std::string& bad : {std::string(), std::string("{}"), std::string("[1]"), text.substr(0, text.size() / 2),
                                 std::string(R"({"version": 99})")}) {
    EXPECT_FALSE(parse_layer_record(bad)) << bad;
  }
}

TEST(LayerRecord, LookUpKeysTellParentStepAndKindApart) {
  EXPECT_NE(lookup_key("p", "a", false), lookup_key("q", "a", false));
  EXPECT_NE(lookup_key("p", "a", false), lookup_key("p", "b", false));
  EXPECT_NE(lookup_key("p", "a", false), lookup_key("p", "a", true));
}

}  // namespace
}  // namespace hearth::builder
