#include "bootstrap/why/page_causes.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

PageFacts quick() {
  PageFacts facts;
  facts.where = "/state/api.socket";
  facts.answered = 0.002;
  facts.patience = 5;
  facts.flush = 0.004;
  facts.pace = {{"parts", {{"answer", {{"longest", 0.01}, {"what", "GET /v1"}}}}},
                {"workers", {{"busy", 0U}, {"waiting", 0U}, {"most", 256U}}}};
  return facts;
}

void took(PageFacts& facts, const char* part, double seconds, const char* what = "") {
  facts.pace["parts"][part] = {{"longest", seconds}, {"what", what}};
}

std::string first(const PageFacts& facts) { return causes_of(facts).at(0).cause; }

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

TEST(PageCauses, nothingIsSlow) {
  EXPECT_TRUE(says(first(quick()), "is not slow as it is seen from here"));
  EXPECT_EQ(causes_of(quick()).at(0).evidence.size(), 4U) << "what was measured";
}

TEST(PageCauses, whoAnswersNobodyIsToldByHowItsProcessIs) {
  PageFacts facts = quick();
  facts.answered.reset();
  facts.fault = "no answer within 5 s";
  EXPECT_EQ(first(facts), "The conductor does not answer.");
  for (const auto& [state, words] : {std::pair('T', "is stopped"), std::pair('D', "waits for the disk"),
                                     std::pair('R', "computes"), std::pair('S', "hangs")}) {
    facts.process = ProcessFacts{42, state, "do_wait"};
    EXPECT_TRUE(says(first(facts), words)) << state << first(facts);
    EXPECT_TRUE(says(causes_of(facts).at(0).evidence.at(1), "process 42 is in state")) << state;
  }
}

TEST(PageCauses, oneThatKeepsNothingIsNotTakenForWell) {
  PageFacts facts = quick();
  took(facts, "store refused", 0.1, "database or disk is full");
  EXPECT_TRUE(says(first(facts), "could not keep a change"));
  EXPECT_TRUE(says(causes_of(facts).at(0).evidence.at(0), "database or disk is full"));
  facts = quick();
  facts.flush_fault = "writing a page: No space left on device";
  EXPECT_TRUE(says(first(facts), "can't keep what is changed"));
}

TEST(PageCauses, whatCanBeKeptNoMoreIsTheCauseOfAllThatWaits) {
  PageFacts facts = quick();
  EXPECT_FALSE(unkept_cause(facts));
  took(facts, "store refused", 0.1, "database is locked");
  EXPECT_FALSE(unkept_cause(facts)) << "it has kept something since";
  facts.pace["unkept"] = "database or disk is full";
  ASSERT_TRUE(unkept_cause(facts));
  EXPECT_EQ(unkept_cause(facts)->evidence, std::vector<std::string>{"the last change: database or disk is full"});
  EXPECT_EQ(first(facts), "The conductor answers, but can't keep what is changed.");
  facts.pace.erase("unkept");
  facts.flush_fault = "writing a page: No space left on device";
  EXPECT_TRUE(unkept_cause(facts));
  facts.flush_fault.clear();
  facts.flush = 3.0;
  facts.flush_hangs = true;
  EXPECT_TRUE(says(unkept_cause(facts).value_or(Finding{}).cause, "hangs"));
}

TEST(PageCauses, aDiskThatHangsIsToldThoughNothingIsSlowYet) {
  PageFacts facts = quick();
  facts.flush = 3.0;
  facts.flush_hangs = true;
  EXPECT_TRUE(says(first(facts), "The disk of the conductor's state hangs"));
  facts.answered.reset();
  facts.process = ProcessFacts{42, 'S', "do_epoll_wait"};
  EXPECT_TRUE(says(first(facts), "The disk of the conductor's state hangs")) << "his change waits, not the thread";
}

TEST(PageCauses, whoCouldNotBeReachedIsNotSaidToHaveBeenWaitedFor) {
  PageFacts facts = quick();
  facts.answered.reset();
  facts.fault = "connecting to 127.0.0.1:9: Connection refused";
  EXPECT_EQ(causes_of(facts).at(0).evidence.at(0), facts.fault);
  facts.hangs = true;
  EXPECT_TRUE(says(causes_of(facts).at(0).evidence.at(0), "has not answered within 5.00 s"));
}

TEST(PageCauses, whatIsMeasuredWithinAnotherIsTheCause) {
  PageFacts facts = quick();
  took(facts, "answer", 1.0, "PATCH /v1/nodes/a");
  EXPECT_TRUE(says(first(facts), "One request takes the conductor long: PATCH /v1/nodes/a"));
  took(facts, "store", 0.9);
  took(facts, "late idle", 1.1);
  EXPECT_TRUE(says(first(facts), "To keep changes in the conductor's store takes long"));
  EXPECT_EQ(causes_of(facts).size(), 1U) << "the request and the round waited for it";
  facts.flush = 0.7;
  EXPECT_TRUE(says(first(facts), "The disk of the conductor's state is slow"));
  took(facts, "tick", 5.0);
  EXPECT_TRUE(says(first(facts), "A round of the conductor over its nodes"));
}

TEST(PageCauses, aThreadThatWasNotThereDidSomethingElseOrNothing) {
  PageFacts facts = quick();
  took(facts, "late idle", 2.0);
  EXPECT_TRUE(says(first(facts), "did not get to run"));
  facts = quick();
  took(facts, "late busy", 2.0);
  EXPECT_TRUE(says(first(facts), "The stack engine"));
}

TEST(PageCauses, theWayAndHungBmcs) {
  PageFacts facts = quick();
  facts.answered = 1.5;
  EXPECT_TRUE(says(first(facts), "The way to the conductor is slow"));
  facts = quick();
  facts.pace["workers"] = {{"busy", 256U}, {"waiting", 3U}, {"most", 256U}, {"slow", 100U}};
  EXPECT_TRUE(says(first(facts), "is not slow")) << "a large site that is looked at";
  facts.pace["workers"]["slow"] = 200U;
  facts.pace["asked"] = {"web1", "web2"};
  EXPECT_TRUE(says(first(facts), "All 256 that talk to BMCs and agents wait"));
  EXPECT_EQ(causes_of(facts).at(0).next, "hearth why node web1");
  facts.pace = {{"parts", 7}, {"workers", Json::array()}, {"asked", {{"a", 1}}}};
  EXPECT_FALSE(causes_of(facts).empty()) << "another server's answer may be anything";
}

}  // namespace
}  // namespace hearth::bootstrap::why
