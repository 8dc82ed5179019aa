#include "builder/fetch/private_network.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "base/sys/file.hpp"
#include "base/sys/namespace.hpp"
#include "base/text.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::HasSubstr;

TEST(WhyNoPrivateNetwork, IsTheUsersWordOrWhatLacks) {
  EXPECT_THAT(why_no_private_network({{"HEARTH_NETWORK", "host"}}), HasSubstr("says so"));
  EXPECT_THAT(why_no_private_network({{"PATH", "/nowhere"}}), HasSubstr("slirp4netns is not installed"));
  EXPECT_THROW((void)why_no_private_network({{"HEARTH_NETWORK", "private"}, {"PATH", "/nowhere"}}), Error);
  try {
    (void)why_no_private_network({{"HEARTH_NETWORK", "own"}});
    FAIL() << "it took a word that it does not know";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'own' is neither private nor host"));
  }
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// A socket of this machine's loopback.
struct LocalSocket {
  explicit LocalSocket(int type) : socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    if (type == SOCK_STREAM) {
      EXPECT_EQ(::listen(socket.get(), 8), 0);
    }
    EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
  }
  Fd socket;
  std::uint16_t port = 0;
};

/// errno of connecting to it; 0 when somebody is there.
int error_of_connecting(const char* address, std::uint16_t port) {
  const Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to = loopback(port);
  EXPECT_EQ(::inet_pton(AF_INET, address, &to.sin_addr), 1);
  return ::connect(client.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ? 0 : errno;
}

/// What the machine's socket answers to "ask".
std::string asked(int type, std::uint16_t port) {
  const Fd client(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const sockaddr_in to = loopback(port);
  if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return "nobody is there";
  EXPECT_EQ(::send(client.get(), "ask", 3, 0), 3);
  std::array<char, 16> answer{};
  const ssize_t got = ::recv(client.get(), answer.data(), answer.size(), 0);
  return {answer.data(), got < 0 ? 0 : static_cast<std::size_t>(got)};
}

/// Answers one question of each, as a machine's service does.
int answer_both(const Fd& listener, const Fd& datagrams) {
  const Fd client(::accept(listener.get(), nullptr, nullptr));
  std::array<char, 16> question{};
  if (::recv(client.get(), question.data(), question.size(), 0) != 3) return 1;
  if (::send(client.get(), "stream", 6, 0) != 6) return 1;
  sockaddr_in from{};
  socklen_t size = sizeof from;
  auto* const address = reinterpret_cast<sockaddr*>(&from);
  if (::recvfrom(datagrams.get(), question.data(), question.size(), 0, address, &size) != 3) return 1;
  return ::sendto(datagrams.get(), "datagram", 8, 0, address, size) == 8 ? 0 : 1;
}

TEST(PrivateNetwork, ReachesOfLoopbackOnlyWhatIsNamed) {
  HEARTH_NEEDS_NAMESPACES();
  const std::string why_not = why_no_private_network(current_environment());
  if (!why_not.empty()) GTEST_SKIP() << "no network of its own here: " << why_not;
  const LocalSocket named(SOCK_STREAM);
  const LocalSocket datagrams(SOCK_DGRAM);
  const LocalSocket unnamed(SOCK_STREAM);
  const pid_t service = start_companion([&] { return answer_both(named.socket, datagrams.socket); });
  PrivateNetwork network(current_environment(),
                         {{"127.0.0.1", named.port}, {"127.0.0.1", datagrams.port, true}, {"169.254.169.254", 53}});
  NamespacedProcess process = NamespacedProcess::start([&] {
    network.enter();
    network.wait_until_connected();
    EXPECT_EQ(asked(SOCK_STREAM, named.port), "stream");
    EXPECT_EQ(asked(SOCK_DGRAM, datagrams.port), "datagram");
    EXPECT_EQ(error_of_connecting("127.0.0.1", unnamed.port), ECONNREFUSED);
    EXPECT_EQ(error_of_connecting("198.18.171.2", unnamed.port), ENETUNREACH) << "slirp4netns' name for loopback";
    EXPECT_EQ(error_of_connecting("169.254.1.1", 80), EHOSTUNREACH);
    EXPECT_EQ(error_of_connecting("169.254.169.254", 53), 0) << "a resolver that is named there";
    EXPECT_EQ(error_of_connecting("169.254.169.254", 80), ECONNREFUSED);
    return testing::Test::HasFailure() ? 1 : 0;
  });
  network.connect(process.pid());
  EXPECT_EQ(process.wait(), ExitStatus(Exited{0})) << "what failed inside is printed above";
  int status = 0;
  ::kill(service, SIGKILL);
  ::waitpid(service, &status, 0);
}

TEST(PrivateNetwork, EndsWithASandboxThatDies) {
  HEARTH_NEEDS_NAMESPACES();
  PrivateNetwork network(current_environment(), {});
  NamespacedProcess process = NamespacedProcess::start([] { return 3; });
  network.connect(process.pid());
  EXPECT_EQ(process.wait(), ExitStatus(Exited{3}));
}

/// As `ip netns add` makes them: a mount below one that all mount namespaces share.
int keeps_shared_mounts() {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 2;
  const TempDir scratch = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const fs::path named = scratch.path() / "named";
  if (::mount("shared", scratch.path().c_str(), "tmpfs", 0, nullptr) != 0) return 3;
  if (::mount(nullptr, scratch.path().c_str(), nullptr, MS_SHARED, nullptr) != 0) return 4;
  fs::create_directory(named);
  if (::mount("named", named.c_str(), "tmpfs", 0, nullptr) != 0) return 5;
  RealFileSystem().write(named / "there", "", {});
  PrivateNetwork network(current_environment(), {});
  NamespacedProcess process = NamespacedProcess::start([&] {
    network.enter();
    network.wait_until_connected();
    return 0;
  });
  network.connect(process.pid());
  if (process.wait() != ExitStatus(Exited{0})) return 6;
  const bool kept = fs::exists(named / "there");
  ::umount2(named.c_str(), MNT_DETACH);
  ::umount2(scratch.path().c_str(), MNT_DETACH);
  return kept ? 0 : 1;
}

TEST(PrivateNetwork, LeavesNamedNetworksOfThisMachineAlone) {
  HEARTH_NEEDS_NAMESPACES();
  if (::geteuid() != 0) GTEST_SKIP() << "an ordinary user mounts nothing that others share";
  const std::string why_not = why_no_private_network(current_environment());
  if (!why_not.empty()) GTEST_SKIP() << "no network of its own here: " << why_not;
  const pid_t child = start_companion(keeps_shared_mounts);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "1: a mount of this machine is gone";
}

}  // namespace
}  // namespace hearth::builder::fetch
