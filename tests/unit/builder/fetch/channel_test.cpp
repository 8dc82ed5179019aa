#include "builder/fetch/channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/unit/builder/fetch/loopback.hpp"

namespace hearth::builder::fetch {
namespace {

TEST(Channel, ReadsWritesAndSendsPartsOfFiles) {
  Ends ends;
  const TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem().write(dir.path() / "f", "0123456789", {});
  {
    Channel channel(std::move(ends.near));
    write_all(ends.far, "hi", "far end");
    std::array<char, 8> buffer{};
    EXPECT_EQ(channel.read(buffer), 2U);
    channel.write("<");
    channel.send(Fd::open((dir.path() / "f").string(), O_RDONLY), 2, 5);
    channel.write(">");
  }
  EXPECT_EQ(read_all(ends.far, "far end"), "<23456>");
}

TEST(Channel, SaysThatTheClientIsGone) {
  Ends ends;
  Channel channel(std::move(ends.near));
  ends.far = Fd();
  std::array<char, 8> buffer{};
  EXPECT_EQ(channel.read(buffer), 0U);
  EXPECT_THROW(channel.write("x"), Error);
}

}  // namespace
}  // namespace hearth::builder::fetch
