#include "agent/net/state_file.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NetState, IsReadBackAsItWasSaved) {
  fakes::MemoryFileSystem files;
  save_state({{"em1", "br0"}, {{"/etc/x", "text\n"}, {"/etc/y", ""}}}, "/r", files);
  EXPECT_EQ(files.files.at("/r/var/lib/os-net-config/state.json").attributes.mode, 0600);
  const State state = load_state("/r", files);
  EXPECT_THAT(state.pending, ElementsAre("br0", "em1"));
  ASSERT_EQ(state.rollback.size(), 2);
  EXPECT_EQ(state.rollback[0].path, "/etc/x");
  EXPECT_EQ(state.rollback[0].data, "text\n");
}

TEST(NetState, EmptyOneLeavesNoFile) {
  fakes::MemoryFileSystem files;
  save_state({{"em1"}, {}}, "", files);
  save_state({}, "", files);
  EXPECT_THAT(files.files, IsEmpty());
}

TEST(NetState, DamagedFileCountsAsNone) {
  for (const char* text : {"{", "[]", "{\"pending\": 1}", "{\"pending\": [3], \"rollback\": [7]}"}) {
    fakes::MemoryFileSystem files;
    files.put(state_path(""), text);
    EXPECT_THAT(load_state("", files).pending, IsEmpty()) << text;
    EXPECT_THAT(load_state("", files).rollback, IsEmpty()) << text;
  }
}

TEST(NetState, WritingAndFormerContentsAreInverse) {
  fakes::MemoryFileSystem files;
  files.put("/etc/a", "old\n");
  const std::vector<FileChange> changes = {{"/etc/a", "new\n"}, {"/etc/b/c", "new too\n"}};
  const std::vector<FileChange> former = former_files(changes, files);
  write_files(changes, files);
  EXPECT_EQ(files.files.at("/etc/b/c").data, "new too\n");
  write_files(former, files);
  EXPECT_EQ(files.files.at("/etc/a").data, "old\n");
  EXPECT_EQ(files.files.count("/etc/b/c"), 0);
}

}  // namespace
}  // namespace hearth::agent::net
