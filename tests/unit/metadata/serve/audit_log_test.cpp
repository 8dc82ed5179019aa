#include "metadata/serve/audit_log.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::metadata {
namespace {

TEST(AuditLog, HasALineForEachRequestThatCostSomething) {
  const TempDir directory = TempDir::create("/tmp", "audit-");
  const std::string path = (directory.path() / "audit.log").string();
  const fakes::ManualClock clock;
  AuditLog log(path, clock);
  ServedRequest request;
  request.method = "GET";
  request.target = "/v1/?Signature=secret\n\xff";
  request.peer = "192.0.2.1";
  log.record({"cfn", request, 403, 12, std::chrono::microseconds(7)});
  log.record({"cfn", request, 304, 0, {}});
  const std::string text = read_file(path);
  EXPECT_EQ(split_lines(text).size(), 1U);
  const Json line = Json::parse(text);
  EXPECT_EQ(line["status"], 403);
  EXPECT_EQ(line["target"], "/v1/?Signature=***");
  EXPECT_EQ(line["microseconds"], 7);
}

}  // namespace
}  // namespace hearth::metadata
