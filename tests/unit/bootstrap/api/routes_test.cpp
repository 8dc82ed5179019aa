#include "bootstrap/api/routes.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "bootstrap/conductor/transition.hpp"

namespace hearth::bootstrap {
namespace {

using testing::HasSubstr;

int refusal_of(const std::string& method, const std::string& path, const std::string& query = "") {
  try {
    check_route(split(path, '/'), method, parse_parameters(query));
  } catch (const Refusal& refusal) {
    return refusal.status();
  }
  return 0;
}

TEST(Routes, whatThereIsIsAnsweredAndHeadAsGet) {
  EXPECT_EQ(refusal_of("GET", "nodes", "limit=2&retired=True&fields=uuid"), 0);
  EXPECT_EQ(refusal_of("HEAD", "nodes/detail"), 0);
  EXPECT_EQ(refusal_of("PUT", "nodes/web1/states/provision"), 0);
  EXPECT_EQ(refusal_of("GET", "nodes/web1/management/boot_device/supported"), 0);
}

TEST(Routes, unknownPathsMethodsAndFiltersAreRefusedAndNeverIgnored) {
  EXPECT_EQ(refusal_of("GET", "nodes/web1/firmwares"), 404);
  EXPECT_EQ(refusal_of("GET", "nodes/web1/states/provision/more"), 404);
  EXPECT_EQ(refusal_of("GET", "drivers/ipmi/raid"), 404);
  EXPECT_EQ(refusal_of("POST", "drivers/ipmi/raid/logical_disk_properties"), 405);
  EXPECT_EQ(refusal_of("GET", "nodes/web1/management/inject_nmi"), 405);
  EXPECT_EQ(refusal_of("POST", "nodes/web1/traits"), 405);
  EXPECT_EQ(refusal_of("DELETE", "nodes"), 405);
  EXPECT_EQ(refusal_of("GET", "nodes", "shard=a"), 400);
  EXPECT_EQ(refusal_of("GET", "nodes", "colour=red"), 400);
  EXPECT_EQ(refusal_of("GET", "ports", "colour=red"), 400);
  EXPECT_EQ(refusal_of("PUT", "hearth/roles/\xff"), 400) << "no answer could name it";
  EXPECT_EQ(refusal_of("GET", "hearth/events", "node=%FF"), 400);
}

TEST(Routes, theListHasEachPathWithItsMethodsTheirRolesAndItsParameters) {
  const std::string text = routes_text();
  EXPECT_THAT(text, HasSubstr("\n  /v1/nodes/*/states/power\n      PUT (operate)\n"));
  EXPECT_THAT(text, HasSubstr("\n  /v1/ports/*\n      GET (read), PATCH (admin), DELETE (admin); ?fields\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\n  /v1/hearth/consoles/*\n      GET (operate), PUT (operate), DELETE (operate); ?from, keyboard\n"));
  for (const std::string& line : split_lines(text)) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace hearth::bootstrap
