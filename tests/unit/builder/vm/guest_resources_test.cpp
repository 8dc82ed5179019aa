#include "builder/vm/guest_resources.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/base64.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;
using Outcome = Verdict::Outcome;

/// The script is run by this machine's own sh, and judged.
class GuestResourcesTest : public testing::Test {
 protected:
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create("", "guest-resources-");

  Verdict ask(const std::string& type, const std::string& name, const std::string& property,
              const std::vector<std::string>& values, const std::vector<Expectation>& more = {}) {
    std::vector<ResourceCheck> checks = {{type, name, {{property, values}}, false}};
    for (const Expectation& each : more) checks.front().expected.push_back(each);
    const CommandResult result = runner_.run({.argv = {"sh", "-s"}, .input = probe_script(checks)});
    const Answers answers = parse_answers(result.out, 1);
    EXPECT_TRUE(answers.is_whole) << result.out << result.err;
    return judge(checks, answers).front();
  }
  void good(const Verdict& verdict) { EXPECT_FALSE(verdict.failed()) << verdict.name << ": " << verdict.told; }
  void bad(const Verdict& verdict, const std::string& told) {
    EXPECT_TRUE(verdict.failed()) << verdict.name;
    EXPECT_THAT(verdict.told, HasSubstr(told)) << verdict.name;
  }
};

TEST_F(GuestResourcesTest, AFile) {
  const std::string path = (work_.path() / "it's a $(file)").string();
  bad(ask("file", path, "exists", {"true"}), "not there");
  good(ask("file", path, "exists", {"false"}));
  bad(ask("file", path, "mode", {"0644"}), "there is no such file");
  RealFileSystem().write(path, "one\ntwo = 2\n", {.mode = 0640});
  fs::create_symlink("nowhere", work_.path() / "link");
  good(ask("file", path, "exists", {"true"}));
  good(ask("file", path, "mode", {"0640"}));
  bad(ask("file", path, "mode", {"0644"}), "is 640, not 0644");
  good(ask("file", path, "size", {"12"}));
  good(ask("file", path, "filetype", {"file"}));
  good(ask("file", work_.path().string(), "filetype", {"directory"}));
  good(ask("file", "/dev/null", "filetype", {"character-device"}));
  good(ask("file", (work_.path() / "link").string(), "linked-to", {"nowhere"}));
  good(ask("file", path, "contents", {"two", "/^two = [0-9]$/", "!three", "!/^wo/"}));
  bad(ask("file", path, "contents", {"three", "!one"}), "not so: three, !one; it is: one");
  good(ask("file", path, "sha256", {run_checked(runner_, {.argv = {"sha256sum", path}}).substr(0, 64)}));
  bad(ask("file", path, "md5", {"83ea39a9b55c95b5b9fee0c4ed9c1d2f"}), "not '83ea39a9b55c95b5b9fee0c4ed9c1d2f'");
}

TEST_F(GuestResourcesTest, AServiceThatDoesNotRunIsToldWithWhatSystemdAndItsLogSay) {
  const std::vector<ResourceCheck> checks = {{"service", "web", {{"running", {"true"}}}, false}};
  EXPECT_THAT(probe_script(checks), HasSubstr("journalctl -q -b -n 10 -o cat -u web"));
  Answers answers;
  answers.facts = {{{"active", "failed\n"}, {"why", "Result=exit-code\nExecMainStatus=203\nweb: No such file\n"}}};
  bad(judge(checks, answers).front(), "failed: Result=exit-code; ExecMainStatus=203; web: No such file");
  answers.facts = {{{"active", "active\n"}}};
  good(judge(checks, answers).front());
}

TEST_F(GuestResourcesTest, ACommand) {
  good(ask("command", "echo a; echo b >&2; exit 3", "exit-status", {"3"}, {}));
  bad(ask("command", "echo no room; exit 3", "exit-status", {"0"}), "is '3', not '0': no room");
  bad(ask("command", "seq 1000; echo the cause; exit 1", "exit-status", {"0"}), "999\n1000\nthe cause");
  good(ask("command", "echo a; echo b >&2", "stdout", {"/^a$/", "!b"}));
  good(ask("command", "echo a; echo b >&2", "stderr", {"b"}));
  good(ask("command", "a name", "exit-status", {"0"}, {{"exec", {"test \"it's\" = \"it's\""}}}));
  bad(ask("command", "sleep 20", "exit-status", {"0"}, {{"timeout", {"700"}}}), "still running after 1 s");
  bad(ask("command", "trap '' TERM; while :; do sleep 1; done", "exit-status", {"0"}, {{"timeout", {"700"}}}), "");
  EXPECT_THAT(probe_script({{"command", "a", {{"timeout", {"0"}}}, false}}), HasSubstr(" 10 sh -c"));
  EXPECT_THAT(probe_script({{"command", "a", {{"timeout", {"18446744073709551615"}}}, false}}),
              HasSubstr(" 18446744073709552 sh"));
}

TEST_F(GuestResourcesTest, AnAnswerIsWholeFromItsBeginningToItsEnd) {
  const std::string state = cat("all state ", base64_encode("running"), "\n");
  const std::string end = cat("all end ", base64_encode("."), "\n");
  EXPECT_TRUE(parse_answers(state + end, 1).is_whole);
  EXPECT_FALSE(parse_answers(end, 1).is_whole) << "what came first was more than is kept";
  EXPECT_FALSE(parse_answers(state, 1).is_whole);
  EXPECT_FALSE(parse_answers("all state \nall end \n", 1).is_whole) << "the machine has no base64";
}

TEST_F(GuestResourcesTest, AMachineThatCanNotAnswerSaysWhatItLacks) {
  Environment poor;
  poor["PATH"] = (work_.path() / "bin").string();
  fs::create_directory(work_.path() / "bin");
  for (const char* program : {"sh", "base64", "stat", "head", "mktemp"})
    fs::create_symlink(find_program(program, current_environment()).value(), work_.path() / "bin" / program);
  const CommandResult result = runner_.run({.argv = {"sh", "-s"}, .env = poor, .input = probe_script({})});
  EXPECT_EQ(result.status, ExitStatus(Exited{k_lacks_programs}));
  EXPECT_THAT(result.err, HasSubstr("the image has no program timeout"));
}

TEST_F(GuestResourcesTest, WhateverAMachineAnswersIsJudged) {
  const auto told = [](const std::string& type, const std::string& name, const std::string& property,
                       const std::string& value, Facts facts) {
    return judge({{type, name, {{property, {value}}}, false}}, Answers{true, true, {std::move(facts)}}).front().told;
  };
  EXPECT_EQ(told("port", "tcp:80", "listening", "true", {{"own", " 0: 00000000::::: 0:0 0A"}}), "nobody listens there");
  EXPECT_EQ(told("file", "/a", "mode", "0644", {{"exists", "yes"}, {"stat", "||||"}}), "is , not 0644");
  EXPECT_THAT(told("file", "/a", "sha256", std::string(64, 'a'), {{"exists", "yes"}, {"sha256", "aa  -"}}),
              HasSubstr("is 'aa', not"));
  EXPECT_THAT(
      told("file", "/a", "contents", "/^(a+)+$/", {{"exists", "yes"}, {"contents", std::string(50000, 'a') + "!"}}),
      HasSubstr("not so: /^(a+)+$/ (the pattern"));
}

TEST_F(GuestResourcesTest, ACommandThatReadsDoesNotEatTheScript) {
  std::vector<ResourceCheck> checks = {{"command", "cat", {{"stdout", {"!tell"}}}, false}};
  checks.resize(150, {"command", ": a line that makes the script longer than what sh reads at once", {}, false});
  const CommandResult result = runner_.run({.argv = {"sh", "-s"}, .input = probe_script(checks)});
  const Answers answers = parse_answers(result.out, checks.size());
  EXPECT_TRUE(answers.is_whole) << result.err;
  good(judge(checks, answers).front());
}

TEST_F(GuestResourcesTest, APort) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  ASSERT_EQ(::listen(fd.get(), 1), 0);
  sockaddr_in name{};
  socklen_t length = sizeof name;
  ASSERT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  const std::string port = cat("tcp:", ntohs(name.sin_port));
  good(ask("port", port, "listening", {"true"}));
  good(ask("port", port, "ip", {"0.0.0.0"}));
  bad(ask("port", port, "ip", {"127.0.0.1"}), "'127.0.0.1' is not among: 0.0.0.0");
  bad(ask("port", port, "listening", {"false"}), "listening at 0.0.0.0");
  bad(ask("port", "tcp:1", "listening", {"true"}), "nobody listens there");
}

TEST_F(GuestResourcesTest, AnIpv6SocketForBothTakesIpv4) {
  const std::string both = "   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0\n";
  const std::string own = "   0: 000080FE00000000FF005450EEEEFFFE:0050 00000000000000000000000000000000:0000 0A 0\n";
  const std::vector<ResourceCheck> checks = {{"port", "tcp:80", {{"ip", {"::"}}}, false},
                                             {"port", "tcp6:80", {{"ip", {"fe80::5054:ff:feff:eeee"}}}, false}};
  Answers answers;
  answers.facts = {{{"own", ""}, {"both", both + own}}, {{"own", own}}};
  for (const Verdict& verdict : judge(checks, answers)) good(verdict);
}

TEST_F(GuestResourcesTest, UsersGroupsProcessesMountsAndParameters) {
  good(ask("user", "root", "uid", {"0"}));
  good(ask("user", "root", "home", {"/root"}));
  good(ask("user", "root", "groups", {"root"}));
  bad(ask("user", "root", "shell", {"/bin/false"}), "not '/bin/false'");
  bad(ask("user", "no-such-one", "gid", {"0"}), "there is none");
  good(ask("user", "no-such-one", "exists", {"false"}));
  good(ask("group", "root", "gid", {"0"}));
  good(ask("process", "sh", "running", {"true"}));
  bad(ask("process", "no-such-one", "running", {"true"}), "not running");
  good(ask("mount", "/proc", "filesystem", {"proc"}));
  bad(ask("mount", "/proc", "opts", {"no-such"}), "'no-such' is not among: ");
  bad(ask("mount", "/no/such", "source", {"x"}), "nothing is mounted there");
  good(ask("kernel-param", "kernel.ostype", "value", {"Linux"}));
  bad(ask("kernel-param", "kernel.nothing", "value", {"1"}), "no such parameter");
}

TEST_F(GuestResourcesTest, APackage) {
  good(ask("package", "libc6", "installed", {"true"}));
  bad(ask("package", "libc6", "versions", {"0.1"}), "'0.1' is not among: ");
  bad(ask("package", "no-such-package", "installed", {"true"}), "not installed");
}

TEST_F(GuestResourcesTest, AServiceIsJudgedByWhatSystemdSays) {
  const std::vector<ResourceCheck> checks = {
      {"service", "nginx", {{"enabled", {"true"}}, {"running", {"true"}}}, false}};
  Answers answers;
  answers.facts = {{{"enabled", "enabled\n"}, {"active", "failed\n"}}};
  const std::vector<Verdict> verdicts = judge(checks, answers);
  good(verdicts[0]);
  bad(verdicts[1], "failed");
  EXPECT_EQ(verdicts[1].name, "service nginx: running");
}

TEST_F(GuestResourcesTest, WhatIsSkippedIsTold) {
  const std::vector<ResourceCheck> checks = {{"process", "x", {{"running", {"true"}}}, true}};
  EXPECT_EQ(judge(checks, parse_answers("", 1)).front().outcome, Outcome::skipped);
  EXPECT_THAT(probe_script(checks), testing::Not(HasSubstr("/comm")));
}

}  // namespace
}  // namespace hearth::builder::vm
