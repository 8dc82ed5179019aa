#include "builder/report/build_log.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::builder {
namespace {

using fakes::ManualClock;

class BuildLogTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const char* name) const { return (dir.path() / name).string(); }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  ManualClock clock;
  BuildLog log{clock};
};

TEST(UtcStamp, HasMillisecondsWhateverTheTimeZone) {
  ::setenv("TZ", "Asia/Tokyo", 1);
  ::tzset();
  EXPECT_EQ(utc_stamp(WallTime(std::chrono::milliseconds(1700000000007))), "2023-11-14 22:13:20.007");
  EXPECT_EQ(utc_stamp(WallTime(std::chrono::microseconds(999))), "1970-01-01 00:00:00.000");
  ::unsetenv("TZ");
  ::tzset();
}

TEST_F(BuildLogTest, EachLineIsStampedInEveryFile) {
  log.add_file(file("a"));
  log.add_file(file("b"));
  log.line("first");
  clock.advance(std::chrono::milliseconds(1500));
  log.line("second");
  const std::string expected = "1970-01-01 01:00:00.000 | first\n1970-01-01 01:00:01.500 | second\n";
  EXPECT_EQ(read_file(file("a")), expected);
  EXPECT_EQ(read_file(file("b")), expected);
  EXPECT_EQ(log.main_file(), file("a"));
}

TEST_F(BuildLogTest, HasNoCredentialsOfUrls) {
  log.add_file(file("a"));
  log.line("fetching http://me:pw@192.0.2.1/x");
  EXPECT_EQ(read_file(file("a")), "1970-01-01 01:00:00.000 | fetching http://192.0.2.1/x\n");
}

TEST_F(BuildLogTest, HasNoSecretThatTheEnvironmentNames) {
  log.hide(log_secrets({{"DIB_DEV_USER_PASSWORD", "two words"},
                        {"API_TOKEN", "two"},
                        {"SIGNING_KEY", "-----BEGIN KEY-----\nMIIEvQ0123456789\n=\n"},
                        {"DIB_SSH_KEY", "/root/.ssh/id_rsa"},
                        {"PIP_INDEX_URL", "https://me:w%20d-1@192.0.2.1/simple git+ssh://git@192.0.2.1/x"},
                        {"MIRROR", "https://ghp_0123456789abcdef@192.0.2.1/"},
                        {"DIB_RELEASE", "bookworm"}})
               .values);
  log.add_file(file("a"));
  log.line("+ usermod -p 'two words' two");
  log.line("MIIEvQ0123456789 /root/.ssh/id_rsa git bookworm");
  log.line("w d-1 and w%20d-1 and ghp_0123456789abcdef");
  const std::string stamp = "1970-01-01 01:00:00.000 | ";
  EXPECT_EQ(read_file(file("a")),
            cat(stamp, "+ usermod -p 'REDACTED' two\n", stamp, "REDACTED /root/.ssh/id_rsa git bookworm\n", stamp,
                "REDACTED and REDACTED and REDACTED\n"));
}

TEST_F(BuildLogTest, ASecretThatIsAPartOfAnElementsNameHidesNoNames) {
  const LogSecrets secrets =
      log_secrets({{"DIB_MANILA_USER_PASSWORD", "manila"}, {"DIB_PASSWORD", "manila-7"}, {"DIB_TOKEN", "image vm"}},
                  {"image", "manila-ssh", "vm"});
  EXPECT_THAT(secrets.shown, testing::ElementsAre("DIB_MANILA_USER_PASSWORD"));
  EXPECT_THAT(secrets.values, testing::ElementsAre("image vm", "manila-7"));
  log.hide(secrets.values);
  log.add_file(file("a"));
  log.line("manila-ssh manila-7");
  EXPECT_EQ(read_file(file("a")), "1970-01-01 01:00:00.000 | manila-ssh REDACTED\n");
}

TEST_F(BuildLogTest, AppendsToWhatIsThereBehindAMark) {
  RealFileSystem().write(file("a"), "old\n", {});
  log.add_file(file("a"));
  log.line("new");
  EXPECT_EQ(read_file(file("a")),
            "old\n\n"
            "1970-01-01 01:00:00.000 | ==== the next build begins here; all above is of earlier ones ====\n"
            "1970-01-01 01:00:00.000 | new\n");
}

TEST_F(BuildLogTest, IsSilentOnStdoutUnlessAskedFor) {
  testing::internal::CaptureStdout();
  log.line("silent");
  log.echo(false);
  log.line("plain");
  log.echo(true);
  log.line("stamped");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "plain\n1970-01-01 01:00:00.000 | stamped\n");
}

TEST_F(BuildLogTest, AFullDiskEndsNothing) {
  log.add_file("/dev/full");
  log.line("lost");
  EXPECT_EQ(log.main_file(), "/dev/full");
}

TEST_F(BuildLogTest, AFileThatCanNotBeOpenedIsAnError) { EXPECT_THROW(log.add_file(file("missing/log")), Error); }

}  // namespace
}  // namespace hearth::builder
