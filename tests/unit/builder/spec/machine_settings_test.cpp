#include "builder/spec/machine_settings.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "builder/spec/image_request.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Environment parsed(const std::string& text) { return parse_machine_settings(text, "f", "/home/anna").value_or_throw(); }
std::string fault_in(const std::string& text) {
  return parse_machine_settings(text, "/etc/hearth.conf", "/home/anna").error().text();
}

TEST(MachineSettings, EachKeyIsAVariable) {
  EXPECT_EQ(parsed("# of this runner\nremote-cache = https://a:b=c@cache.example/x\n\n"
                   "  remote-cache-key=/etc/site.pub:~/site.pem\nremote-cache-read-only = true\n"
                   "remote-cache-insecure = false\nimage-cache = ~/cache\ncache-limit = 100\n"),
            (Environment{{"HEARTH_REMOTE_CACHE", "https://a:b=c@cache.example/x"},
                         {"HEARTH_REMOTE_CACHE_KEY", "/etc/site.pub:/home/anna/site.pem"},
                         {"HEARTH_REMOTE_CACHE_READ_ONLY", "1"},
                         {"HEARTH_REMOTE_CACHE_INSECURE", "0"},
                         {"DIB_IMAGE_CACHE", "/home/anna/cache"},
                         {"HEARTH_CACHE_LIMIT", "100"}}));
  EXPECT_THAT(parsed(""), IsEmpty());
}

TEST(MachineSettings, WhatIsWrongIsSaidWithItsLineAndNothingOfItsValue) {
  EXPECT_EQ(fault_in("\nremote-cach = x\n"),
            "/etc/hearth.conf:2: unknown key 'remote-cach', did you mean remote-cache?");
  EXPECT_THAT(fault_in("zzzz = x\n"), HasSubstr("; there are remote-cache, remote-cache-key"));
  EXPECT_THAT(fault_in("remote-cache = ftp://me:secret@x/\n"),
              AllOf(HasSubstr("http or https"), Not(HasSubstr("secret"))));
  EXPECT_THAT(fault_in("remote-cache https://me:secret@x/\n"),
              AllOf(HasSubstr(":1: a line is"), Not(HasSubstr("secret"))));
  for (const char* forgotten :
       {"https://me:secret=@x/\n", "remote-cache https://me:secret=@x/\n", "secret:\xff=x\n", "=x\n"})
    EXPECT_THAT(fault_in(forgotten), AllOf(HasSubstr(":1: a line is"), Not(HasSubstr("secret"))));
  EXPECT_THAT(fault_in("remote-cache-key = site.pub\n"), HasSubstr("absolute path"));
  EXPECT_THAT(fault_in("remote-cache-read-only = yes\n"), HasSubstr("true or false"));
  EXPECT_THAT(fault_in("cache-limit = 1 TB\n"), HasSubstr("whole number of GiB"));
  EXPECT_THAT(fault_in("cache-limit = 1\ncache-limit = 1\n"), HasSubstr(":2: cache-limit stands here twice"));
}

class MachineFilesTest : public testing::Test {
 protected:
  void write(const std::string& text, mode_t mode) {
    RealFileSystem files;
    files.make_directories(file_.parent_path(), 0755);
    files.write(file_, text, {});
    ::chmod(file_.c_str(), mode);
  }
  [[nodiscard]] Environment caller() const { return {{"HOME", dir_.path().string()}}; }
  [[nodiscard]] ImageRequest request(Environment more = {}, const std::string& line = "os") const {
    more.merge(caller());
    return resolve(cli::parse_options(image_options(), split_words(line)),
                   {.environment = more, .start_directory = "/start"}, fakes::ManualClock());
  }
  std::string refusal() {
    return story_of([&] { return request(); });
  }
  TempDir dir_ = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::path file_ = dir_.path() / ".config/hearth/hearth.conf";
  std::string shared_ = "remote-cache = http://me:secret@127.0.0.1/x\nremote-cache-insecure = true\n";
};

TEST_F(MachineFilesTest, TheCommandLineBeatsTheEnvironmentWhichBeatsTheFile) {
  write(shared_, 0600);
  const ImageRequest made = request();
  EXPECT_EQ(made.remote_cache->user_info, "me:secret");
  EXPECT_EQ(made.private_keys, (std::vector<fs::path>{fs::canonical(file_)})) << "hooks must not read the password";
  EXPECT_EQ(made.environment, caller());
  EXPECT_EQ(request({{"HEARTH_REMOTE_CACHE", "http://127.0.0.1/y"}}).remote_cache->path, "/y");
  EXPECT_FALSE(request({{"HEARTH_REMOTE_CACHE", ""}}).remote_cache) << "an empty one is none";
  EXPECT_EQ(request({}, "--remote-cache http://127.0.0.1/z os").remote_cache->path, "/z");
  EXPECT_TRUE(request({}, "-c os").remote_cache) << "-c is about what hooks see";
}

TEST_F(MachineFilesTest, ItSaysWhereTheOwnCacheIsAndHowMuchItMayTake) {
  write("image-cache = /srv/cache\ncache-limit = 100\n", 0644);
  EXPECT_EQ(request().cache, "/srv/cache");
  EXPECT_EQ(request().cache_limit, std::uint64_t{100} << 30U);
  EXPECT_EQ(request({{"DIB_IMAGE_CACHE", "/mine"}}).cache, "/mine");
}

TEST_F(MachineFilesTest, HearthConfigNamesOneInPlaceOfAll) {
  write("nonsense\n", 0600);
  const fs::path other = dir_.path() / "other.conf";
  RealFileSystem().write(other, "cache-limit = 7\n", {.mode = 0600});
  EXPECT_EQ(request({{"HEARTH_CONFIG", other.string()}}).cache_limit, std::uint64_t{7} << 30U);
  EXPECT_THAT(story_of([&] {
                return request({{"HEARTH_CONFIG", "/nowhere/x.conf"}});
              }),
              HasSubstr("/nowhere/x.conf is not there, which HEARTH_CONFIG names"));
  for (const char* none : {"/dev/null", ""})
    EXPECT_EQ(request({{"HEARTH_CONFIG", none}}).cache_limit, std::uint64_t{10} << 30U);
}

TEST_F(MachineFilesTest, ALinkThatLeadsNowhereIsSaid) {
  EXPECT_EQ(request().cache_limit, std::uint64_t{10} << 30U) << "no file is none";
  fs::create_directories(file_.parent_path());
  fs::create_symlink("elsewhere/hearth.conf", file_);
  EXPECT_THAT(refusal(), HasSubstr("hearth.conf leads to a file that is not there"));
}

TEST_F(MachineFilesTest, AFileThatOthersDecideAboutIsRefused) {
  write(shared_, 0602);
  EXPECT_THAT(refusal(), AllOf(HasSubstr(file_.string() + " can be written by others"), HasSubstr("chmod go-w")));
  write(shared_, 0644);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("everybody can read it"), Not(HasSubstr("secret"))));
  if (::geteuid() != 0) GTEST_SKIP() << "only root may be lent a file of another user";
  write(shared_, 0620);
  EXPECT_THAT(refusal(), HasSubstr("can be written by others"));
  write(shared_, 0600);
  ASSERT_EQ(::chown(file_.c_str(), 4711, 4711), 0);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("belongs to the user 4711"), HasSubstr("HEARTH_CONFIG")));
}

}  // namespace
}  // namespace hearth::builder
