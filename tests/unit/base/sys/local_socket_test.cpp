#include "base/sys/local_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth {
namespace {

class LocalSocketTest : public testing::Test {
 protected:
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path path_ = dir_.path() / "api.socket";
};

TEST_F(LocalSocketTest, IsForItsOwnerOnlyAndTellsWhoIsThere) {
  const Fd listening = listen_locally(path_);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  const std::optional<Fd> client = connect_locally(path_);
  ASSERT_TRUE(client);
  const Fd server(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(user_behind(server.get()), ::geteuid());
  EXPECT_EQ(user_behind(client->get()), ::geteuid());
}

TEST_F(LocalSocketTest, NobodyIsThereWhereNothingListens) {
  EXPECT_FALSE(connect_locally(path_));
  EXPECT_FALSE(connect_locally(path_ / "below-what-is-not-there"));
  { const Fd listening = listen_locally(path_); }
  EXPECT_FALSE(connect_locally(path_));
}

TEST_F(LocalSocketTest, WhatAnEndedOneLeftIsReplaced) {
  { const Fd listening = listen_locally(path_); }
  const Fd listening = listen_locally(path_);
  EXPECT_TRUE(connect_locally(path_));
}

TEST_F(LocalSocketTest, APathMayBeLongerThanTheKernelTakes) {
  const fs::path deep = dir_.path() / std::string(100, 'a') / std::string(100, 'b');
  RealFileSystem().make_directories(deep, 0700);
  const Fd listening = listen_locally(deep / "api.socket");
  EXPECT_TRUE(connect_locally(deep / "api.socket"));
  EXPECT_THROW(static_cast<void>(listen_locally(deep / std::string(100, 'c'))), Error);
}

TEST_F(LocalSocketTest, WhoseProcessItIsNobodySaysOfOtherDescriptors) {
  const Pipe pipe = Pipe::create();
  EXPECT_FALSE(user_behind(pipe.read.get()));
}

}  // namespace
}  // namespace hearth
