#include "pxe/boot/attribution.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

class Gathered final : public RequestLog {
 public:
  void record(const RequestRecord& record) noexcept override { records.push_back(record); }
  std::vector<RequestRecord> records;
};

TEST(AttributedRequests, KnowTheMachineThatHasTheAddress) {
  const NodeTable nodes(dhcp::sample_site().nodes);
  AddressBook addresses;
  addresses.put(dhcp::ip("192.0.2.100"), dhcp::mac(2));
  Gathered log;
  Gathered observer;
  AttributedRequests requests(nodes, addresses, log, &observer);
  requests.record({.protocol = "tftp", .client = dhcp::ip("192.0.2.100")});
  requests.record({.protocol = "http", .client = dhcp::ip("192.0.2.50")});
  requests.record({.protocol = "dhcp", .mac = "52:54:00:00:00:01"});
  requests.record({.protocol = "tftp", .client = dhcp::ip("192.0.2.7")});
  ASSERT_EQ(log.records.size(), 4U);
  EXPECT_EQ(log.records[0].node + log.records[0].mac, "two52:54:00:00:00:02");
  EXPECT_EQ(log.records[1].node, "one") << "by the address that is its own";
  EXPECT_EQ(log.records[2].node, "one");
  EXPECT_EQ(log.records[3].node + log.records[3].mac, "");
  EXPECT_EQ(observer.records.size(), 4U);
  AttributedRequests(nodes, addresses, log, nullptr).record({});
  EXPECT_EQ(log.records.size(), 5U);
}

}  // namespace
}  // namespace hearth::pxe
