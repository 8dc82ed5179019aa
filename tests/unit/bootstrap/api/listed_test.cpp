#include "bootstrap/api/listed.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::vector<Json> three() {
  std::vector<Json> rows;
  for (const char* name : {"b", "a", "c"})
    rows.push_back({{"uuid", cat("u", name)}, {"name", name}, {"extra", Json::object()}, {"links", "l"}});
  return rows;
}

Json list_of(const std::string& query, std::vector<Json> rows = three()) {
  ServedRequest request;
  const ApiCall call{request, {}, {"http://h", "hearth", 82}, {"things"}, parse_parameters(query)};
  return listed(call, std::move(rows), {"things", "box/things", "uuid,name,colour"});
}

std::string names(const Json& body) {
  std::string found;
  for (const Json& row : body["things"]) found += text_in(row, "name");
  return found;
}

int refused(const std::string& query) {
  try {
    static_cast<void>(list_of(query));
  } catch (const Refusal& refusal) {
    return refusal.status();
  }
  return 0;
}

TEST(Listed, isBriefUnlessItIsAskedForMoreAndTellsNoFieldThatThereIsNot) {
  EXPECT_EQ(list_of("")["things"][0], Json::parse(R"({"uuid": "ub", "name": "b", "links": "l"})"));
  EXPECT_TRUE(list_of("detail=True")["things"][0].contains("extra"));
  EXPECT_EQ(list_of("fields=extra")["things"][0], Json::parse(R"({"extra": {}, "links": "l"})"));
  EXPECT_EQ(refused("fields=colour"), 400);
  EXPECT_EQ(refused("fields=name&detail=True"), 400);
}

TEST(Listed, sortsByAFieldBothWaysAndRefusesWhatCannotBeSortedBy) {
  EXPECT_EQ(names(list_of("")), "bac");
  EXPECT_EQ(names(list_of("sort_key=name")), "abc");
  EXPECT_EQ(names(list_of("sort_key=name&sort_dir=desc")), "cba");
  for (const char* query : {"sort_key=extra", "sort_key=colour", "sort_dir=up"})
    EXPECT_EQ(refused(query), 400) << query;
}

TEST(Listed, pagesLeadFromOneToTheNextWithAllThatWasAskedFor) {
  const Json first = list_of("sort_key=name&fields=uuid&limit=2");
  EXPECT_EQ(first["things"].size(), 2U);
  EXPECT_EQ(first["next"], "http://h/v1/box/things?sort_key=name&fields=uuid&limit=2&marker=ub");
  const Json last = list_of("sort_key=name&limit=2&marker=ub");
  EXPECT_EQ(names(last), "c");
  EXPECT_FALSE(last.contains("next"));
  EXPECT_EQ(refused("marker=nobody"), 404);
  EXPECT_EQ(refused("limit=0"), 400);
  EXPECT_EQ(refused("limit=x"), 400);
}

}  // namespace
}  // namespace hearth::bootstrap
