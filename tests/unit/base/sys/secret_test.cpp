#include "base/sys/secret.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {
namespace {

class SecretTest : public testing::Test {
 protected:
  fs::path file_with(const std::string& text) {
    RealFileSystem().write(dir_.path() / "key", text, {.mode = 0600});
    return dir_.path() / "key";
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(SecretTest, IsReadWholeAndGoneInAChild) {
  const Secret secret = Secret::read(file_with("the key"));
  EXPECT_EQ(secret.text(), "the key");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(secret.text() == std::string_view("\0\0\0\0\0\0\0", 7) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the child could read it";
  EXPECT_EQ(secret.text(), "the key");
}

TEST_F(SecretTest, IsTakenOutOfTheText) {
  std::string text(100, 'k');
  const char* const bytes = text.data();
  const Secret secret = Secret::take(text);
  EXPECT_EQ(secret.text(), std::string(100, 'k'));
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(std::string_view(bytes + 1, 98), std::string(98, '\0')) << "its memory is still ours";
}

TEST_F(SecretTest, WhoForbidsDumpsCantBeTracedAndStillSeesItself) {
  const fs::path file = file_with("before");
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  const auto forbidden = [&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 3;
    ::prctl(PR_SET_DUMPABLE, 1);  // setuid() cleared it
    forbid_dumps();
    RealFileSystem().write(file, "after", {.mode = 0600});  // by its name in /proc
    const bool sees = RealFileSystem().read("/proc/self/statm").has_value();
    return sees && ::prctl(PR_GET_DUMPABLE) == 0 && in_child([] { return ::prctl(PR_GET_DUMPABLE); }) == 0 ? 0 : 1;
  };
  EXPECT_EQ(in_child(forbidden), 0);
  EXPECT_EQ(read_file(file), "after");
}

TEST_F(SecretTest, IsMissedAndLimited) {
  EXPECT_THROW((void)Secret::read(dir_.path() / "none"), Error);
  EXPECT_THROW((void)Secret::read(file_with(std::string(65536, 'x'))), Error);
}

}  // namespace
}  // namespace hearth
