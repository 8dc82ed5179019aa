#include "agent/collect/daemon_state.hpp"

#include <gtest/gtest.h>

#include "agent/signal/journal.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent {
namespace {

class DaemonStateTest : public testing::Test {
 protected:
  DaemonStateTest() {
    files_.put("/proc/7/stat", "7 (x y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20");
    files_.put("/proc/sys/kernel/random/boot_id", "boot\n");
    files_.make_directories("/run", 0755);
  }
  fakes::MemoryFileSystem files_;
  fakes::ManualClock clock_;
};

TEST_F(DaemonStateTest, WhatIsToldIsReadAsLongAsTheDaemonLives) {
  DaemonStateFile file("/run/occ", files_, clock_, process_identity(files_, 7));
  file.tell(DaemonState::Doing::waiting, 30);
  const std::optional<DaemonState> state = read_daemon_state("/run/occ", files_);
  ASSERT_TRUE(state);
  EXPECT_EQ(doing_name(state->doing), "waiting");
  EXPECT_EQ(state->since, 3600);
  EXPECT_EQ(state->until, 3630);
  files_.put("/proc/7/stat", "7 (x y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 100 20");  // another process
  EXPECT_FALSE(read_daemon_state("/run/occ", files_));
}

TEST_F(DaemonStateTest, ADamagedFileAndAFullDiskAreNoErrors) {
  for (const char* text : {"", "{", "[]", "{\"doing\": 3}", "{\"doing\": \"waiting\"}"}) {
    files_.put("/run/occ.state", text);
    EXPECT_FALSE(read_daemon_state("/run/occ", files_)) << text;
  }
  files_.fail_write_after(0);
  DaemonStateFile("/run/occ", files_, clock_, "x").tell(DaemonState::Doing::polling);
}

}  // namespace
}  // namespace hearth::agent
