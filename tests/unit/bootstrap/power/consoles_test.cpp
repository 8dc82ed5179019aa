#include "bootstrap/power/consoles.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::bootstrap {
namespace {

Node node_with_console() {
  Node node;
  node.uuid = "11111111-1111-1111-1111-111111111111";
  node.driver = "ipmi";
  node.driver_info = {{"ipmi_address", "192.0.2.9"}, {"ipmi_username", "admin"}, {"ipmi_password", "secret"}};
  node.fields["console_interface"] = "ipmitool-socat";
  node.fields["console_enabled"] = true;
  return node;
}

TEST(Consoles, areThoseOfIpmiWhereTheInterfaceSaysSo) {
  Node node = node_with_console();
  EXPECT_EQ(console_fault(node), "");
  node.driver_info["ipmi_protocol_version"] = "1.5";
  EXPECT_NE(console_fault(node).find("only works with IPMI protocol version 2.0"), std::string::npos);
  node.fields["console_interface"] = "no-console";
  EXPECT_EQ(console_fault(node), "Driver ipmi does not support console (disabled or not implemented).");
  node = node_with_console();
  node.driver = "redfish";
  EXPECT_FALSE(has_console(node));
}

class ConsolesOfATool : public testing::Test {
 protected:
  ConsolesOfATool() {
    const char* path = std::getenv("PATH");
    before_ = path == nullptr ? "" : path;
    tool("echo operational; exec cat");
    ::setenv("PATH", cat(folder_.path().string(), ":", before_).c_str(), 1);
  }
  ~ConsolesOfATool() override { ::setenv("PATH", before_.c_str(), 1); }
  /// Stands for ipmitool; what it is called with is kept.
  void tool(const std::string& session) {
    const fs::path file = folder_.path() / "ipmitool";
    RealFileSystem().write(file,
                           cat("#!/bin/sh\necho \"$IPMI_PASSWORD $*\" >>", (folder_.path() / "calls").string(),
                               "\ncase $* in *deactivate*) exit 1 ;; esac\n", session, "\n"),
                           {.mode = 0755, .uid = {}, .gid = {}});
  }
  [[nodiscard]] std::string heard(const Fd& reader, const std::string& wanted) const {
    std::string all;
    std::array<char, 1000> part;
    for (ssize_t got = 1; all.find(wanted) == std::string::npos && got > 0;) {
      got = ::recv(reader.get(), part.data(), part.size(), 0);
      if (got > 0) all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
  }
  [[nodiscard]] Fd reader(const Node& node) const {
    Fd made = connect_locally(console_socket(folder_.path(), node.uuid)).value();
    const timeval patience{20, 0};
    ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return made;
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "consoles.");
  std::string before_;
  FdLogger log_{2};
};

TEST_F(ConsolesOfATool, carryWhatTheSessionSaysAndWhatIsTypedToAllWhoLookOn) {
  const Node node = node_with_console();
  Consoles consoles(folder_.path(), log_);
  consoles.follow({&node});
  const Fd one = reader(node);
  EXPECT_NE(heard(one, "operational"), "");
  ::send(one.get(), "root\n", 5, MSG_NOSIGNAL);
  EXPECT_NE(heard(one, "root"), "");
  const Fd other = reader(node);
  EXPECT_NE(heard(other, "root").find("operational"), std::string::npos) << "who comes later sees what was";
  ::send(other.get(), "both\n", 5, MSG_NOSIGNAL);
  EXPECT_NE(heard(one, "both"), "");
  const std::string calls = RealFileSystem().read(folder_.path() / "calls").value();
  EXPECT_LT(calls.find("sol deactivate"), calls.find("sol activate")) << "what a session before has left is ended";
  EXPECT_EQ(calls.substr(0, 7), "secret ") << "by the environment";
  EXPECT_EQ(replace_all(calls, "\nsecret ", "\n").find("secret", 7), std::string::npos) << "never by its arguments";
}

TEST_F(ConsolesOfATool, whatIsPastedComesWholeToASlowSessionAndNeverAsItsOwnEscape) {
  const fs::path file = folder_.path() / "typed";
  tool(cat("echo operational; sleep 1; exec cat >", file.string()));
  const Node node = node_with_console();
  Consoles consoles(folder_.path(), log_);
  consoles.follow({&node});
  const Fd one = reader(node);
  EXPECT_NE(heard(one, "operational"), "");
  std::string pasted;
  for (int i = 0; i < 6000; ++i) pasted += cat("line ", i, "\r");
  const std::string typed = cat("\r\x1d\x1a", pasted);  // ipmitool's word for stopping itself
  for (std::size_t sent = 0; sent < typed.size();) {
    const ssize_t part = ::send(one.get(), typed.data() + sent, typed.size() - sent, MSG_NOSIGNAL);
    ASSERT_GT(part, 0);
    sent += static_cast<std::size_t>(part);
  }
  const std::string expected = cat("\r\x1a", pasted);
  std::string came;
  for (int i = 0; i < 200 && came.size() < expected.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    came = RealFileSystem().read(file).value_or("");
  }
  EXPECT_EQ(came.size(), expected.size());
  EXPECT_TRUE(came == expected);
}

TEST_F(ConsolesOfATool, areClosedWithTheNodesWishAndOpenedAnewForAnotherBmc) {
  Node node = node_with_console();
  Consoles consoles(folder_.path(), log_);
  consoles.follow({&node});
  {
    const Fd one = reader(node);
    EXPECT_NE(heard(one, "operational"), "");
    node.driver_info["ipmi_address"] = "192.0.2.10";
    consoles.follow({&node});
    static_cast<void>(heard(one, "never"));  // until its session is over
  }
  EXPECT_NE(heard(reader(node), "operational"), "");
  EXPECT_NE(RealFileSystem().read(folder_.path() / "calls")->find("192.0.2.10"), std::string::npos);
  node.fields["console_enabled"] = false;
  consoles.follow({&node});
  EXPECT_FALSE(fs::exists(console_socket(folder_.path(), node.uuid)));
  consoles.follow({});
}

TEST_F(ConsolesOfATool, itIsKnownWhetherASessionCarriesWhatIsTyped) {
  const fs::path open = folder_.path() / "open";
  tool(cat("while [ ! -e ", open.string(), " ]; do sleep 0.05; done; echo '[SOL Session operational]'; exec cat"));
  const Node node = node_with_console();
  Consoles consoles(folder_.path(), log_, std::chrono::milliseconds(50));
  EXPECT_FALSE(consoles.session(node.uuid).is_up);
  consoles.follow({&node});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(consoles.session(node.uuid).is_up) << "it has not begun yet";
  RealFileSystem().write(open, "", {});
  const Fd one = reader(node);
  EXPECT_NE(heard(one, "operational"), "");
  EXPECT_TRUE(consoles.session(node.uuid).is_up);
  consoles.follow({});
  EXPECT_FALSE(consoles.session(node.uuid).is_up);
}

TEST_F(ConsolesOfATool, whyThereIsNoSessionIsKnownUntilThereIsOne) {
  const fs::path open = folder_.path() / "open";
  tool(cat("[ -e ", open.string(),
           " ] || { echo first; printf 'Error: Unable to establish IPMI v2 / RMCP+ session\\r\\n'; exit 1; }; ",
           "echo '[SOL Session operational]'; exec cat"));
  const Node node = node_with_console();
  fakes::MemoryLogger log;
  Consoles consoles(folder_.path(), log, std::chrono::milliseconds(100));
  consoles.follow({&node});
  const auto wait_for = [&](const std::string& fault) {
    for (int i = 0; i < 200 && consoles.session(node.uuid).fault != fault; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return consoles.session(node.uuid).fault;
  };
  EXPECT_EQ(wait_for("Error: Unable to establish IPMI v2 / RMCP+ session"),
            "Error: Unable to establish IPMI v2 / RMCP+ session");
  EXPECT_FALSE(consoles.session(node.uuid).is_up);
  consoles.follow({&node});
  consoles.follow({&node});
  EXPECT_EQ(log.lines.size(), 1U) << "once";
  EXPECT_TRUE(log.holds("can't be opened: Error: Unable to establish")) << log.all();
  RealFileSystem().write(open, "", {});
  EXPECT_EQ(wait_for(""), "");
}

TEST_F(ConsolesOfATool, aBmcThatRefusesIsAskedLessAndLessOften) {
  tool("exit 1");
  const Node node = node_with_console();
  {
    Consoles consoles(folder_.path(), log_, std::chrono::milliseconds(50));
    consoles.follow({&node});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  const std::string calls = RealFileSystem().read(folder_.path() / "calls").value();
  const std::size_t sessions = split(calls, '\n').size() / 2;
  EXPECT_GE(sessions, 2U) << "both cipher suites are tried";
  EXPECT_LE(sessions, 6U) << calls;
}

TEST_F(ConsolesOfATool, aSessionThatWasKilledIsBegunAnewWithTheSuiteThatItHad) {
  tool("case $* in *'-C 17'*) echo operational ;; *) echo no; exit 1 ;; esac");
  const Node node = node_with_console();
  Consoles consoles(folder_.path(), log_, std::chrono::milliseconds(50));
  consoles.follow({&node});
  const Fd one = reader(node);
  std::string said;
  for (int sessions = 0; sessions < 3; ++sessions) said += heard(one, "begun anew");
  const std::string calls = RealFileSystem().read(folder_.path() / "calls").value();
  EXPECT_NE(calls.find("-C 17"), std::string::npos) << calls;
  EXPECT_EQ(calls.find("-C 3 "), std::string::npos) << "the other suite is for a BMC that refuses: " << calls << said;
}

TEST_F(ConsolesOfATool, aSessionThatHangsDoesNotKeepTheEndWaiting) {
  tool("trap '' HUP TERM; while :; do sleep 1; done");
  const Node node = node_with_console();
  const auto begun = std::chrono::steady_clock::now();
  {
    Consoles consoles(folder_.path(), log_);
    consoles.follow({&node});
    const Fd one = reader(node);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(4));
}

}  // namespace
}  // namespace hearth::bootstrap
