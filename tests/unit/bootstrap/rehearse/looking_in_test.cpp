#include "bootstrap/rehearse/looking_in.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string refused_look(const RunningRehearsal& rehearsal, const std::string& machine) {
  try {
    need_machine(rehearsal, machine);
  } catch (const Error& error) {
    return error.story();
  }
  return "";
}

TEST(LookingIn, needsARehearsalThatRunsAndAMachineOfIt) {
  const TempDir folder = TempDir::create(fs::temp_directory_path(), "rehearsal.");
  const RunningRehearsal rehearsal{folder.path(), "hearth rehearse s.yaml"};
  EXPECT_NE(refused_look(rehearsal, "control1").find("hearth rehearse s.yaml --keep"), std::string::npos);
  RealFileSystem().make_directories(folder.path() / "machines/control1", 0700);
  const FileLock lock = FileLock::try_acquire(folder.path() / "rehearsal.lock").value();
  EXPECT_EQ(refused_look(rehearsal, "control1"), "");
  EXPECT_EQ(refused_look(rehearsal, "seed"), "");
  EXPECT_NE(refused_look(rehearsal, "contrl1").find("did you mean control1?"), std::string::npos);
}

TEST(LookingIn, aShellGoesThroughTheDoorWithTheRehearsalsKey) {
  const std::vector<std::string> argv =
      shell_command("/r", "control1", {"/opt/hearth", "rehearse", "my site%.yaml", "--connect", "control1:22"},
                    {"sh", "-c", "exit 7"});
  EXPECT_EQ(argv.front(), "ssh");
  EXPECT_EQ(argv[2], "/r/ssh-key");
  EXPECT_NE(join(argv, "\n").find("\nProxyCommand=/opt/hearth rehearse 'my site%%.yaml' --connect control1:22\n"),
            std::string::npos)
      << join(argv, "\n");
  EXPECT_EQ(std::vector<std::string>(argv.end() - 2, argv.end()),
            (std::vector<std::string>{"root@control1", "sh -c 'exit 7'"}));
  EXPECT_EQ(shell_command("/r", "control1", {"x"}, {"id; uname -r"}).back(), "id; uname -r");  // a whole command line
  EXPECT_EQ(shell_command("/r", "control1", {"x"}, {}).back(), "root@control1");
}

TEST(LookingIn, aPortIsNamedWithItsMachine) {
  EXPECT_THROW(connect_streams({"/r", ""}, "control1"), Error);
  EXPECT_THROW(connect_streams({"/r", ""}, "control1:99999"), Error);
}

}  // namespace
}  // namespace hearth::bootstrap
