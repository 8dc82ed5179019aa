#include "bootstrap/why/incident.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "bootstrap/why/incident_command.hpp"

namespace hearth::bootstrap::why {
namespace {

Incident web1() {
  Incident incident{.node = "web1", .made_at = "2026-11-25T08:00:00+00:00", .hearth = "0.1.0"};
  incident.facts.node = {{"name", "web1"}, {"provision_state", "deploy failed"}, {"last_error", "something odd"}};
  incident.facts.macs = {"52:54:00:00:00:01"};
  incident.ramdisk_log = "a line\n";
  IncidentStack site{.name = "site"};
  site.facts.stack = {{"stack_name", "site"}, {"stack_status", "CREATE_COMPLETE"}};
  incident.stacks.push_back(site);
  return incident;
}

std::string refused(std::string_view bytes) {
  try {
    (void)unpacked(bytes, "x.tar.zst");
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

struct Member {
  std::string name;
  std::string content;
  unsigned type = AE_IFREG;
};

la_ssize_t append(archive*, void* out, const void* data, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

/// As somebody might make one by hand.
std::string by_hand(const std::vector<Member>& members) {
  std::string bytes;
  archive* out = ::archive_write_new();
  ::archive_write_set_format_pax_restricted(out);
  ::archive_write_add_filter_zstd(out);
  ::archive_write_set_bytes_in_last_block(out, 1);
  ::archive_write_open(out, &bytes, nullptr, append, nullptr);
  for (const Member& member : members) {
    archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, member.name.c_str());
    ::archive_entry_set_filetype(entry, member.type);
    if (member.type == AE_IFLNK) ::archive_entry_set_symlink(entry, "/etc/shadow");
    ::archive_entry_set_size(entry, member.type == AE_IFREG ? static_cast<la_int64_t>(member.content.size()) : 0);
    ::archive_write_header(out, entry);
    if (member.type == AE_IFREG) ::archive_write_data(out, member.content.data(), member.content.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(out);
  ::archive_write_free(out);
  return bytes;
}

TEST(Incident, AnswersAsItsSiteDid) {
  const Answer here = answer_of(web1());
  const Answer there = answer_of(unpacked(packed(web1()), "x"));
  EXPECT_EQ(here.text, there.text);
  EXPECT_EQ(here.rows, there.rows);
  EXPECT_NE(here.text.find("something odd"), std::string::npos);
  EXPECT_NE(here.text.find("stack site: "), std::string::npos);
  EXPECT_EQ(unpacked(packed(web1()), "x").ramdisk_log, "a line\n");
  Incident talks = web1();
  talks.console = "Kernel panic\n";
  EXPECT_EQ(unpacked(packed(talks), "x").console, "Kernel panic\n");
}

TEST(Incident, OldLinesAreLeftOutUntilItIsSmallEnough) {
  Incident incident = web1();
  unsigned seed = 1;
  for (int i = 0; i < 200'000; ++i)
    incident.ramdisk_log += static_cast<char>(' ' + (seed = seed * 1103515245 + 12345) / 65536 % 90);
  incident.ramdisk_log += "the end\n";
  const std::string bytes = packed(incident, 40'000);
  EXPECT_LE(bytes.size(), 40'000U);
  const Incident back = unpacked(bytes, "x");
  EXPECT_TRUE(back.ramdisk_log.ends_with("the end\n"));
  EXPECT_EQ(answer_of(back).text, answer_of(web1()).text);
  EXPECT_THROW((void)packed(web1(), 10), Error);
}

TEST(Incident, WhatIsNoneIsRefused) {
  EXPECT_NE(refused("").find("is no incident"), std::string::npos) << refused("");
  EXPECT_NE(refused("hello").find("is no incident"), std::string::npos);
  EXPECT_NE(refused(std::string(5'000'001, 'x')).find("larger than 5 MB"), std::string::npos);
  EXPECT_NE(refused(by_hand({{"other.json", "{}"}})).find("it holds 'other.json'"), std::string::npos);
  EXPECT_NE(refused(by_hand({{"manifest.json", "[]"}})).find("names no format"), std::string::npos);
  EXPECT_NE(refused(by_hand({{"manifest.json", "{"}})).find("x.tar.zst/manifest.json"), std::string::npos);
  EXPECT_NE(refused(by_hand({{"facts.json", "{}"}})).find("holds no manifest.json"), std::string::npos);
}

TEST(Incident, HostileMembersAreRefused) {
  for (const char* name : {"../../etc/passwd", "/etc/passwd", "a/manifest.json", "./manifest.json"})
    EXPECT_NE(refused(by_hand({{name, "x"}})).find("which none has"), std::string::npos) << name;
  EXPECT_NE(refused(by_hand({{"manifest.json", "", AE_IFLNK}})).find("which none has"), std::string::npos);
  const Member manifest = {"manifest.json", R"({"incident_format": 1})"};
  EXPECT_NE(refused(by_hand({manifest, manifest})).find("twice"), std::string::npos);
  EXPECT_NE(refused(by_hand({{"facts.json", std::string(std::size_t{65} << 20U, ' ')}})).find("more than 64 MiB"),
            std::string::npos);
  const std::string escape = refused(by_hand({{"\x1b]0;x", "x"}}));
  EXPECT_EQ(escape.find('\x1b'), std::string::npos);
}

TEST(Incident, ANewerOneNamesItsVersion) {
  const std::string story =
      refused(by_hand({{"manifest.json", R"({"incident_format": 3, "hearth": "9.0"})"}, {"screen.png", "x"}}));
  EXPECT_NE(story.find("made by hearth 9.0 in format 3; this program reads formats up to 2"), std::string::npos)
      << story;
}

TEST(Incident, DamageIsTold) {
  const std::string bytes = packed(web1());
  for (std::size_t at = 1; at < bytes.size(); at += 7) EXPECT_NE(refused(bytes.substr(0, at)), "") << at;
  const std::string facts = R"({"node": {"node": {"provision_state": "active"}}})";
  const std::vector<Member> changed = {
      {"manifest.json", R"({"incident_format": 1})"}, {"facts.json", facts}, {"SHA256SUMS", "0  facts.json\n"}};
  EXPECT_NE(refused(by_hand(changed)).find("a digest does not hold"), std::string::npos);
  EXPECT_NE(refused(by_hand({changed[0], changed[1]})).find("cut off"), std::string::npos);
}

TEST(IncidentTest, OfAConsoleThatWasCutNoSecretIsLeftWhoseBeginningIsGone) {
  const auto shown = [](const char* text, int from) { return safe_console({{"from", from}, {"text", text}}); };
  EXPECT_EQ(shown("d=hunter22\nlogin:", 70), "login:");
  EXPECT_EQ(shown("d=hunter22", 70), "");
  EXPECT_EQ(shown("ab\nMIIEvQ\n-----END PRIVATE KEY-----\nlogin:", 70), "******\nlogin:");
  EXPECT_EQ(shown("a line\nlogin:", 0), "a line\nlogin:") << "whole";
}

}  // namespace
}  // namespace hearth::bootstrap::why
