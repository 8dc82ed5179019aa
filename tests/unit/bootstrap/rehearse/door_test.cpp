#include "bootstrap/rehearse/door.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/client/terminal.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Door, theKernelsTableOfNeighboursTellsWhereACardIs) {
  const char* table =
      "IP address       HW type     Flags       HW address            Mask     Device\n"
      "192.0.2.100      0x1         0x2         52:54:00:00:00:01     *        br0\n"
      "192.0.2.101      0x1         0x0         52:54:00:00:00:02     *        br0\n";
  EXPECT_EQ(neighbour_of(table, "52:54:00:00:00:01"), "192.0.2.100");
  EXPECT_EQ(neighbour_of(table, "52:54:00:00:00:02"), "") << "an entry that is not complete";
  EXPECT_EQ(neighbour_of(table, "52:54:00:00:00:03"), "");
}

TEST(Door, aCardsLinkLocalAddressFollowsFromItsMac) {
  EXPECT_EQ(link_local_of("52:54:00:0b:1a:02"), "fe80::5054:ff:fe0b:1a02");
  EXPECT_EQ(link_local_of("x"), "");
}

/// A door in a process of its own, before a server that answers with what it got, in capitals.
class OpenDoor : public testing::Test {
 protected:
  void SetUp() override {
    server_ = listen_on_loopback(0);
    const std::uint16_t inner = port_of(server_.get());
    page_ = listen_on_loopback(0);
    hosts_ = {{"one", {"127.0.0.1", ""}}, {"two", {}}};
    // Before there is a thread: what it held at the fork nobody would let go.
    pid_ = start_companion([this, inner] { return serve_door(page_, inner, folder_.path() / "door", hosts_); });
    answerer_ = std::thread([this] {
      while (true) {
        const Fd client(::accept(server_.get(), nullptr, nullptr));
        if (!client) return;
        std::string text = read_all(client, "the client");
        for (char& c : text) c = static_cast<char>(std::toupper(c));
        write_all(client, text, "the client");
      }
    });
    while (!fs::exists(folder_.path() / "door")) std::this_thread::yield();
  }
  void TearDown() override {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::shutdown(server_.get(), SHUT_RDWR);
    answerer_.join();
  }
  Fd through(const char* machine, std::uint16_t port) {
    while (true) {  // its socket is there a moment before it listens
      try {
        return through_door(folder_.path() / "door", machine, port);
      } catch (const Error& error) {
        if (std::string(error.what()).find("nobody listens at") == std::string::npos) throw;
      }
    }
  }
  static std::string asked(const Fd& fd, const char* text) {
    write_all(fd, text, "the door");
    ::shutdown(fd.get(), SHUT_WR);
    return read_all(fd, "the door");
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "door.");
  Fd server_, page_;
  DoorHosts hosts_;
  std::thread answerer_;
  pid_t pid_ = -1;
};

TEST_F(OpenDoor, leadsToAnyPortOfAMachineAndThePageToItsOwn) {
  EXPECT_EQ(asked(through("one", port_of(server_.get())), "hello"), "HELLO");
  const Fd page(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  ASSERT_EQ(::getsockname(page_.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  ASSERT_EQ(::connect(page.get(), reinterpret_cast<const sockaddr*>(&name), length), 0);
  EXPECT_EQ(asked(page, "page"), "PAGE");
}

TEST_F(OpenDoor, staysOpenWhenOneLeavesBeforeTheAnswer) {
  for (int i = 0; i < 3; ++i) write_all(through("one", port_of(server_.get())), "nobody reads the answer", "the door");
  EXPECT_EQ(asked(through("one", port_of(server_.get())), "hello"), "HELLO");
  EXPECT_EQ(::waitpid(pid_, nullptr, WNOHANG), 0) << "it serves on";
}

TEST_F(OpenDoor, saysWhyItLeadsNowhere) {
  const auto reason = [&](const char* machine, std::uint16_t port) -> std::string {
    try {
      static_cast<void>(through(machine, port));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(reason("three", 22).find("there is no machine three"), std::string::npos) << reason("three", 22);
  EXPECT_NE(reason("two", 22).find("no address yet"), std::string::npos) << reason("two", 22);
  EXPECT_NE(reason("one", 1).find("port 1 of one: Connection refused"), std::string::npos) << reason("one", 1);
}

TEST(Door, aPortThatIsTakenIsRefusedWithAdvice) {
  const Fd first = listen_on_loopback(0);
  try {
    static_cast<void>(listen_on_loopback(port_of(first.get())));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.story().find("give another port"), std::string::npos) << error.story();
  }
}

}  // namespace
}  // namespace hearth::bootstrap
