#include "agent/signal/journal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/fakes/lossy_disk.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent {
namespace {

TEST(Journal, ARecordSurvivesTheDisk) {
  fakes::MemoryFileSystem files;
  files.make_directories("/d", 0700);
  SignalJournal journal(files, "/d");
  journal.store(
      "a",
      {.state = SignalRecord::State::pending, .data = {{"k", 1}}, .attempts = 2, .next_attempt = 77, .reason = "why"});
  EXPECT_EQ(files.files.at("/d/a.signal").attributes.mode, 0600U);
  const std::optional<SignalRecord> back = journal.load("a");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->state, SignalRecord::State::pending);
  EXPECT_EQ(back->data, Json({{"k", 1}}));
  EXPECT_EQ(back->attempts, 2);
  EXPECT_EQ(back->next_attempt, 77);
  EXPECT_EQ(back->reason, "why");
  files.put("/d/.b.signal", "{");  // of a write that a power cut ended
  EXPECT_EQ(journal.ids(), std::vector<std::string>{"a"});
}

TEST(Journal, APowerCutForgetsNoSignalThatWaitsAndNoHookThatHasRun) {
  const TempDir directory = TempDir::create("/tmp", "hearth-test-");
  const fs::path deployed = directory.path() / "lib/deployed";
  RealFileSystem files;
  fakes::LossyDisk disk(directory.path());
  files.make_directories(deployed, 0700);
  SignalJournal journal(files, deployed);
  journal.store("a", {.state = SignalRecord::State::running, .owner = "me"});
  disk.promise("running");
  journal.store("a", {.state = SignalRecord::State::pending, .data = {{"deploy_stdout", std::string(3000, 'x')}}});
  disk.promise("pending");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::optional<SignalRecord> found = journal.load("a");
    ASSERT_TRUE(found || cut.promised.empty());
    if (!found) return;
    const bool waits = found->state == SignalRecord::State::pending;
    EXPECT_TRUE(waits || cut.promised.size() < 2);
    EXPECT_EQ(waits ? found->data.value("deploy_stdout", "").size() : 3000U, 3000U);
  });
  EXPECT_GT(cuts, 5U);
}

TEST(Journal, ADamagedRecordCountsAsMissing) {
  fakes::MemoryFileSystem files;
  files.put("/d/a.signal", "{\"state\":");
  files.put("/d/b.signal", "{\"state\": \"odd\"}");
  EXPECT_FALSE(SignalJournal(files, "/d").load("a"));
  EXPECT_FALSE(SignalJournal(files, "/d").load("b"));
  EXPECT_FALSE(SignalJournal(files, "/d").load("c"));
}

TEST(Journal, PausesGrowToAnHourAndEndsDropTheData) {
  SignalRecord record{.data = {{"k", 1}}};
  record_delivery(record, {Delivery::later, "x"}, 1000);
  EXPECT_EQ(record.next_attempt, 1030);
  record_delivery(record, {Delivery::later, "x"}, 1000);
  EXPECT_EQ(record.next_attempt, 1060);
  for (int i = 0; i < 50; ++i) record_delivery(record, {Delivery::later, "x"}, 1000);
  EXPECT_EQ(record.next_attempt, 4600);
  EXPECT_FALSE(record.data.is_null());
  record_delivery(record, {}, 1000);
  EXPECT_EQ(record.state, SignalRecord::State::delivered);
  EXPECT_TRUE(record.data.is_null());
}

TEST(ProcessIdentity, IsAliveOnlyForTheSameProcessOfTheSameBoot) {
  RealFileSystem files;
  const std::string own = process_identity(files, ::getpid());
  EXPECT_TRUE(is_alive(files, own));
  EXPECT_FALSE(is_alive(files, own + "1"));
  EXPECT_FALSE(is_alive(files, "boot/1/1"));
  EXPECT_FALSE(is_alive(files, ""));
}

}  // namespace
}  // namespace hearth::agent
