#include "builder/hooks/hook_environment.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using fakes::MemoryFileSystem;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

class HookEnvironmentTest : public testing::Test {
 protected:
  HookEnvironmentTest() {
    ElementTree tree(files);
    plan = tree.add("os", "", "operating-system").add("a", "os").plan({"a"});
    request.image_name = "my image";
    request.architecture = "amd64";
    request.elements_path = {"/mine", "/ours"};
    request.cache = "/cache";
    request.lock_files = "/locks";
  }
  [[nodiscard]] Environment environment() const {
    return hook_environment(request, plan, {"/elements", "/shims", "/bin/hearth-agent"}, disk);
  }
  MemoryFileSystem files;
  BuildPlan plan;
  ImageRequest request;
  DiskFacts disk{"root-label", "ext4", "boot-label", {"/", "/boot"}};
};

TEST_F(HookEnvironmentTest, HoldsTheContractsVariables) {
  request.offline = true;
  request.checksums = {HashKind::md5, HashKind::sha256};
  request.trace = 2;
  const Environment env = environment();
  const Environment expected = {{"ARCH", "amd64"},
                                {"DIB_CHECKSUM", "md5,sha256"},
                                {"DIB_DEBUG_TRACE", "2"},
                                {"DIB_IMAGE_CACHE", "/cache"},
                                {"DIB_LOCKFILES", "/locks"},
                                {"DIB_MIN_TMPFS", "2"},
                                {"DIB_NO_TMPFS", "0"},
                                {"DIB_OFFLINE", "1"},
                                {"DIB_ROOT_LABEL", "root-label"},
                                {"DIB_ROOT_FSTYPE", "ext4"},
                                {"DIB_BOOT_LABEL", "boot-label"},
                                {"DIB_MOUNTPOINTS", "/|/boot"},
                                {"ELEMENTS_PATH", "/mine:/ours:/hearth/elements"},
                                {"FS_TYPE", "ext4"},
                                {"IMAGE_ELEMENT", "os a"},
                                {"IMAGE_ELEMENT_YAML", "os: /elements/os\na: /elements/a\n"},
                                {"IMAGE_NAME", "my image"},
                                {"IMAGE_TYPE", "qcow2"},
                                {"LC_ALL", "C"},
                                {"OUT_IMAGE_PATH", ""},
                                {"TMP_BUILD_DIR", "/hearth/build.0"},
                                {"TMP_HOOKS_PATH", "/hearth/build.0/hooks"},
                                {"TMP_IMAGE_DIR", "/hearth/image"},
                                {"TMP_MOUNT_PATH", "/hearth/build.0/mnt"},
                                {"TMPDIR", "/hearth/tmp"},
                                {"_LIB", "/hearth/lib"},
                                {"DIB_PYTHON_EXEC", "/hearth/shims/hearth-python"},
                                {"DIB_BLOCK_DEVICE_PARAMS_YAML", "/hearth/build.0/block-device/params.yaml"}};
  for (const auto& [name, value] : expected) EXPECT_THAT(env, Contains(Pair(name, value)));
}

TEST_F(HookEnvironmentTest, OfflineAndChecksumsHaveUpstreamsEmptyForms) {
  EXPECT_EQ(environment().at("DIB_OFFLINE"), "");
  EXPECT_EQ(environment().at("DIB_CHECKSUM"), "0");
}

TEST_F(HookEnvironmentTest, TheInstallTypeIsNotDefinedYet) {
  EXPECT_THAT(environment(), Not(Contains(Key("DIB_DEFAULT_INSTALLTYPE"))));
}

TEST_F(HookEnvironmentTest, TheCallersVariablesPassAndTheBuildersWin) {
  request.environment = {{"DIB_MINE", "it's"}, {"http_proxy", "http://p"}, {"ARCH", "wrong"}, {"TMPDIR", "/wrong"}};
  const Environment env = environment();
  EXPECT_EQ(env.at("http_proxy"), "http://p");
  EXPECT_EQ(env.at("ARCH"), "amd64");
  EXPECT_EQ(env.at("TMPDIR"), "/hearth/tmp");
  EXPECT_EQ(env.at("DIB_ENV"), cat("declare -x DIB_MINE=", shell_quote("it's"), "\n"));
}

/// Elements write both into images.
TEST_F(HookEnvironmentTest, WhatIsToldOfTheBuildHoldsNoSecret) {
  request.environment = {{"DIB_DEV_USER_PASSWORD", "pw"}, {"DIB_MIRROR", "http://me:pw@h/x"}};
  request.arguments_text = "--qemu-img-options http://me:pw@h/";
  const Environment env = environment();
  EXPECT_EQ(env.at("DIB_ENV"), "declare -x DIB_MIRROR=http://h/x\n");
  EXPECT_EQ(env.at("DIB_ARGS"), "--qemu-img-options http://h/");
  EXPECT_EQ(env.at("DIB_DEV_USER_PASSWORD"), "pw") << "hooks have it all the same";
}

TEST_F(HookEnvironmentTest, TheCallersPythonRunsBehindTheWrapper) {
  EXPECT_THAT(environment(), Not(Contains(Key("HEARTH_PYTHON"))));
  request.environment["DIB_PYTHON_EXEC"] = "/opt/python";
  EXPECT_EQ(environment().at("HEARTH_PYTHON"), "/opt/python");
}

TEST_F(HookEnvironmentTest, SkipBaseIsThereOnlyWhenTheBaseIsSkipped) {
  EXPECT_THAT(environment(), Not(Contains(Key("SKIP_BASE"))));
  request.skip_base = true;
  EXPECT_EQ(environment().at("SKIP_BASE"), "1");
}

TEST_F(HookEnvironmentTest, ThePathStartsWithTheShimsAndHasTheSystemsDirectories) {
  request.environment["PATH"] = "/opt/bin:/usr/sbin";
  const std::string system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games";
  EXPECT_EQ(environment().at("PATH"), "/hearth/shims:/opt/bin:" + system);
  request.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/games:/opt/bin";
  EXPECT_EQ(environment().at("PATH"), "/hearth/shims:" + system + ":/opt/bin");
  request.environment.erase("PATH");
  EXPECT_EQ(environment().at("PATH"), "/hearth/shims:" + system);
}

/// Real bash is the peer of what is prepared for it.
class WithBash : public HookEnvironmentTest {
 protected:
  CommandResult bash(const std::string& script) {
    return runner.run(Command{.argv = {"bash", "-c", script}, .env = environment()});
  }
  SystemClock clock;
  RealRunner runner{clock};
};

TEST_F(WithBash, HooksCanCallDie) {
  const CommandResult result = bash("die went wrong; echo not reached");
  EXPECT_EQ(result.status, ExitStatus(Exited{1}));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "ERROR: went wrong\n");
}

TEST_F(WithBash, NoOptionOfTheCallersShellKeepsHooksFromRunning) {
  request.environment = {{"SHELLOPTS", "noexec"}, {"BASHOPTS", "extdebug"}};
  EXPECT_EQ(bash("echo run").out, "run\n");
  EXPECT_EQ(environment().count("BASHOPTS"), 0U);
}

TEST_F(WithBash, ATraceNamesFileFunctionAndLine) {
  EXPECT_THAT(bash("f() { _ps4; }\nf").out, HasSubstr("f:"));  // root's bash takes no PS4 from its environment
  EXPECT_EQ(environment().at("PS4"), "+ $(_ps4):   ");
}

TEST_F(WithBash, HooksCanWalkTheElements) {
  const CommandResult result = bash(
      "eval declare -A image_elements=($(get_image_element_array)); echo ${image_elements[os]} ${image_elements[a]}");
  EXPECT_EQ(result.out, "/elements/os /elements/a\n") << result.err;
}

TEST_F(WithBash, DibEnvCanBeReadBack) {
  request.environment = {{"DIB_MINE", "two\nlines 'quoted' $x"}};
  EXPECT_EQ(bash("unset DIB_MINE; eval \"$DIB_ENV\"; printf %s \"$DIB_MINE\"").out, "two\nlines 'quoted' $x");
}

TEST(TargetEnvironment, IsRootsWithoutTheHostsLoaderSettings) {
  const Environment env = target_environment({{"TMPDIR", "/hearth/tmp"},
                                              {"VIRTUAL_ENV", "/v"},
                                              {"LD_PRELOAD", "x"},
                                              {"PYTHONPATH", "/p"},
                                              {"BASH_FUNC_die%%", "() { :; }"},
                                              {"PS4", "+ $(_ps4)"},
                                              {"PATH", "/opt"},
                                              {"HOME", "/home/anna"},
                                              {"USER", "anna"},
                                              {"DIB_X", "1"},
                                              {"TMP_MOUNT_PATH", "/hearth/build.0/mnt"}});
  EXPECT_EQ(env, (Environment{{"DIB_X", "1"},
                              {"HOME", "/root"},
                              {"LOGNAME", "root"},
                              {"SYSTEMD_OFFLINE", "1"},
                              {"USER", "root"},
                              {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
                              {"TMP_MOUNT_PATH", "/hearth/build.0/mnt"}}));
}

TEST(TargetEnvironment, AptHasTheBuildersSettingsWhereNobodyNamesOthers) {
  const auto apt = [](const std::string& given) {
    Environment env = {{k_target_apt_settings, "/lent"}};
    if (!given.empty()) env["APT_CONFIG"] = given;
    return target_environment(env).at("APT_CONFIG");
  };
  EXPECT_EQ(apt(""), "/lent");
  EXPECT_EQ(apt("/hearth/build.0/hooks/.fetch/apt.conf"), "/lent");  // which it holds, too
  EXPECT_EQ(apt("/etc/mine"), "/etc/mine");
  const Environment host = phase_environment({{k_target_apt_settings, "/lent"}}, Phase::root, "/t");
  EXPECT_EQ(host.count(k_target_apt_settings) + host.count("APT_CONFIG"), 0U);
}

class EnvironmentScriptTest : public testing::Test {
 protected:
  CommandResult source(const Names& sourced) {
    return runner.run(Command{.argv = environment_script(dir.path().string(), sourced),
                              .env = Environment{{"PATH", "/usr/bin:/bin"}}});
  }
  void put(const std::string& name, const std::string& text) {
    files.make_directories(dir.path() / "environment.d", 0755);
    files.write(dir.path() / "environment.d" / name, text, {});
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  SystemClock clock;
  RealRunner runner{clock};
};

TEST_F(EnvironmentScriptTest, AVariableNotExportedIsSeenByLaterFilesButNotByHooks) {
  put("10-a", "PLAIN=x\nexport A=1\necho noise\n");
  put("20-b", "export B=$PLAIN\nreturn\nexport C=no\n");
  const CommandResult result = source({"10-a", "20-b"});
  ASSERT_TRUE(succeeded(result.status)) << result.err;
  const Environment env = parse_environment(result.out);
  EXPECT_EQ(env.at("A"), "1");
  EXPECT_EQ(env.at("B"), "x");
  EXPECT_THAT(env, Not(Contains(Key("PLAIN"))));
  EXPECT_THAT(env, Not(Contains(Key("C"))));
  EXPECT_THAT(result.err, HasSubstr("Sourcing environment file"));
  EXPECT_THAT(result.err, HasSubstr("noise"));
}

TEST_F(EnvironmentScriptTest, FailuresAndUnsetVariablesEndIt) {
  put("10-exit", "exit 7\n");
  put("20-unset", "echo $NEVER_SET\n");
  put("30-false", "false\ntrue\n");
  EXPECT_EQ(source({"10-exit"}).status, ExitStatus(Exited{7}));
  EXPECT_FALSE(succeeded(source({"20-unset"}).status));
  EXPECT_FALSE(succeeded(source({"30-false"}).status));
}

}  // namespace
}  // namespace hearth::builder
