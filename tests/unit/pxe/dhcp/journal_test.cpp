#include "pxe/dhcp/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <future>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::pxe::dhcp {
namespace {

using testing::ElementsAre;

const Lease k_one{Ipv4{0xc000020a}, Mac{{0x52, 0x54, 0, 0, 0, 1}}, Lease::State::bound, 1700000000, "web1"};
const Lease k_two{Ipv4{0xc000020b}, Mac{{0x52, 0x54, 0, 0, 0, 2}}, Lease::State::declined, 1700000001, ""};

TEST(DhcpJournal, WhatIsWrittenIsReadBack) {
  const JournalContents contents = parse_journal(journal_line(k_one) + journal_line(k_two));
  EXPECT_THAT(contents.leases, ElementsAre(k_one, k_two));
  EXPECT_EQ(contents.damaged, 0U);
}

TEST(DhcpJournal, ATornLineIsLeftOutAndTheOthersStay) {
  const std::string line = journal_line(k_one);
  for (std::size_t size = 1; size + 1 < line.size(); ++size) {
    const JournalContents contents = parse_journal(journal_line(k_two) + line.substr(0, size));
    EXPECT_THAT(contents.leases, ElementsAre(k_two));
    EXPECT_EQ(contents.damaged, 1U);
  }
}

TEST(DhcpJournal, AChangedByteIsSeen) {
  std::string line = journal_line(k_one);
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    std::string changed = line;
    changed[at] = changed[at] == '1' ? '2' : '1';
    EXPECT_TRUE(parse_journal(changed).leases.empty()) << at;
  }
}

TEST(JournalWriter, WhatWaitsForALineRunsWhenTheFileHasIt) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  const fs::path path = directory.path() / "leases";
  JournalWriter writer(path, {k_one});
  std::promise<std::string> seen;
  writer.append(journal_line(k_two), [&] { seen.set_value(read_file(path)); });
  EXPECT_EQ(seen.get_future().get(), journal_line(k_one) + journal_line(k_two));
  EXPECT_EQ(writer.failure(), "");
}

TEST(JournalWriter, ARewriteShortensTheFileBeforeWhatFollows) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  const fs::path path = directory.path() / "leases";
  JournalWriter writer(path, {});
  std::promise<void> first;
  writer.append(journal_line(k_one) + journal_line(k_one), [&] { first.set_value(); });
  first.get_future().wait();
  EXPECT_GT(writer.grown(), 0U);
  writer.rewrite({k_one});
  EXPECT_EQ(writer.grown(), 0U);
  std::promise<std::string> seen;
  writer.append(journal_line(k_two), [&] { seen.set_value(read_file(path)); });
  EXPECT_EQ(seen.get_future().get(), journal_line(k_one) + journal_line(k_two));
}

TEST(JournalWriter, EverythingAppendedIsThereWhenItGoes) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  const fs::path path = directory.path() / "leases";
  {
    JournalWriter writer(path, {});
    for (int line = 0; line < 1000; ++line) writer.append(journal_line(k_one), [] {});
  }
  EXPECT_EQ(parse_journal(read_file(path)).leases.size(), 1000U);
}

TEST(JournalWriter, AMissingDirectoryIsAnErrorAtStart) {
  EXPECT_THROW(JournalWriter("/dev/null/nonexistent/leases", {}), Error);
}

/// No file of this process may grow beyond `bytes` while it lives: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    old_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  void (*old_)(int) = SIG_DFL;
};

std::string outcome_of(JournalWriter& writer, const Lease& lease) {
  std::promise<std::string> outcome;
  writer.append(
      journal_line(lease), [&] { outcome.set_value("durable"); },
      [&](const std::string& reason) { outcome.set_value(reason); });
  return outcome.get_future().get();
}

TEST(JournalWriter, OnAFullDiskNothingIsPromisedItIsToldAndNothingIsGluedToTheTornLine) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  const fs::path path = directory.path() / "leases";
  JournalWriter writer(path, {k_one});
  ASSERT_EQ(outcome_of(writer, k_two), "durable");
  Lease three = k_one;
  three.address.value += 9;
  {
    const FullDisk full(read_file(path).size() + 5);
    EXPECT_NE(outcome_of(writer, three), "durable");
    EXPECT_NE(writer.failure(), "");
  }
  EXPECT_EQ(outcome_of(writer, three), "durable");
  EXPECT_EQ(writer.failure(), "");
  const JournalContents contents = parse_journal(read_file(path));
  EXPECT_THAT(contents.leases, ElementsAre(k_one, k_two, three));
  EXPECT_EQ(contents.damaged, 0U);
}

}  // namespace
}  // namespace hearth::pxe::dhcp
