#include "builder/report/json_progress.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

/// The events, as JSON without white space.
std::vector<std::string> told(const std::function<void(JsonProgress&)>& work) {
  Pipe pipe = Pipe::create();
  JsonProgress progress(pipe.write.get());
  work(progress);
  pipe.write = Fd();
  std::vector<std::string> events;
  for (const std::string& line : split_lines(read_all(pipe.read, "the events")))
    events.push_back(parse_json(line, "an event").value_or_throw().dump());
  return events;
}

TEST(JsonProgress, TellsOfEachStepOnALine) {
  EXPECT_THAT(
      told([](JsonProgress& progress) {
        progress.step_begin("install.d/10-x", 3, 40);
        progress.line("what it prints");
        progress.step_end(StepOutcome::done, std::chrono::milliseconds(1250));
        progress.step_begin("install.d/\xff", 4, 40);
        progress.step_end(StepOutcome::cached, Duration{});
        progress.note("two\nlines");
        progress.finish("done");
      }),
      ElementsAre(R"({"event":"step","index":3,"total":40,"name":"install.d/10-x"})",
                  R"({"event":"step-end","name":"install.d/10-x","outcome":"done","seconds":1.25})",
                  "{\"event\":\"step\",\"index\":4,\"total\":40,\"name\":\"install.d/\xef\xbf\xbd\"}",
                  "{\"event\":\"step-end\",\"name\":\"install.d/\xef\xbf\xbd\",\"outcome\":\"cached\",\"seconds\":0.0}",
                  R"({"event":"note","text":"two\nlines"})", R"({"event":"summary","text":"done"})"));
}

TEST(JsonProgress, TellsWhatAFailedStepSaidLast) {
  const std::vector<std::string> events = told([](JsonProgress& progress) {
    progress.step_begin("root.d/10-x", 1, 1);
    progress.line("no such thing");
    progress.step_end(StepOutcome::failed, Duration{});
  });
  ASSERT_EQ(events.size(), 3U);
  EXPECT_THAT(events[1], testing::AllOf(testing::HasSubstr("\"output\""), testing::HasSubstr("no such thing")));
}

TEST(JsonProgress, WhatProgramsPrintNeedNotBeText) {
  EXPECT_THAT(told([](JsonProgress& progress) {
                progress.step_begin("root.d/\xff", 1, 1);
                progress.line("\xbc\x1b[31m");
                progress.step_end(StepOutcome::failed, Duration{});
                progress.note("\xe2\x80");
              }),
              testing::Each(testing::Not(testing::HasSubstr("\xff"))));
  testing::internal::CaptureStdout();
  print_event({{"event", "end"}, {"error", "10-x failed\n  | \xbc"}});
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "{\"event\":\"end\",\"error\":\"10-x failed\\n  | \xef\xbf\xbd\"}\n");
}

TEST(JsonProgress, AReaderThatWentAwayEndsNothing) {
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_DFL);
        Pipe pipe = Pipe::create();
        pipe.read = Fd();
        JsonProgress(pipe.write.get()).note("nobody hears this");
        _exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(JsonProgress, TellsEstimatesAndBytesWhenTheyAreNews) {
  EXPECT_THAT(told([](JsonProgress& progress) {
                for (const int left : {60, 60, 59, 58, 50}) progress.expect(std::chrono::seconds(left));
                for (const std::uint64_t bytes : {1U << 10U, 3U << 20U, (3U << 20U) + 1, 4U << 20U})
                  progress.fetched(bytes);
              }),
              ElementsAre(R"({"event":"expect","seconds":60.0})", R"({"event":"expect","seconds":50.0})",
                          R"({"event":"fetched","bytes":3145728})", R"({"event":"fetched","bytes":4194304})"));
}

}  // namespace
}  // namespace hearth::builder
