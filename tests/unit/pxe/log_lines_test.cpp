#include "pxe/log_lines.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/memory_logger.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

const RequestRecord k_record{.protocol = "tftp",
                             .client = Ipv4{0xc0000207},
                             .mac = "52:54:00:00:00:01",
                             .what = "pxelinux.0",
                             .outcome = "done",
                             .good = true,
                             .bytes = 43008,
                             .took = std::chrono::milliseconds(12)};

TEST(LogLine, SaysWhoAskedForWhatAndHowItEnded) {
  EXPECT_EQ(log_line(k_record), "tftp 192.0.2.7 (52:54:00:00:00:01) pxelinux.0: done, 42.0 KiB in 12 ms");
}

TEST(LogLine, NamesTheNodeWhereThereIsOne) {
  RequestRecord record = k_record;
  record.node = "web1";
  EXPECT_EQ(log_line(record), "tftp 192.0.2.7 (52:54:00:00:00:01, web1) pxelinux.0: done, 42.0 KiB in 12 ms");
}

TEST(LogLine, WhatAClientSentCantForgeALineOrFillTheDisk) {
  RequestRecord record = k_record;
  record.what = "a\nerror\x1b[0m" + std::string(5000, 'x');
  const std::string line = log_line(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_LT(line.size(), 400U);
}

TEST(LoggedRequests, FailuresAreWarnings) {
  fakes::MemoryLogger logger;
  LoggedRequests log(logger);
  log.record(k_record);
  RequestRecord failed = k_record;
  failed.good = false;
  log.record(failed);
  EXPECT_TRUE(logger.lines.at(0).starts_with("INFO ") || logger.lines.at(0).starts_with("info "));
  EXPECT_TRUE(logger.lines.at(1).starts_with("WARNING ") || logger.lines.at(1).starts_with("warning "));
}

TEST(RelayNotes, ANetworkWithoutAnAddressOfOursIsToldToNeedARelay) {
  Site site = dhcp::sample_site();
  site.networks[1].server = site.networks[0].server;
  const std::vector<std::string> notes = relay_notes(site);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].find("network 198.51.100.0/24: this server has no address in it"), 0U) << notes[0];
  EXPECT_NE(notes[0].find("a DHCP relay there asks 192.0.2.1 ("), std::string::npos) << notes[0];
  site.networks[1].server = dhcp::ip("198.51.100.1");
  EXPECT_TRUE(relay_notes(site).empty());
}

}  // namespace
}  // namespace hearth::pxe
