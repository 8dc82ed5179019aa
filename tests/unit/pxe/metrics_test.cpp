#include "pxe/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/unit/pxe/tftp/loopback.hpp"

namespace hearth::pxe {
namespace {

using testing::HasSubstr;

RequestRecord sample(bool good) {
  return {.protocol = "tftp",
          .client = Ipv4{0xc0000207},
          .what = "f\"\\\n\xff",
          .outcome = "done",
          .good = good,
          .bytes = 1000,
          .took = std::chrono::milliseconds(500)};
}

TEST(PxeMetrics, CountByProtocolAndOutcomeAndHandOn) {
  tftp::KeptRecords kept;
  Metrics metrics(kept);
  metrics.record(sample(true));
  metrics.record(sample(true));
  metrics.record(sample(false));
  EXPECT_THAT(metrics.text(), HasSubstr("hearth_pxe_requests_total{protocol=\"tftp\",outcome=\"good\"} 2\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("hearth_pxe_requests_total{protocol=\"tftp\",outcome=\"bad\"} 1\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("hearth_pxe_bytes_total{protocol=\"tftp\",outcome=\"good\"} 2000\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("hearth_pxe_seconds_total{protocol=\"tftp\",outcome=\"good\"} 1.000\n"));
  EXPECT_EQ(kept.records.size(), 3U);
}

TEST(PxeEvents, AreJsonWhateverTheClientSent) {
  const auto event = parse_json(event_line(sample(true), WallTime(std::chrono::milliseconds(1700000000123))), "event");
  ASSERT_TRUE(event) << event.error().text();
  EXPECT_EQ(event->at("what"), "f\"\\??");
  EXPECT_EQ(event->at("client"), "192.0.2.7");
  EXPECT_EQ(event->at("seconds"), 0.5);
  EXPECT_EQ(event->at("good"), true);
}

TEST(PxeEvents, AreAppendedToTheFile) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  fakes::ManualClock clock;
  fakes::MemoryLogger logger;
  tftp::KeptRecords kept;
  for (int start = 0; start < 2; ++start) {
    EventFile events(directory.path() / "events", clock, logger, kept);
    events.record(sample(true));
  }
  EXPECT_EQ(read_file(directory.path() / "events"),
            event_line(sample(true), clock.wall()) + event_line(sample(true), clock.wall()));
  EXPECT_EQ(kept.records.size(), 2U);
}

TEST(PxeEvents, AMissingDirectoryIsAnErrorAtStart) {
  fakes::ManualClock clock;
  fakes::MemoryLogger logger;
  tftp::KeptRecords kept;
  EXPECT_THROW(EventFile("/dev/null/nonexistent/events", clock, logger, kept), Error);
}

}  // namespace
}  // namespace hearth::pxe
