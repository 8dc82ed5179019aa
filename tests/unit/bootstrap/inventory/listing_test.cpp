#include "bootstrap/inventory/listing.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::vector<ListingEntry> listing(std::string_view text, ListingFormat format) {
  auto entries = read_listing(text, "file", format);
  if (!entries) {
    ADD_FAILURE() << entries.error().text();
    return {};
  }
  return *entries;
}

TEST(Listing, extensionsTellTheForm) {
  EXPECT_EQ(format_of("a/b.JSON"), ListingFormat::json);
  EXPECT_EQ(format_of("x.yml"), ListingFormat::yaml);
  EXPECT_EQ(format_of("x.csv"), ListingFormat::csv);
  EXPECT_EQ(format_of("enrol.sh"), ListingFormat::lines);
  EXPECT_FALSE(format_of("baremetal.json.example"));
}

TEST(Listing, theGuidesFileAndABareListAreRead) {
  const auto nodes =
      listing("{\n \"nodes\": [\n  {\"mac\": [\"AA:AA:AA:AA:AA:AA\"],\n   \"pm_type\": \"fake_pxe\"}\n ]}",
              ListingFormat::json);
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].data["mac"][0], "AA:AA:AA:AA:AA:AA");
  EXPECT_EQ(nodes[0].place("mac[0]").line, 3);
  EXPECT_EQ(nodes[0].place("pm_type").line, 4);
  EXPECT_EQ(nodes[0].place("unknown"), nodes[0].at);
  EXPECT_EQ(listing("[{\"pm_type\": \"ipmi\"}]", ListingFormat::json).size(), 1U);
}

TEST(Listing, whatYaml11WouldSpoilStaysAsItWasWritten) {
  const auto nodes = listing(
      "nodes:\n- mac: [52:54:00:11:22:33, 52:54:00:11:22:34]\n  pm_type: ipmi\n  pm_password: 0123\n  pm_user: yes  # "
      "really\n"
      "  cpu: 4\n- {mac: 52:54:00:11:22:35, name: 12}\n",
      ListingFormat::yaml);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].data["mac"][0], "52:54:00:11:22:33");
  EXPECT_EQ(nodes[0].data["mac"][1], "52:54:00:11:22:34");
  EXPECT_EQ(nodes[0].data["pm_password"], "0123");
  EXPECT_EQ(nodes[0].data["pm_user"], "yes");
  EXPECT_EQ(nodes[0].data["cpu"], 4);
  EXPECT_EQ(nodes[1].data["mac"], "52:54:00:11:22:35");
  EXPECT_EQ(nodes[1].data["name"], "12");
}

TEST(Listing, aWrongDocumentSaysWhereAndWhat) {
  for (const char* text : {"{\"nodes\": 1}", "{}", "\"x\"", "{\"a\": {\"b\": 1}}"}) {
    const auto entries = read_listing(text, "inv.json", ListingFormat::json);
    ASSERT_FALSE(entries) << text;
    EXPECT_NE(entries.error().text().find("inv.json:1:1"), std::string::npos) << entries.error().text();
  }
  EXPECT_FALSE(read_listing("{", "f", ListingFormat::json));
}

}  // namespace
}  // namespace hearth::bootstrap
