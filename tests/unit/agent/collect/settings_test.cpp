#include "agent/collect/settings.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Settings make(const std::string& config, const Environment& env = {}, const std::vector<std::string>& words = {}) {
  return Settings(parse_ini(config, "f").value_or_throw(), env, cli::parse_options(command_line_table(), words));
}

TEST(SettingsTest, DefaultsHoldWhereNothingIsSet) {
  const Settings settings = make("");
  EXPECT_EQ(settings.text("DEFAULT", "cachedir"), "/var/lib/os-collect-config");
  EXPECT_EQ(settings.text("DEFAULT", "command"), std::nullopt);
  EXPECT_EQ(settings.number("DEFAULT", "polling_interval"), 30);
  EXPECT_FALSE(settings.flag("DEFAULT", "one_time"));
  EXPECT_THAT(settings.list("DEFAULT", "collectors"),
              ElementsAre("heat_local", "ec2", "cfn", "heat", "request", "local", "zaqar"));
}

TEST(SettingsTest, CommandLineBeatsEnvironmentBeatsLastFile) {
  const std::string config = "[DEFAULT]\ncachedir=one\ncachedir=two\n";
  EXPECT_EQ(make(config).text("DEFAULT", "cachedir"), "two");
  const Environment env = {{"OS_DEFAULT__CACHEDIR", "env"}};
  EXPECT_EQ(make(config, env).text("DEFAULT", "cachedir"), "env");
  EXPECT_EQ(make(config, env, {"--cachedir", "cli"}).text("DEFAULT", "cachedir"), "cli");
}

TEST(SettingsTest, ListsAppendButOperandsReplaceTheCollectors) {
  const std::string config = "[DEFAULT]\ncollectors=ec2\ncollectors=cfn\n[local]\npath=/a\n";
  EXPECT_THAT(make(config).list("DEFAULT", "collectors"), ElementsAre("ec2", "cfn"));
  EXPECT_THAT(make(config, {}, {"local"}).list("DEFAULT", "collectors"), ElementsAre("local"));
  EXPECT_THAT(make(config, {}, {"--local-path", "/b"}).list("local", "path"), ElementsAre("/a", "/b"));
}

TEST(SettingsTest, AListInTheEnvironmentIsCommaSeparated) {
  EXPECT_THAT(make("", {{"OS_LOCAL__PATH", "/a, /b"}}).list("local", "path"), ElementsAre("/a", "/b"));
}

TEST(SettingsTest, ABlankValueIsNotConfigured) {
  const Settings settings = make("[heat]\nauth_url=\n[DEFAULT]\npolling_interval=\none_time=  \n[local]\npath=\n");
  EXPECT_EQ(settings.text("heat", "auth_url"), std::nullopt);
  EXPECT_EQ(settings.number("DEFAULT", "polling_interval"), 30);
  EXPECT_FALSE(settings.flag("DEFAULT", "one_time"));
  EXPECT_THAT(settings.list("local", "path"), IsEmpty());
}

TEST(SettingsTest, BooleansHaveManyWordsAndAnInverse) {
  for (const char* yes : {"True", "1", "ON", "yes"})
    EXPECT_TRUE(make(cat("[DEFAULT]\nforce=", yes)).flag("DEFAULT", "force"));
  for (const char* no : {"FALSE", "0", "off", "No"})
    EXPECT_FALSE(make(cat("[DEFAULT]\nforce=", no)).flag("DEFAULT", "force"));
  EXPECT_FALSE(make("[DEFAULT]\nforce=1\n", {}, {"--noforce"}).flag("DEFAULT", "force"));
  EXPECT_TRUE(make("", {}, {"--zaqar-use-websockets"}).flag("zaqar", "use_websockets"));
}

TEST(SettingsTest, AWrongNumberOrBooleanIsAnErrorThatNamesIt) {
  EXPECT_THROW(make("[DEFAULT]\none_time=maybe\n"), Error);
  try {
    make("", {}, {"--polling-interval", "abc"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "argument --polling_interval: Invalid Float value: abc");
    EXPECT_EQ(error.exit_code(), 1);
  }
}

TEST(SettingsTest, ReferencesAreReplacedAndDollarsEscaped) {
  const std::string config =
      "[DEFAULT]\ncommand=foo\ncachedir=x$command${heat.user_id}-y$$z\\$q${cfn.metadata_url}\n[heat]\nuser_id=5\n";
  EXPECT_EQ(make(config).text("DEFAULT", "cachedir"), "xfoo5-y$z$q");
}

TEST(SettingsTest, ReferencedValuesHavePythonsForm) {
  const std::string config = "[DEFAULT]\ncommand=$polling_interval $one_time $deployment_key\n";
  EXPECT_EQ(make(config).text("DEFAULT", "command"), "30.0 False ['deployments']");
}

TEST(SettingsTest, AnUnknownReferenceStaysAndIsWarnedAbout) {
  const Settings settings = make("[DEFAULT]\ncommand=echo $HOME ${a-b} $1 $\n");
  EXPECT_EQ(settings.text("DEFAULT", "command"), "echo $HOME ${a-b} $1 $");
  EXPECT_THAT(settings.warnings(), ElementsAre("There is no option 'HOME'; '$HOME' stays as it is"));
}

TEST(SettingsTest, ADollarInAPasswordIsNotLogged) {
  EXPECT_THAT(make("[heat]\npassword=a$secret\n").warnings(), IsEmpty());
}

TEST(SettingsTest, AnOptionThatRefersToItselfDoesNotHang) {
  EXPECT_EQ(make("[DEFAULT]\ncachedir=a$cachedir\n").text("DEFAULT", "cachedir"), "aa$cachedir");
}

TEST(SettingsTest, UnknownNamesAreIgnored) {
  EXPECT_TRUE(make("[nova]\nx=1\n[DEFAULT]\nCACHEDIR=x\n").text("DEFAULT", "cachedir"));
}

class ConfigFilesTest : public testing::Test {
 protected:
  ConfigFiles find(const std::vector<std::string>& words) {
    return find_config_files(cli::parse_options(command_line_table(), words), "/root", files_);
  }
  fakes::MemoryFileSystem files_;
};

TEST_F(ConfigFilesTest, TheHomeFileComesBeforeTheSystemsAndDirectoriesLast) {
  files_.put("/root/os-collect-config.conf", "");
  files_.put("/etc/os-collect-config.conf", "");
  files_.put("/etc/os-collect-config.conf.d/b.conf", "");
  files_.put("/etc/os-collect-config.conf.d/a.conf", "");
  files_.put("/etc/os-collect-config.conf.d/a.txt", "");
  EXPECT_EQ(find({}), (ConfigFiles{{"/root/os-collect-config.conf", "/etc/os-collect-config.conf"},
                                   {"/etc/os-collect-config.conf.d/a.conf", "/etc/os-collect-config.conf.d/b.conf"}}));
}

TEST_F(ConfigFilesTest, NamedFilesReplaceTheDefaultsAndMustExist) {
  files_.put("/etc/os-collect-config.conf", "");
  files_.put("/x", "");
  EXPECT_THAT(find({"--config-file", "/x"}).files, ElementsAre("/x"));
  EXPECT_THROW((void)find({"--config-file", "/y"}), Error);
}

TEST_F(ConfigFilesTest, TheFingerprintFollowsTheContents) {
  files_.put("/x", "a");
  const std::string before = fingerprint({"/x", "/missing"}, files_);
  EXPECT_EQ(before, "0cc175b9c0f1b6a831c399e269772661");
  files_.put("/x", "b");
  EXPECT_NE(fingerprint({"/x", "/missing"}, files_), before);
}

}  // namespace
}  // namespace hearth::agent
