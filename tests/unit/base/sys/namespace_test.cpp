#include "base/sys/namespace.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/unit/base/as_ordinary_user.hpp"

namespace hearth {
namespace {

using Ranges = std::vector<SubIdRange>;
using Maps = std::vector<IdMap>;

TEST(ParseSubIds, FindsTheRangesByNameAndByNumber) {
  const char* text = "anna:100000:65536\nbob:200000:65536\n1000:300000:10\nanna:400000:5\n";
  EXPECT_EQ(parse_sub_ids(text, "anna", 1000), (Ranges{{100000, 65536}, {300000, 10}, {400000, 5}}));
  EXPECT_EQ(parse_sub_ids(text, "carl", 1001), Ranges{});
}

TEST(ParseSubIds, SkipsLinesThatAreNotRanges) {
  EXPECT_EQ(parse_sub_ids("# anna\nanna\nanna:1\nanna:x:1\nanna:1:-1\nanna:1:2:3\n:1:2\n  anna:7:8  \n", "anna", 5),
            (Ranges{{7, 8}}));
}

TEST(ParseSubIds, AnEmptyUserNameIsNobody) { EXPECT_EQ(parse_sub_ids(":1:65536\n", "", 5), Ranges{}); }

TEST(ParseSubIds, SkipsNumbersThatAreNoIds) {
  EXPECT_EQ(parse_sub_ids("anna:4294967296:1\nanna:1:4294967296\n", "anna", 5), Ranges{});
  EXPECT_EQ(parse_sub_ids("anna:4294967295:2\n", "anna", 5), Ranges{});  // its end is beyond the ids
}

TEST(PlanIdMap, PutsTheCallerAtRootAndTheRangeBehind) {
  EXPECT_EQ(plan_id_map(1000, {{100000, 65536}}), (Maps{{0, 1000, 1}, {1, 100000, 65536}}));
}

TEST(PlanIdMap, JoinsSeveralRanges) {
  EXPECT_EQ(plan_id_map(1000, {{100000, 1000}, {200000, 0}, {300000, 100000}}),
            (Maps{{0, 1000, 1}, {1, 100000, 1000}, {1001, 300000, 100000}}));
}

TEST(PlanIdMap, TooFewIdsGiveNothing) {
  EXPECT_EQ(plan_id_map(1000, {}), std::nullopt);
  EXPECT_EQ(plan_id_map(1000, {{100000, 65534}}), std::nullopt);
  EXPECT_TRUE(plan_id_map(1000, {{100000, 65535}}).has_value());
}

TEST(PlanIdMap, NoIdIsMappedTwice) {
  const Maps whole = {{0, 1000, 1}, {1, 100000, 65536}};
  EXPECT_EQ(plan_id_map(1000, {{100000, 65536}, {100000, 65536}}), whole) << "a doubled line";
  EXPECT_EQ(plan_id_map(1000, {{100000, 65536}, {110000, 10}}), whole) << "a part of another";
  EXPECT_EQ(plan_id_map(1000, {{100000, 65536}, {150000, 20000}}),
            (Maps{{0, 1000, 1}, {1, 100000, 65536}, {65537, 165536, 4464}}));
  EXPECT_EQ(plan_id_map(1000, {{100000, 65536}, {99000, 2000}}),
            (Maps{{0, 1000, 1}, {1, 100000, 65536}, {65537, 99000, 1000}}));
  EXPECT_EQ(plan_id_map(1000, {{300000, 10}, {500000, 10}, {299990, 400000}}), (Maps{{0, 1000, 1},
                                                                                     {1, 300000, 10},
                                                                                     {11, 500000, 10},
                                                                                     {21, 299990, 10},
                                                                                     {31, 300010, 199990},
                                                                                     {200021, 500010, 199980}}))
      << "around two others";
  EXPECT_EQ(plan_id_map(1000, {{999, 70000}}), (Maps{{0, 1000, 1}, {1, 999, 1}, {2, 1001, 69998}}))
      << "the caller himself";
  EXPECT_EQ(plan_id_map(1000, {{100000, 40000}, {100000, 40000}}), std::nullopt) << "no 65535 different ones";
}

TEST(PlanIdMap, AdjoiningRangesAreWholeAndEmptyOnesNone) {
  EXPECT_EQ(plan_id_map(1000, {{100000, 65536}, {165536, 10}, {99990, 10}, {1000, 0}, {7, 0}}),
            (Maps{{0, 1000, 1}, {1, 100000, 65536}, {65537, 165536, 10}, {65547, 99990, 10}}));
  EXPECT_EQ(plan_range_map({{7, 0}, {300000, 65536}, {300000, 0}}), (Maps{{0, 300000, 65536}}));
}

TEST(PlanRangeMap, PutsTheRangesBehindOneAnotherFromRootOn) {
  EXPECT_EQ(plan_range_map({{300000, 65536}}), (Maps{{0, 300000, 65536}}));
  EXPECT_EQ(plan_range_map({{300000, 1000}, {400000, 100000}}), (Maps{{0, 300000, 1000}, {1000, 400000, 100000}}));
}

TEST(PlanRangeMap, NoIdIsBeyondTheLast) {
  EXPECT_EQ(plan_range_map({{1, 4294967290}, {5, 100}}), (Maps{{0, 1, 4294967290}}));
  EXPECT_EQ(plan_range_map({{1, 4294967290}, {4294967291, 4}, {0, 1}}),
            (Maps{{0, 1, 4294967290}, {4294967290, 4294967291, 4}, {4294967294, 0, 1}}))
      << "all ids that there are";
  EXPECT_EQ(plan_range_map({{4294901759, 65537}}), (Maps{{0, 4294901759, 65536}})) << "2^32-1 is no id";
  EXPECT_EQ(plan_range_map({{300000, 65536}, {4294967295, 1}}), (Maps{{0, 300000, 65536}}));
}

/// More ranges than the kernel takes, with the longest numbers: a map's text must be less than a page.
Ranges many_ranges() {
  Ranges ranges = {{1, 1'000'000'000}};
  for (std::uint32_t i = 0; i < 400; ++i) ranges.push_back({4'000'000'000U + 2000 * i, 1000});
  return ranges;
}

TEST(PlanRangeMap, HasNoMoreLinesThanTheKernelTakes) {
  EXPECT_EQ(plan_range_map(many_ranges()).value().size(), 124U);
  EXPECT_EQ(plan_id_map(0, many_ranges()).value().size(), 124U);
}

TEST(PlanSameIds, AContainersRangesStayApart) {
  EXPECT_EQ(plan_same_ids("         0          0 4294967295\n"), (Maps{{0, 0, 65536}}));
  EXPECT_EQ(plan_same_ids("0 1000 1\n1 100000 65536\n"), (Maps{{0, 0, 1}, {1, 1, 65535}}));
  EXPECT_EQ(plan_same_ids("0 1000 1\n1 100000 65534\n"), (Maps{{0, 0, 1}, {1, 1, 65534}}));
  EXPECT_EQ(plan_same_ids("0 1000 1\n"), (Maps{{0, 0, 65536}}))
      << "the kernel refuses it, and no image is made of half its owners";
}

TEST(PlanRangeMap, TooFewIdsGiveNothing) { EXPECT_EQ(plan_range_map({{300000, 65535}}), std::nullopt); }

/// Closes (POLLHUP) when the last holder of the pipe's writing end is gone.
bool all_gone(const Fd& read_end) {
  pollfd one{read_end.get(), POLLIN, 0};
  return ::poll(&one, 1, 10'000) == 1 && (one.revents & POLLHUP) != 0;
}

void wait_for_byte(const Fd& read_end) {
  char byte = 0;
  ASSERT_EQ(::read(read_end.get(), &byte, 1), 1);
}

/// A grandchild in a session of its own: nothing but the namespace's end reaches it.
int leave_a_daemon(const Pipe& pipe) {
  if (::fork() == 0) {
    ::setsid();
    write_all(pipe.write, "x", "the pipe");
    ::pause();
    ::_exit(0);
  }
  ::pause();
  return 0;
}

class NamespaceTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      (void)end_of([] { return 0; });
    } catch (const Error& error) {
      GTEST_SKIP() << "no namespaces here: " << error.story();
    }
  }
  static ExitStatus end_of(const std::function<int()>& body) {
    NamespacedProcess process = NamespacedProcess::start(body);
    return process.wait().value();
  }
};

TEST_F(NamespaceTest, InsideItIsRootAndProcessOne) {
  EXPECT_EQ(end_of([] { return ::getuid() == 0 && ::getegid() == 0 && ::getpid() == 1 ? 7 : 1; }),
            ExitStatus(Exited{7}));
}

TEST_F(NamespaceTest, TheKernelTakesWhatIsPlanned) {
  if (::geteuid() != 0 || split_words(read_file("/proc/self/uid_map")) != split_words("0 0 4294967295"))
    GTEST_SKIP() << "needs root with all ids of the machine";
  for (const Ranges& ranges :
       {many_ranges(), Ranges{{100000, 65536}, {100000, 65536}, {150000, 20000}, {90000, 100000}},
        Ranges{{4294901000, 66295}}}) {
    const Maps maps = plan_range_map(ranges).value();
    EXPECT_NO_THROW((void)make_user_namespace({maps, maps})) << maps.size();
  }
}

TEST_F(NamespaceTest, AnyOwnerUpTo65534CanBeGiven) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  EXPECT_EQ(end_of([&] {
              if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, nullptr) != 0) return 1;
              RealFileSystem().write(dir.path() / "f", "", {.uid = 65534, .gid = 1000});
              const std::optional<FileStatus> status = RealFileSystem().status(dir.path() / "f");
              return status->uid == 65534 && status->gid == 1000 ? 0 : 2;
            }),
            ExitStatus(Exited{0}));
}

TEST_F(NamespaceTest, ItsMountsAreNotSeenOutside) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  Pipe pipe = Pipe::create();
  NamespacedProcess process = NamespacedProcess::start([&] {
    if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, nullptr) != 0) return 1;
    RealFileSystem().write(dir.path() / "f", "", {});
    write_all(pipe.write, "x", "the pipe");
    ::pause();
    return 0;
  });
  wait_for_byte(pipe.read);
  EXPECT_TRUE(RealFileSystem().list(dir.path()).empty());
  EXPECT_EQ(read_file("/proc/self/mounts").find(dir.path().string()), std::string::npos);
}

TEST_F(NamespaceTest, KillingItLeavesNoProcess) {
  Pipe pipe = Pipe::create();
  NamespacedProcess process = NamespacedProcess::start([&] { return leave_a_daemon(pipe); });
  pipe.write = Fd();
  wait_for_byte(pipe.read);
  process.kill();
  EXPECT_TRUE(all_gone(pipe.read));
}

TEST_F(NamespaceTest, TheDeathOfItsStarterLeavesNoProcess) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan runs a thread of its own in the forked starter; it does not survive the raw clone3";
#endif
  Pipe pipe = Pipe::create();
  const pid_t starter = start_child([&] {
    NamespacedProcess process = NamespacedProcess::start([&] { return leave_a_daemon(pipe); });
    ::pause();
    return 0;
  });
  pipe.write = Fd();
  wait_for_byte(pipe.read);
  ::kill(starter, SIGKILL);
  EXPECT_EQ(end_of_child(starter), 128 + SIGKILL);
  EXPECT_TRUE(all_gone(pipe.read));
}

TEST_F(NamespaceTest, TheDestructorKillsIt) {
  Pipe pipe = Pipe::create();
  {
    const NamespacedProcess process = NamespacedProcess::start([&] { return leave_a_daemon(pipe); });
    pipe.write = Fd();
    wait_for_byte(pipe.read);
  }
  EXPECT_TRUE(all_gone(pipe.read));
}

TEST_F(NamespaceTest, AnErrorInsideBecomesTheExitCode) {
  testing::internal::CaptureStderr();
  const ExitStatus status = end_of([]() -> int { throw Error(ErrorKind::external, "hook failed", 42); });
  EXPECT_EQ(status, ExitStatus(Exited{42}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hearth: hook failed\n");
}

TEST_F(NamespaceTest, OutputIsNotPrintedTwice) {
  testing::internal::CaptureStdout();
  std::printf("once ");
  (void)end_of([] { return 0; });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "once ");
}

/// Becomes that user; only in a child.
void become(const passwd& user) {
  if (::setgroups(0, nullptr) != 0 || ::setgid(user.pw_gid) != 0 || ::setuid(user.pw_uid) != 0) ::_exit(98);
}

TEST(NamespaceAsAUser, WithoutARangeTheErrorTellsHowToGiveOne) {
  const passwd* nobody = ::getpwnam("nobody");
  if (::geteuid() != 0 || nobody == nullptr) GTEST_SKIP() << "needs root, to become a user without sub-ids";
  if (!parse_sub_ids(read_file("/etc/subuid"), "nobody", nobody->pw_uid).empty()) GTEST_SKIP() << "nobody has sub-ids";
  Pipe pipe = Pipe::create();
  EXPECT_EQ(in_child([&] {
              become(*nobody);
              try {
                (void)NamespacedProcess::start([] { return 0; });
              } catch (const Error& error) {
                write_all(pipe.write, error.story(), "the pipe");
                return error.kind() == ErrorKind::unsupported ? 0 : 1;
              }
              return 2;
            }),
            0);
  pipe.write = Fd();
  const std::string story = read_all(pipe.read, "the pipe");
  EXPECT_NE(story.find("user nobody has no range of 65535 ids in /etc/subuid"), std::string::npos) << story;
  EXPECT_NE(story.find("usermod --add-subuids"), std::string::npos) << story;
}

TEST(NamespaceAsAUser, WithARangeItIsRootInsideAndCanGiveFilesAway) {
  if (const std::string why = no_ordinary_user_because(); !why.empty()) GTEST_SKIP() << why;
  as_ordinary_user([] {
    const TempDir dir = TempDir::create("/tmp", "hearth-test-");
    NamespacedProcess process = NamespacedProcess::start([&] {
      if (::getuid() != 0 || ::getpid() != 1) return 1;
      if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, nullptr) != 0) return 2;
      RealFileSystem().write(dir.path() / "f", "", {.uid = 65534, .gid = 1000});
      return 0;
    });
    EXPECT_EQ(process.wait(), ExitStatus(Exited{0}));
  });
}

}  // namespace
}  // namespace hearth
