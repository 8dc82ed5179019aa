#include "agent/heat_config/deployment/signal_data.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

std::string signal(ExitStatus status, std::string out, std::string err = "", bool empty = false) {
  return python_json(signal_data({"hook", std::nullopt, {status, std::move(out), std::move(err)}}, empty));
}

TEST(SignalData, AHooksAnswerIsTheSignal) {
  EXPECT_EQ(signal(Exited{0}, R"({"deploy_status_code": 0, "r": "x"})"), R"({"deploy_status_code": 0, "r": "x"})");
}

TEST(SignalData, AFailedHookCannotReportSuccess) {
  EXPECT_EQ(signal(Exited{3}, R"({"deploy_status_code": 0})", "why"),
            R"({"deploy_status_code": 3, "deploy_stderr": "why"})");
  EXPECT_EQ(signal(Exited{3}, R"({"deploy_status_code": 7})"), R"({"deploy_status_code": 7})");
}

TEST(SignalData, PlainOutputIsReportedWithTheStatus) {
  EXPECT_EQ(signal(Exited{2}, "text", "err"),
            R"({"deploy_stdout": "text", "deploy_stderr": "err", "deploy_status_code": 2})");
  EXPECT_EQ(signal(Signaled{SIGKILL}, ""), R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": -9})");
  EXPECT_EQ(signal(Exited{1}, "\xff"), R"({"deploy_stdout": "\ufffd", "deploy_stderr": "", "deploy_status_code": 1})");
  EXPECT_EQ(signal(Exited{1}, "[1]"), R"({"deploy_stdout": "[1]", "deploy_stderr": "", "deploy_status_code": 1})");
}

TEST(SignalData, AnAnswerBehindAToolsOutputIsFound) {
  EXPECT_EQ(signal(Exited{0}, "0123abcd\n{\"deploy_status_code\": 5}\n"), R"({"deploy_status_code": 5})");
}

TEST(SignalData, SilenceIsAFailureUnlessThereWasNothingToDo) {
  EXPECT_NE(signal(Exited{0}, "").find("\"deploy_status_code\": 1"), std::string::npos);
  EXPECT_EQ(signal(Exited{0}, "", "", true), "{}");
}

TEST(SignalData, AHookThatCouldNotStartOrRanOutOfTimeIsAFailure) {
  EXPECT_EQ(python_json(signal_data({"h", "starting h: no", {}}, false)),
            R"({"deploy_stdout": "", "deploy_stderr": "starting h: no", "deploy_status_code": 127})");
  EXPECT_NE(signal(TimedOut{}, "").find("\"deploy_status_code\": 124"), std::string::npos);
}

}  // namespace
}  // namespace hearth::agent
