#include "bootstrap/seed/seed_api.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::bootstrap {
namespace {

TEST(SeedStatus, countsNodesByState) {
  const Json nodes = Json::parse(R"({"nodes": [{"provision_state": "active"}, {"provision_state": "available"},
                                               {"provision_state": "active"}]})");
  EXPECT_EQ(seed_status_text(nodes, Json::object()), "nodes: 2 active, 1 available\n");
}

TEST(SeedStatus, saysThatThereIsNothingYet) {
  EXPECT_EQ(seed_status_text(Json::object(), Json::object()), "it has no nodes yet\n");
}

TEST(SeedStatus, showsTheLastEvents) {
  const Json events = Json::parse(R"({"events": [{"at": "2026-01-01T00:00:00Z", "name": "web1", "kind": "state",
                                                  "text": "available -> deploying"}]})");
  const std::string text = seed_status_text(Json::object(), events);
  EXPECT_NE(text.find("last events:\n"), std::string::npos);
  EXPECT_NE(text.find("web1 state: available -> deploying"), std::string::npos);
}

TEST(SeedApi, aSeedThatIsNotThereIsAnErrorAndNotAWait) {
  const SystemClock clock;
  EXPECT_THROW(static_cast<void>(SeedApi("http://127.0.0.1:1", "t", clock).get("/v1/nodes")), Error);
}

}  // namespace
}  // namespace hearth::bootstrap
