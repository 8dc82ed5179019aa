#include "base/sys/secret.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

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

TEST_F(SecretTest, IsMissedAndLimited) {
  EXPECT_THROW((void)Secret::read(dir_.path() / "none"), Error);
  EXPECT_THROW((void)Secret::read(file_with(std::string(65536, 'x'))), Error);
}

}  // namespace
}  // namespace hearth
