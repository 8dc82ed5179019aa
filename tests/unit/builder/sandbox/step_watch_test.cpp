#include "builder/sandbox/step_watch.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "builder/sandbox/call_filter.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class Address>
std::string bytes_of(const Address& address) {
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

TEST(StepWatch, AnAddressIsOneThatReachesSomebody) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(80);
  ::inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
  EXPECT_EQ(network_address(bytes_of(four)), "192.0.2.1:80");
  four.sin_port = htons(53);
  EXPECT_EQ(network_address(bytes_of(four)), "");
  four.sin_port = 0;  // how the C library sorts addresses
  EXPECT_EQ(network_address(bytes_of(four)), "");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(443);
  six.sin6_addr = in6addr_loopback;
  EXPECT_EQ(network_address(bytes_of(six)), "[::1]:443");
  EXPECT_EQ(network_address(bytes_of(six).substr(0, 12)), "");
  EXPECT_EQ(network_address(std::string("\x01\0/run/socket and more", 22)), "") << "a local one";
}

TEST(StepWatch, TellsWhichProgramReachedWhatUnlessItIsNoted) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    StepWatch watch(StepWatch::Network::watched);
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    const auto after = [&](const std::string& script) {
      Environment env = current_environment();
      env["PATH"] = "/usr/bin:/bin";
      (void)runner.run({.argv = {"bash", "-c", script}, .env = env, .err = hearth::Output::discard});
      return watch.take();
    };
    EXPECT_THAT(after("true"), IsEmpty());
    EXPECT_THAT(after("exec 3<> /dev/tcp/127.0.0.1/9"), ElementsAre("bash reached 127.0.0.1:9"));
    EXPECT_THAT(after("echo x > /dev/udp/127.0.0.1/9"), ElementsAre("bash reached 127.0.0.1:9"));
    EXPECT_THAT(after("python3 -c 'import socket; socket.socket(2, 2).sendto(b\"x\", (\"127.0.0.1\", 9))'"),
                ElementsAre("python3 reached 127.0.0.1:9"));
    EXPECT_THAT(after("python3 -c 'import socket; socket.socket(2, 2).sendmsg([b\"x\"], [], 0, (\"127.0.0.1\", 9))'"),
                ElementsAre("python3 reached 127.0.0.1:9"));
    EXPECT_THAT(after("HEARTH_NOTED=1 bash -c 'exec 3<> /dev/tcp/127.0.0.1/9'"), IsEmpty());
    EXPECT_THAT(after("echo x > /dev/udp/127.0.0.1/53"), IsEmpty());
  });
}

/// Of the machine; what hooks write to it lies in its "written".
TempDir machines_directory() {
  TempDir dir = TempDir::create("/var", "hearth-test-");
  RealFileSystem files;
  for (const char* name : {"below", "written"}) files.make_directories(dir.path() / name, 0755);
  for (const char* name : {"a", "below/b", "own", "written/own"}) files.write(dir.path() / name, "x", {});
  return dir;
}

TEST(StepWatch, TellsWhatOfTheMachineWasReadHoweverItsPathCameAbout) {
  HEARTH_NEEDS_NAMESPACES();
  const TempDir dir = machines_directory();
  const std::string here = dir.path().string();
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    StepWatch watch(StepWatch::Network::not_watched, {{dir.path(), dir.path() / "written"}});
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    const auto after = [&](const std::string& script) {
      (void)runner.run({.argv = {"/bin/bash", "-c", script, "bash", here},
                        .env = Environment{{"PATH", "/usr/bin:/bin"}},
                        .cwd = here,
                        .err = hearth::Output::discard});
      std::set<std::string> paths;
      for (const auto& [path, stamp] : watch.take_reads()) paths.insert(path);
      return paths;
    };
    EXPECT_THAT(after("cat $1/a"), IsEmpty()) << "nobody asked for it";
    watch.watch_reads(true);
    EXPECT_THAT(after("cat /etc/passwd > /dev/null; exec 3< /proc/self/stat"), IsEmpty());
    EXPECT_THAT(after("cat /etc/mtab /etc/hosts /etc/profile"), ElementsAre("/etc/profile"));
    EXPECT_THAT(after("x=${1%/*}; cat $x/${1##*/}/a"), ElementsAre(here + "/a"));
    EXPECT_THAT(after("cat ./below/../a; cd below; cat < b"), ElementsAre(here + "/a", here + "/below/b"));
    EXPECT_THAT(after("python3 -c 'import os; os.open(\"b\", 0, dir_fd=os.open(\"below\", 0))'"),
                testing::IsSupersetOf({here + "/below", here + "/below/b"}));
    EXPECT_THAT(after("ls $1/below"), ElementsAre(here + "/below"));
    EXPECT_THAT(after("tar -C $1 -c below/b | cat"), ElementsAre(here + "/below/b")) << "nobody listed it";
    EXPECT_THAT(after("ls $1; cd /; exec 3< $1; ls /proc/self/fd/3/"), ElementsAre(here));
    EXPECT_THAT(after("cat $1/own $1/missing; echo x > $1/new; test -e $1/a"), IsEmpty());
    EXPECT_THAT(after("python3 -c 'import os; os.open(\"a\", os.O_EXCL)'"), testing::Contains(here + "/a"));
    EXPECT_THAT(after("python3 -c 'import os; os.open(\"one\", os.O_RDWR | os.O_CREAT | os.O_EXCL)'"),
                testing::Not(testing::Contains(here + "/one")));
    EXPECT_THAT(after("mv $1/own $1/two"), IsEmpty()) << "as who puts a file into a cache does";
    EXPECT_THAT(watch.take(), IsEmpty());
    EXPECT_THAT(after("mv $1/a $1/two; cat $1/two"), testing::Not(testing::Contains(here + "/a")));
    EXPECT_THAT(watch.take(), ElementsAre(testing::HasSubstr("it gave the machine's " + here + "/a another name")));
  });
}

TEST(StepWatch, OfInputsAllIsToldWhereverTheyLie) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    const auto look = [](const fs::path&) { return "looked"; };
    StepWatch watch(StepWatch::Network::not_watched, {}, look, {}, {"/usr/share/base-files"});
    EXPECT_FALSE(watch.tells_reads());
    watch.watch_reads(true);
    EXPECT_TRUE(watch.tells_reads());
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    (void)runner.run(
        {.argv = {"/bin/bash", "-c",
                  "cd /usr/share; cat base-files/info.dir base-passwd/passwd.master; test -e base-files/no"},
         .env = Environment{{"PATH", "/usr/bin:/bin"}},
         .cwd = "/",
         .out = hearth::Output::discard});
    EXPECT_THAT(watch.take_reads(), ElementsAre(testing::Pair("/usr/share/base-files/info.dir", "")));
    EXPECT_THAT(watch.take_looks(), ElementsAre(testing::Pair("/usr/share/base-files/no", "looked")));
  });
}

TEST(StepWatch, AnInputIsToldByALinkOfTheSystemToo) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    mount_file_system("tmpfs", "tmpfs", "/usr/local", 0, "");
    fs::create_directories("/usr/local/element/static");
    RealFileSystem().write("/usr/local/element/static/file", "x", {});
    fs::create_symlink("/usr/local/element/static", "/usr/local/link");
    StepWatch watch(StepWatch::Network::not_watched, {}, {}, {}, {"/usr/local/element"});
    watch.watch_reads(true);
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    (void)runner.run({.argv = {"/bin/cat", "/usr/local/link/file"},
                      .env = Environment{{"PATH", "/usr/bin:/bin"}},
                      .cwd = "/",
                      .out = hearth::Output::discard});
    EXPECT_THAT(watch.take_reads(), ElementsAre(testing::Pair("/usr/local/element/static/file", "")));
  });
}

TEST(StepWatch, AnInputStaysOneWhateverHooksDoToIt) {
  HEARTH_NEEDS_NAMESPACES();
  const TempDir dir = machines_directory();
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    mount_file_system("tmpfs", "input", "/run", 0, "");
    RealFileSystem().make_directories("/run/element", 0755);
    RealFileSystem().write("/run/element/text", "x", {});
    StepWatch watch(StepWatch::Network::not_watched, {{dir.path(), dir.path() / "written"}}, {}, {},
                    {dir.path() / "own", "/run/element"});
    watch.watch_reads(true);
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    RealFileSystem().write("/run/element/next", "x", {});
    RealFileSystem().write("/run/element/third", "x", {});
    const std::string script = "cat own /run/element/text; cd /run; ln element/next /run/a; mv element/third /run/b";
    (void)runner.run({.argv = {"/bin/bash", "-c", script},
                      .env = Environment{{"PATH", "/usr/bin:/bin"}},
                      .cwd = dir.path(),
                      .out = hearth::Output::discard});
    EXPECT_THAT(watch.take_reads(),
                ElementsAre(testing::Pair("/run/element/next", ""), testing::Pair("/run/element/text", ""),
                            testing::Pair("/run/element/third", ""), testing::Pair((dir.path() / "own").string(), "")))
        << "what has another name is read by that, the rest of one that they add to is still there, and /run is a "
           "place as others are";
  });
}

TEST(StepWatch, TellsWhatAFileWasLikeBeforeItWasRead) {
  HEARTH_NEEDS_NAMESPACES();
  const TempDir dir = machines_directory();
  const std::string here = dir.path().string();
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    const auto stamp = [](const fs::path& path) { return fs::is_directory(path) ? "names" : read_file(path.string()); };
    StepWatch watch(StepWatch::Network::not_watched, {{dir.path() / "below", dir.path() / "written"}}, {}, stamp);
    watch.watch_reads(true);
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    (void)runner.run({.argv = {"/bin/bash", "-c", "cd $1; read -r x < a; echo y > a; cat a; ls . below", "bash", here},
                      .env = Environment{{"PATH", "/usr/bin:/bin"}},
                      .cwd = here,
                      .err = hearth::Output::discard});
    const std::map<std::string, std::string> reads = watch.take_reads();
    EXPECT_EQ(reads, (std::map<std::string, std::string>{{here, "names"}, {here + "/a", "x"}, {here + "/below", ""}}))
        << "hooks write in the last one";
  });
}

TEST(StepWatch, TellsWhatOfTheMachineWasAskedForHoweverItsPathCameAbout) {
  HEARTH_NEEDS_NAMESPACES();
  const TempDir dir = machines_directory();
  const std::string here = dir.path().string();
  RealFileSystem files;
  fs::copy_file("/bin/true", dir.path() / "program");
  for (const char* name : {"far/place", "written/made"}) files.make_directories(dir.path() / name, 0755);
  fs::create_symlink("far/place", dir.path() / "link");
  files.write(dir.path() / "script", cat("#! ", here, "/program x\n"), {.mode = 0755});
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    const auto look = [](const fs::path& path) -> std::optional<std::string> {
      return fs::exists(fs::symlink_status(path)) ? "there" : "missing";
    };
    StepWatch watch(StepWatch::Network::not_watched, {{dir.path(), dir.path() / "written"}}, look);
    watch.watch_reads(true);
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    const auto run = [&](const std::string& shell, const std::string& script) {
      (void)runner.run({.argv = {shell, "-c", script, "sh", here},
                        .env = Environment{{"PATH", "/usr/bin:/bin"}},
                        .cwd = dir.path() / "below",
                        .err = hearth::Output::discard});
    };
    const auto asked = [&](const std::string& name, const std::string& shell, const std::string& script) {
      run(shell, script);
      std::map<std::string, std::string> looks = watch.take_looks();
      return cat(looks[cat(here, "/", name)], watch.take_reads().count(cat(here, "/", name)) > 0 ? " read" : "");
    };
    for (const char* shell : {"/bin/bash", "/bin/dash"}) {
      EXPECT_EQ(asked("a", shell, "[ -e ${1}/a ]"), "there") << shell;
      EXPECT_EQ(asked("flag", shell, "[ -e ${1}/flag ]"), "missing") << shell;
      EXPECT_EQ(asked("flag", shell, "[ -x ../fl\"\"ag ]"), "missing") << shell;
      EXPECT_EQ(asked("flag", shell, "[ -L ${1}/flag ]"), "missing") << shell;
      EXPECT_EQ(asked("flag", shell, "cd $1/flag || true"), "missing") << shell;
      EXPECT_EQ(asked("flag", shell, "cat < $1/flag"), "missing") << shell;
      EXPECT_EQ(asked("flag", shell, "$1/flag"), "missing") << shell;
      EXPECT_EQ(asked("program", shell, "$1/program"), " read") << shell;
      EXPECT_EQ(asked("own", shell, "[ -e $1/own ]; cat $1/own"), "") << "what a hook wrote";
      EXPECT_EQ(asked("flag", shell, "[ -e $1/flag ]; : > $1/written/flag; rm $1/written/flag"), "missing") << shell;
    }
    EXPECT_EQ(asked("flag", "/bin/bash", "stat $1/flag; readlink $1/flag"), "missing");
    EXPECT_EQ(asked("flag", "/bin/bash", "python3 -c 'import os, sys; os.path.exists(sys.argv[1] + \"/flag\")' $1"),
              "missing");
    EXPECT_EQ(asked("flag", "/bin/bash", "python3 -c 'import os, sys; os.access(sys.argv[1] + \"/flag\", 0)' $1"),
              "missing");
    const auto asked_by = [&](const std::string& name, const std::string& script) {
      return asked(name, "/bin/bash", cat("python3 -c 'import os, sys\nhere = sys.argv[1]\n", script, "' $1"));
    };
    EXPECT_EQ(asked_by("flag", "os.open(here + \"/flag\", os.O_PATH)"), "missing");
    EXPECT_EQ(asked_by("a", "os.open(here + \"/a\", os.O_PATH)"), "there") << "it can't be read by that";
    EXPECT_EQ(asked_by("below", "os.open(here + \"/below\", os.O_PATH)"), "there") << "nor can it be listed";
    EXPECT_EQ(asked_by("a", "os.open(here + \"/a\", os.O_RDWR | os.O_CREAT)"), " read");
    EXPECT_EQ(asked_by("a", "os.open(here + \"/a\", os.O_WRONLY)"), "") << "only written";
    EXPECT_EQ(asked("flag", "/bin/bash", "[ -e /proc/self/root$1/flag ]"), "missing");
    EXPECT_EQ(asked("flag", "/bin/bash", "cd $1; [ -e /proc/self/cwd/flag ]"), "missing");
    EXPECT_EQ(asked("a", "/bin/bash", "cat /proc/self/cwd/../a"), " read");
    EXPECT_EQ(asked("a", "/bin/bash", "cat /proc/$$/root$1/a"), " read");
    EXPECT_EQ(asked("flag", "/bin/bash", "[ -e $1/link/../flag ]"), "") << "above what the link leads to";
    EXPECT_EQ(asked("far/flag", "/bin/bash", "[ -e $1/link/../flag ]"), "missing");
    EXPECT_EQ(asked("link", "/bin/bash", "[ -e $1/link/../flag ]"), "there");
    EXPECT_EQ(asked("program", "/bin/bash", "$1/script"), " read") << "what the kernel runs a script with";
    EXPECT_EQ(asked("pipe", "/bin/bash", "mkfifo $1/pipe; $1/pipe; rm $1/pipe"), "there") << "which nobody writes to";
    EXPECT_EQ(asked("made/flag", "/bin/bash", "[ -e $1/made/flag ]"), "") << "below what hooks made";
    watch.watch_reads(false);
    EXPECT_EQ(asked("flag", "/bin/bash", "[ -e $1/flag ]"), "");
  });
}

TEST(StepWatch, DoesNotAskWhereAProgramOfTheStepServesTheFiles) {
  HEARTH_NEEDS_NAMESPACES();
  if (::access("/dev/fuse", R_OK | W_OK) != 0) GTEST_SKIP() << "no /dev/fuse here";
  const TempDir dir = TempDir::create("/var", "hearth-test-");
  const std::string here = dir.path().string();
  RealFileSystem().make_directories(dir.path() / "served", 0755);
  in_namespace([&] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    StepWatch watch(StepWatch::Network::not_watched, {}, [](const fs::path&) { return "looked"; });
    watch.watch_reads(true);
    SystemClock clock;
    RealRunner real(clock);
    UnsyncedRunner runner(real, [&] { watch.watch_this_thread(); });
    const auto asked = [&](const std::string& path) {
      (void)runner.run({.argv = {"/usr/bin/timeout", "-s", "KILL", "1", "/usr/bin/stat", path},
                        .env = Environment{},
                        .out = hearth::Output::discard,
                        .err = hearth::Output::discard});
      return watch.take_looks().count(path) > 0;
    };
    EXPECT_TRUE(asked(here));
    const Fd server = Fd::open("/dev/fuse", O_RDWR);  // the kernel wants it opened by a user of the same namespace
    mount_file_system("fuse", "x", dir.path() / "served", 0,
                      cat("fd=", server.get(), ",rootmode=40000,user_id=0,group_id=0"));
    EXPECT_FALSE(asked(here + "/served/file")) << "its server is this process, which answers nobody";
    EXPECT_THAT(watch.take(), ElementsAre(testing::HasSubstr("FUSE")));
    EXPECT_FALSE(asked(here));
    EXPECT_THAT(watch.take(), testing::SizeIs(1));
    ::umount2((dir.path() / "served").c_str(), MNT_DETACH);
    EXPECT_TRUE(asked(here));
    EXPECT_THAT(watch.take(), IsEmpty());
  });
}

}  // namespace
}  // namespace hearth::builder
