#include "bootstrap/inventory/listing.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
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

TEST(Listing, whatStandsBehindTheMarkOfADocumentIsRead) {
  const auto hosts = listing(
      "%YAML 1.1\n--- {apiVersion: v1, kind: Secret, metadata: {name: s},\n stringData: {username: u, password: p}}\n"
      "--- # a host\napiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: h}\n"
      "spec: {bmc: {address: 'ipmi://192.0.2.5', credentialsName: s}, bootMACAddress: '52:54:00:00:00:01', odd: 1}\n",
      ListingFormat::any);
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts[0].data["pm_password"], "p");
  ASSERT_TRUE(hosts[0].places.contains("pm_addr"));
  EXPECT_EQ(hosts[0].place("pm_addr").line, 8);
}

/// It was minutes where each line was looked at again with all before it.
TEST(Listing, blankLinesCostNoMoreThanTheirNumber) {
  const std::string text = cat(std::string(300'000, '\n'), "nodes:\n- {mac: 52:54:00:11:22:35, pm_type: ipmi}\n");
  const MonotonicTime began = SystemClock().now();
  const auto entries = read_listing(text, "file", ListingFormat::yaml);
  EXPECT_LT(SystemClock().now() - began, std::chrono::seconds(20));
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->size(), 1U);
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
