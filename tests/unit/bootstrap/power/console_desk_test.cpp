#include "bootstrap/power/console_desk.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"
#include "bootstrap/power/consoles.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_here = "a-keyboard-of-one-window";
constexpr const char* k_there = "a-keyboard-of-another-one";

class Desk : public testing::Test {
 protected:
  Desk() {
    bmc_node.uuid = "11111111-1111-1111-1111-111111111111";
    bmc_node.driver = "ipmi";
    bmc_node.fields = {{"console_interface", "ipmitool-socat"}, {"console_enabled", true}};
    own_node.uuid = "22222222-2222-2222-2222-222222222222";
    own_node.driver = "qemu";
    own_node.name = "m1";
    RealFileSystem().make_directories(folder.path() / "consoles", 0700);
    RealFileSystem().make_directories(home(), 0700);
  }
  [[nodiscard]] fs::path home() const { return folder.path() / "qemu" / own_node.uuid; }
  /// What has been typed by now.
  static std::string heard(const Fd& machine) {
    std::array<char, 10'000> bytes{};
    const ssize_t got = ::recv(machine.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : "";
  }
  static Fd accepted(const Fd& listener) { return Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  static void say(const Fd& machine, std::string_view text) {
    ASSERT_EQ(::send(machine.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }

  /// QEMU's monitor, which tells of its console, once.
  std::thread monitor(const std::string& filename) {
    return std::thread([listener = listen_locally(home() / "qmp"), filename] {
      const Fd asker = accepted(listener);
      say(asker, "{\"QMP\": {}}\n");
      const Json lines = {{{"label", "compat_monitor0"}, {"filename", "unix"}},
                          {{"label", "console"}, {"filename", filename}}};
      for (const std::string& told : {std::string("{\"return\": {}}"), format_json({{"return", lines}})}) {
        std::array<char, 1000> bytes{};
        if (::recv(asker.get(), bytes.data(), bytes.size(), 0) <= 0) return;
        say(asker, cat(told, "\n"));
      }
    });
  }
  std::string take_of(const std::string& filename) {
    std::thread machine = monitor(filename);
    const std::string fault = desk.take(own_node, "ann", k_here);
    machine.join();
    return fault;
  }

  TempDir folder = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fakes::ManualClock clock;
  ConsoleDesk desk{folder.path(), folder.path() / "others", clock};
  Node bmc_node;
  Node own_node;
};

TEST_F(Desk, WhatABmcsSessionSaysIsReadAndWhatIsTypedReachesIt) {
  EXPECT_FALSE(desk.part(bmc_node, {}, "ann", "")) << "nobody listens there yet";
  EXPECT_NE(desk.take(bmc_node, "ann", k_here).find("no session with its BMC yet"), std::string::npos);
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  const std::uint64_t begin = desk.part(bmc_node, {}, "ann", "").value()["end"];
  const Fd machine = accepted(listener);
  say(machine, "login: ");
  const Json part = desk.part(bmc_node, begin, "ann", "").value();
  EXPECT_EQ(part["text"], "login: ");
  EXPECT_EQ(part["typist"], nullptr);
  EXPECT_EQ(desk.take(bmc_node, "ann", k_here), "");
  EXPECT_EQ(desk.type(bmc_node, "ann", k_here, "root\r"), "");
  EXPECT_EQ(heard(machine), "root\r");
  EXPECT_EQ(desk.part(bmc_node, part["end"], "ann", k_here).value()["yours"], true);
  EXPECT_EQ(desk.shown(bmc_node), Json({{"kind", "bmc"}, {"on", true}, {"why", ""}}));
  bmc_node.fields["console_enabled"] = false;
  EXPECT_EQ(desk.shown(bmc_node)["on"], false);
  EXPECT_FALSE(desk.part(bmc_node, {}, "ann", ""));
}

TEST_F(Desk, OneTypesAtATime) {
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  EXPECT_EQ(desk.take(bmc_node, "ann", k_here), "");
  const Fd machine = accepted(listener);
  EXPECT_EQ(desk.take(bmc_node, "ann", k_here), "") << "hers already";
  EXPECT_EQ(desk.take(bmc_node, "bob", k_there).rfind("ann types at it: one at a time. It is free when", 0), 0U);
  EXPECT_NE(desk.take(bmc_node, "ann", k_there), "") << "her other window is another keyboard";
  EXPECT_NE(desk.type(bmc_node, "bob", k_here, "x"), "") << "her keyboard is no use to others";
  EXPECT_NE(desk.type(bmc_node, "ann", k_there, "x"), "");
  EXPECT_EQ(heard(machine), "");
  EXPECT_EQ(desk.part(bmc_node, {}, "bob", "").value()["typist"], "ann");
  desk.leave(bmc_node.uuid, "bob", k_here);
  EXPECT_TRUE(desk.is_his(bmc_node.uuid, "ann", k_here));
  desk.leave(bmc_node.uuid, "ann", k_here);
  EXPECT_EQ(desk.take(bmc_node, "bob", k_there), "");
  EXPECT_NE(desk.type(bmc_node, "bob", k_there, std::string(ConsoleDesk::k_keys + 1, 'x')), "");
}

TEST_F(Desk, AKeyboardThatNobodyUsesIsGivenBack) {
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  ASSERT_EQ(desk.take(bmc_node, "ann", k_here), "");
  Fd machine = accepted(listener);
  clock.advance(ConsoleDesk::k_sign - std::chrono::seconds(1));
  EXPECT_TRUE(desk.tick().empty());
  static_cast<void>(desk.part(bmc_node, {}, "ann", k_here));
  clock.advance(ConsoleDesk::k_sign - std::chrono::seconds(1));
  EXPECT_TRUE(desk.tick().empty()) << "her page was there";
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(desk.tick().at(0).why, "their page is gone");
  desk.told();
  EXPECT_NE(desk.type(bmc_node, "ann", k_here, "x"), "");

  ASSERT_EQ(desk.take(bmc_node, "ann", k_here), "");
  machine = accepted(listener);
  for (auto gone = Duration::zero(); gone <= ConsoleDesk::k_idle; gone += std::chrono::seconds(10)) {
    ASSERT_TRUE(desk.tick().empty());
    clock.advance(std::chrono::seconds(10));
    static_cast<void>(desk.part(bmc_node, {}, "ann", k_here));
  }
  EXPECT_EQ(desk.tick().at(0).why, "nothing was typed for five minutes");
  desk.told();

  ASSERT_EQ(desk.take(bmc_node, "ann", k_here), "");
  machine = Fd();
  static_cast<void>(desk.tick());
  EXPECT_EQ(desk.tick().at(0).why, "the console has ended");
}

TEST_F(Desk, WhatComesAnewIsNotTakenForWhatWas) {
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  static_cast<void>(desk.part(bmc_node, {}, "ann", ""));
  Fd machine = accepted(listener);
  say(machine, "before");
  const std::uint64_t end = desk.part(bmc_node, {}, "ann", "").value()["end"];
  machine = Fd();
  static_cast<void>(desk.tick());
  static_cast<void>(desk.part(bmc_node, {}, "ann", ""));
  machine = accepted(listener);
  say(machine, "after");
  const Json part = desk.part(bmc_node, end, "ann", "").value();
  EXPECT_EQ(part["text"], "after");
  EXPECT_NE(part["from"], end) << "its reader begins anew";
}

TEST_F(Desk, AMachineOfThisComputerIsReadFromItsFileAndTypedToByItsSocket) {
  EXPECT_EQ(desk.shown(own_node), nullptr);
  RealFileSystem().write(home() / "console.log", "Booting\n", {});
  EXPECT_EQ(desk.shown(own_node)["kind"], "machine");
  EXPECT_EQ(desk.part(own_node, {}, "ann", "").value()["text"], "Booting\n");
  EXPECT_NE(desk.take(own_node, "ann", k_here).find("the machine is off"), std::string::npos);
  const Fd listener = listen_locally(home() / "console");
  ASSERT_EQ(take_of("disconnected:unix:/console,server=on"), "");
  const Fd machine = accepted(listener);
  say(machine, "what it says is in the file, too");
  EXPECT_EQ(desk.type(own_node, "ann", k_here, "ls\r"), "");
  EXPECT_EQ(heard(machine), "ls\r");
  EXPECT_EQ(desk.part(own_node, {}, "ann", k_here).value()["text"], "Booting\n") << "not twice";
}

TEST_F(Desk, AMachineThatTakesNoKeysIsToldOf) {
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  ASSERT_EQ(desk.take(bmc_node, "ann", k_here), "");
  std::string fault;
  for (int i = 0; i < 1000 && fault.empty(); ++i) fault = desk.type(bmc_node, "ann", k_here, std::string(4000, 'x'));
  EXPECT_NE(fault.find("takes no keys"), std::string::npos) << "and nobody waits for it";
  EXPECT_EQ(fault.find("Of this, the first 0"), std::string::npos);
}

TEST_F(Desk, AMachineWhoseConsoleAnotherProgramHasIsNotTypedTo) {
  RealFileSystem().write(home() / "console.log", "Booting\n", {});
  const Fd listener = listen_locally(home() / "console");
  const Fd other = connect_locally(home() / "console").value();
  const Fd machine = accepted(listener);
  EXPECT_NE(take_of("unix:/console,server=on").find("another program has its console"), std::string::npos);
  EXPECT_NE(desk.type(own_node, "ann", k_here, "reboot\r"), "");
  pollfd waiting{listener.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 0), 0) << "nobody waits there with keys";
}

TEST_F(Desk, WhereThereIsNoConsoleItIsSaidWhatHasOne) {
  own_node.driver = "redfish";
  EXPECT_NE(desk.take(own_node, "ann", k_here).find("no console of a machine of driver redfish"), std::string::npos);
  bmc_node.fields = Json::object();
  EXPECT_NE(desk.take(bmc_node, "ann", k_here).find("--console-interface"), std::string::npos);
}

TEST_F(Desk, WhileABmcsSessionIsDownNothingIsSaidToBeTyped) {
  bool is_up = true;
  desk.ask_sessions([&](const std::string& uuid) { return ConsoleSession{uuid == bmc_node.uuid && is_up, ""}; });
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  ASSERT_EQ(desk.take(bmc_node, "ann", k_here), "");
  const Fd machine = accepted(listener);
  is_up = false;
  EXPECT_NE(desk.type(bmc_node, "ann", k_here, "lost").find("session is down"), std::string::npos);
  desk.leave(bmc_node.uuid, "ann", k_here);
  EXPECT_NE(desk.take(bmc_node, "ann", k_here).find("session is down"), std::string::npos);
  is_up = true;
  EXPECT_EQ(desk.take(bmc_node, "ann", k_here), "");
  EXPECT_EQ(desk.type(bmc_node, "ann", k_here, "there"), "");
  EXPECT_EQ(heard(machine), "there");
}

TEST_F(Desk, OneThatNeverStopsSpeakingKeepsNobodyWaiting) {
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  static_cast<void>(desk.part(bmc_node, {}, "ann", ""));
  const Fd machine = accepted(listener);
  const std::string much(std::size_t{1} << 16U, 'x');
  std::atomic<bool> is_enough = false;
  std::thread speaker([&] {
    while (!is_enough) static_cast<void>(::send(machine.get(), much.data(), much.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  });
  std::thread watch([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    is_enough = true;
  });
  const auto begun = std::chrono::steady_clock::now();
  static_cast<void>(desk.tick());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
  is_enough = true;
  speaker.join();
  watch.join();
}

TEST_F(Desk, WhoseKeyboardEndedIsToldUntilItIsKept) {
  const Fd listener = listen_locally(console_socket(folder.path(), bmc_node.uuid));
  ASSERT_EQ(desk.take(bmc_node, "ann", k_here), "");
  clock.advance(ConsoleDesk::k_sign + std::chrono::seconds(1));
  EXPECT_EQ(desk.tick().size(), 1U);
  EXPECT_EQ(desk.tick().size(), 1U) << "nobody has kept it yet";
  desk.told();
  EXPECT_TRUE(desk.tick().empty());
}

TEST_F(Desk, MachinesThatAnotherProgramRunsAreFoundByName) {
  own_node.driver = "redfish";
  RealFileSystem().make_directories(folder.path() / "others" / "m1", 0700);
  RealFileSystem().write(folder.path() / "others" / "m1" / "console.log", "rehearsed\n", {});
  EXPECT_EQ(desk.part(own_node, {}, "ann", "").value()["text"], "rehearsed\n");
  for (const char* name : {"..", "../others/m1", ""}) {
    own_node.name = name;
    EXPECT_EQ(desk.shown(own_node), nullptr) << name;
  }
}

}  // namespace
}  // namespace hearth::bootstrap
