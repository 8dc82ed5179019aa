#include "metadata/engine/deployment_outcome.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::live {
namespace {

const Json k_outputs = Json::parse(R"([{"name": "result"}, {"name": "err", "error_output": true}])");

DeploymentOutcome outcome(const char* signal) { return deployment_outcome(k_outputs, Json::parse(signal)); }

TEST(DeploymentOutcome, IsSuccessForEveryWayToSayZero) {
  for (const char* signal : {"{}", R"({"deploy_status_code": 0})", R"({"deploy_status_code": "0"})",
                             R"({"deploy_status_code": null})", R"({"deploy_status_code": ""})"}) {
    EXPECT_FALSE(outcome(signal).failed) << signal;
    EXPECT_EQ(outcome(signal).reason, "Outputs received");
    EXPECT_EQ(outcome(signal).note, "succeeded");
  }
}

TEST(DeploymentOutcome, IsFailureForAnotherCode) {
  const DeploymentOutcome failed = outcome(R"({"deploy_status_code": 3})");
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.reason, "deploy_status_code : Deployment exited with non-zero status code: 3");
  EXPECT_EQ(failed.note, "failed (3)");
}

TEST(DeploymentOutcome, IsFailureWhenAnErrorOutputIsThereWhateverItSays) {
  EXPECT_EQ(outcome(R"({"err": "went wrong"})").reason, "err : went wrong");
  EXPECT_EQ(outcome(R"({"err": ""})").note, "failed");
  EXPECT_EQ(outcome(R"({"err": "x", "deploy_status_code": "1"})").reason,
            "deploy_status_code : Deployment exited with non-zero status code: 1, err : x");
}

TEST(DeploymentOutcome, KeepsWhatWasDeclaredAndTheStandardThree) {
  EXPECT_EQ(outcome(R"({"result": {"a": 1}, "other": 2, "deploy_stdout": "out"})").output_values,
            Json::parse(R"({"result": {"a": 1}, "deploy_stdout": "out", "deploy_stderr": null,
                            "deploy_status_code": null})"));
}

TEST(WaitSignal, HasDefaultsForAllItsKeys) {
  const auto signal = parse_wait_signal(Json::object(), 2);
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->id + signal->status + signal->reason, "2SUCCESSSignal 2 received");
  EXPECT_TRUE(signal->data.is_null());
}

TEST(WaitSignal, MayUseTheNamesOfAws) {
  const auto signal =
      parse_wait_signal(Json::parse(R"({"Status": "FAILURE", "Reason": "r", "Data": 1, "UniqueId": "u"})"), 1);
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->id + signal->status + signal->reason, "uFAILUREr");
}

TEST(WaitSignal, WithAnythingElseIsRefused) {
  for (const char* bad :
       {R"({"statuss": "SUCCESS"})", R"({"status": "OK"})", R"({"status": "SUCCESS", "Reason": "r"})", "[]"}) {
    EXPECT_FALSE(parse_wait_signal(Json::parse(bad), 1)) << bad;
  }
}

}  // namespace
}  // namespace hearth::metadata::live
