#include "bootstrap/api/bmc_answer.hpp"

#include <gtest/gtest.h>

#include "bootstrap/gate/answer.hpp"

namespace hearth::bootstrap {
namespace {

class BmcAnswerTest : public testing::Test {
 protected:
  int woken = 0;
  std::shared_ptr<BmcAnswer> answer = std::make_shared<BmcAnswer>([this] { ++woken; });
};

TEST_F(BmcAnswerTest, nothingIsSaidBeforeTheManagementHasAnswered) {
  const auto told = answer->asked();
  answer->begin(empty_answer(204));
  EXPECT_FALSE(answer->response());
  EXPECT_EQ(woken, 0);
  told({});
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(answer->response()->status, 204);
}

TEST_F(BmcAnswerTest, whatItTellsIsTheAnswer) {
  const auto told = answer->asked();
  ServedResponse begun = json_answer(200, {{"boot_device", nullptr}});
  begun.headers.emplace_back("Openstack-Request-Id", "req-1");
  answer->begin(begun);
  told({.value = {{"boot_device", "pxe"}}});
  EXPECT_EQ(Json::parse(answer->response()->body)["boot_device"], "pxe");
  EXPECT_EQ(find_header(answer->response()->headers, "Openstack-Request-Id"), "req-1");
}

TEST_F(BmcAnswerTest, aFailureIsTheServersAndWhatIsNotThereTheClients) {
  for (const bool unsupported : {false, true}) {
    const auto one = std::make_shared<BmcAnswer>(nullptr);
    const auto told = one->asked();
    one->begin(empty_answer(204));
    told({.good = false, .error = "no", .unsupported = unsupported});
    EXPECT_EQ(one->response()->status, unsupported ? 400 : 500);
  }
}

TEST_F(BmcAnswerTest, aRefusalWaitsForNobody) {
  answer->begin(fault_answer(400, "no such device"));
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(answer->response()->status, 400);
}

TEST_F(BmcAnswerTest, whatCouldNotBeBegunAfterAllIsNotWaitedForEither) {
  const auto told = answer->asked();
  answer->begin(fault_answer(500, "the disk is full"));
  EXPECT_EQ(answer->response()->status, 500);
  EXPECT_EQ(woken, 1);
}

TEST_F(BmcAnswerTest, whenNobodyCanTellAnyMoreItHasFailed) {
  answer->begin([&] {
    const auto told = answer->asked();
    return empty_answer(204);
  }());
  EXPECT_EQ(answer->response()->status, 500);
  EXPECT_EQ(woken, 1);
}

TEST_F(BmcAnswerTest, aClientThatHasGoneIsNotWoken) {
  const auto told = answer->asked();
  answer->begin(empty_answer(204));
  answer->leave();
  told({});
  EXPECT_EQ(woken, 0);
}

}  // namespace
}  // namespace hearth::bootstrap
