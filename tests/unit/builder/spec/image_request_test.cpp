#include "builder/spec/image_request.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ImageRequest request_by(const std::string& line, Caller caller) {
  caller.start_directory = "/start";
  return resolve(cli::parse_options(image_options(), split_words(line)), caller, fakes::ManualClock());
}
ImageRequest request(const std::string& line, const Environment& env = {}) {
  return request_by(line, Caller{.environment = env, .start_directory = {}});
}
std::vector<std::string> types(const ImageRequest& request) {
  std::vector<std::string> names;
  for (const OutputFormat& format : request.formats) names.push_back(format.name);
  return names;
}

std::string image_request_refusal(const std::string& line, const Environment& env = {}) {
  return story_of([&] { return request(line, env); });
}

TEST(ImageRequest, PackagesMayStandInAFileAndAreNamedOneByOneToWhoBuildsTheSameAgain) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "hearth-request-");
  RealFileSystem().write(work.path() / "packages.txt", "# of the site\nnginx, curl  # for checks\n\nvim\n", {});
  const std::string list = cat("@", (work.path() / "packages.txt").string());
  const ImageRequest listed = request(cat("-p git -p vim,", list, " os"));
  EXPECT_THAT(listed.packages, ElementsAre("git", "vim", "nginx", "curl"));
  EXPECT_THAT(listed.arguments, testing::IsSupersetOf({"vim,nginx,curl"}));
  EXPECT_THAT(join(listed.arguments, " "), Not(HasSubstr("@")));
  EXPECT_THAT(image_request_refusal("-p @none.txt os"), HasSubstr("-p @none.txt: there is no such file"));
}

TEST(ImageRequest, NoElementIsRefusedInUpstreamsWordsWithItsCode) {
  try {
    (void)request("", {{"IMAGE_ELEMENT", "os"}});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "ERROR: At least one distribution root element must be specified");
    EXPECT_EQ(error.exit_code(), 1);
  }
}

ImageRequest upstreams(const std::vector<std::string>& words, const Environment& env = {}) {
  return resolve(cli::parse_options(image_options(), words),
                 {.environment = env, .start_directory = "/start", .manner = Manner::upstream, .typed = words},
                 fakes::ManualClock());
}

TEST(ImageRequest, UnderUpstreamsNamesOperandsAreWordsAndEmptyOnesNothing) {
  EXPECT_THAT(upstreams({"", "-n", "vm os  pip", ""}).elements, ElementsAre("vm", "os", "pip"));
  EXPECT_TRUE(upstreams({"vm os"}).default_layout);
  EXPECT_FALSE(upstreams({"block-device-gpt", "vm os"}).default_layout);
  EXPECT_TRUE(upstreams({"os"}, {{"IMAGE_ELEMENT", "vm"}}).default_layout);
  EXPECT_THAT(story_of([] { return upstreams({"", " "}); }), HasSubstr("At least one distribution root element"));
}

TEST(ImageRequest, UnderUpstreamsNamesTheLastTypesCountAndArgumentsAreAsTyped) {
  EXPECT_THAT(types(upstreams({"-t", "raw", "-t", "qcow2,tar", "os"})), ElementsAre("qcow2", "tar"));
  EXPECT_THAT(types(request("-t raw -t tar os")), ElementsAre("raw", "tar"));
  EXPECT_EQ(upstreams({"os", "-t", "tar", "-n", "a b"}).arguments_text, "os -t tar -n a b");
}

TEST(ImageRequest, TheCompressorOfTgzIsTheVariables) {
  EXPECT_THAT(request("os", {{"DIB_GZIP_BIN", "pigz -p 2"}}).gzip_program, ElementsAre("pigz", "-p", "2"));
  EXPECT_THAT(request("os").gzip_program, IsEmpty());
}

TEST(ImageRequest, TheManifestOfAnAciIsReadBeforeHooksRunAndForNoOtherType) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "aci-");
  const std::string file = (work.path() / "manifest").string();
  RealFileSystem().write(file, "{}", {});
  EXPECT_EQ(request("-t aci os", {{"ACI_MANIFEST", file}}).aci_manifest, "{}");
  EXPECT_EQ(request("-t tar os", {{"ACI_MANIFEST", work.path().string()}}).aci_manifest, "");
  EXPECT_THAT(image_request_refusal("-t aci os", {{"ACI_MANIFEST", work.path().string()}}),
              HasSubstr(cat(work.path().string(), " is not a file")));
  EXPECT_THAT(image_request_refusal("-t aci os", {{"ACI_MANIFEST", file + "-2"}}), HasSubstr("reading ACI_MANIFEST"));
}

TEST(ImageRequest, ARemoteCachesPasswordIsForTheVariableAndNobodyElseSeesIt) {
  const ImageRequest made =
      request("os", {{"HEARTH_REMOTE_CACHE", "http://a:b@192.0.2.1/x"}, {"HEARTH_REMOTE_CACHE_INSECURE", "1"}});
  EXPECT_EQ(made.remote_cache->user_info, "a:b");
  EXPECT_THAT(made.environment, IsEmpty());
  EXPECT_FALSE(made.remote_cache_read_only);
  EXPECT_TRUE(request("--remote-cache http://127.0.0.1/x --remote-cache-insecure --remote-cache-read-only os")
                  .remote_cache_read_only);
  EXPECT_TRUE(request("os", {{"HEARTH_REMOTE_CACHE_READ_ONLY", "1"}}).remote_cache_read_only);
  EXPECT_FALSE(request("os").remote_cache);
  EXPECT_THAT(image_request_refusal("--remote-cache http://a:b@192.0.2.1/x os"), HasSubstr("HEARTH_REMOTE_CACHE"));
  EXPECT_THAT(image_request_refusal("--remote-cache ftp://192.0.2.1/x os"), HasSubstr("http or https"));
}

TEST(ImageRequest, ARemoteCacheIsBelievedByItsKeyOrByAnExplicitWord) {
  const TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const std::string own = (directory.path() / "own.pem").string();
  const std::string other = (directory.path() / "other.pub").string();
  RealFileSystem().write(
      own,
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
      "KEY-----\n",
      {});
  RealFileSystem().write(other, "74a4d0baca3541a4c30c91ed5f53347d71aae5100ef35a379c1766f33823e205\n", {});
  const std::string to = "--remote-cache https://192.0.2.1/x ";
  EXPECT_THAT(image_request_refusal(to + "os"), HasSubstr("--remote-cache-key FILE"));
  const ImageRequest both = request(cat(to, "--remote-cache-key ", own, " --remote-cache-key ", other, " os"));
  EXPECT_THAT(both.remote_cache_keys.trusted,
              ElementsAre("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                          "74a4d0baca3541a4c30c91ed5f53347d71aae5100ef35a379c1766f33823e205"));
  EXPECT_THAT(both.remote_cache_keys.signing, HasSubstr("PRIVATE KEY"));
  EXPECT_FALSE(both.remote_cache_read_only);
  EXPECT_TRUE(request(to + "os", {{"HEARTH_REMOTE_CACHE_KEY", other}}).remote_cache_read_only)
      << "nothing can be signed, so nothing is uploaded";
  EXPECT_THAT(image_request_refusal(cat(to, "--remote-cache-key ", own, " --remote-cache-key ", own, " os")),
              HasSubstr("a second private key"));
  EXPECT_THAT(image_request_refusal(cat(to, "--remote-cache-key /dev/null/nonexistent os")),
              HasSubstr("/dev/null/nonexistent"));
  const std::string key = cat(" --remote-cache-key ", own, " os");
  EXPECT_THAT(image_request_refusal("--remote-cache http://192.0.2.1/x" + key), HasSubstr("unencrypted"));
  for (const char* here : {"http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]/x"}) {
    EXPECT_TRUE(request(cat("--remote-cache ", here, key)).remote_cache) << here;
  }
  EXPECT_THAT(image_request_refusal("--remote-cache http://127.0.0.1/x os"), HasSubstr("whoever can write there"));
}

TEST(ImageRequest, TheDefaultsAreUpstreams) {
  const ImageRequest made = request("os", {{"HOME", "/home/anna"}});
  EXPECT_THAT(made.elements, ElementsAre("base", "os"));
  EXPECT_THAT(types(made), ElementsAre("qcow2"));
  EXPECT_EQ(made.output, "/start/image");
  EXPECT_EQ(made.cache, "/home/anna/.cache/image-create");
  EXPECT_EQ(made.lock_files, "/home/anna/.cache/dib/lockfiles");
  EXPECT_EQ(made.temporary_parent, "/tmp");
  EXPECT_EQ(made.root_label, "cloudimg-rootfs");
  EXPECT_EQ(made.install_type, "source");
  EXPECT_EQ(made.journal_size_mib, 64U);
  EXPECT_EQ(made.min_tmpfs_gib, 2U);
  EXPECT_EQ(made.image_size_gib, std::nullopt);
  EXPECT_TRUE(made.use_tmpfs);
  EXPECT_EQ(made.compression, qcow2::Compression::fast);
  EXPECT_FALSE(made.offline || made.overwrite);
  EXPECT_THAT(made.checksums, IsEmpty());
}

struct Composition {
  std::string line;
  Environment env;
  std::string expected;
};

TEST(ImageRequest, ComposesTheElements) {
  const std::vector<Composition> cases = {
      {"os a", {}, "base os a"},
      {"-n os a", {}, "os a"},
      {"os", {{"SKIP_BASE", "1"}}, "os"},
      {"os", {{"SKIP_BASE", "0"}}, "base os"},
      {"os a", {{"IMAGE_ELEMENT", "first second"}}, "base first second os a"},
      {"os base os", {}, "base os"},
      {"os vm", {}, "base os vm"},
      {"os vm block-device-gpt", {}, "base os vm block-device-gpt"},
      {"os", {{"IMAGE_ELEMENT", "vm"}}, "base vm os"},  // only names on the command line ask for a disk
      {"-n -- os", {}, "os"},
  };
  for (const Composition& given : cases) {
    EXPECT_EQ(join(request(given.line, given.env).elements, " "), given.expected) << given.line;
  }
}

TEST(ImageRequest, VmWithoutALayoutAsksForOne) {
  EXPECT_TRUE(request("os vm").default_layout);
  EXPECT_FALSE(request("os vm block-device-gpt").default_layout);
  EXPECT_FALSE(request("os", {{"IMAGE_ELEMENT", "vm"}}).default_layout);  // only names on the command line count
}

TEST(ImageRequest, ARamdiskBuildStartsWithItsElement) {
  const auto ramdisk = [](const std::string& line, const Environment& env = {}) {
    const Caller caller{
        .environment = env, .start_directory = {}, .manner = Manner::upstream, .kind = BuildKind::ramdisk};
    return join(request_by(line, caller).elements, " ");
  };
  EXPECT_EQ(ramdisk("os"), "ramdisk base os");
  EXPECT_EQ(ramdisk("-n --ramdisk-element dracut-ramdisk os"), "dracut-ramdisk os");
  EXPECT_EQ(ramdisk("-n os", {{"RAMDISK_ELEMENT", "mine"}}), "mine os");
  EXPECT_FALSE(request("os").ramdisk);
}

TEST(ImageRequest, AContainerImageNeedsItsName) {
  EXPECT_THAT(image_request_refusal("-t docker os"), HasSubstr("Please set --docker-target."));
  EXPECT_THAT(image_request_refusal("-t docker,oci -o Ngx os"),
              HasSubstr("--docker-target ngx:latest, or with a registry, registry.example.com/ngx:1"))
      << "of the name that the image has";
  EXPECT_THAT(image_request_refusal("-t docker --container-config=RUNS os"), Not(HasSubstr("--docker-target")))
      << "first what is said of it in vain";
  EXPECT_EQ(request("-t docker --docker-target me:1 os").docker_target, "me:1");
  EXPECT_EQ(request("-t docker --docker-target host:5000/a/me os").docker_target, "host:5000/a/me:latest");
  for (const char* wrong : {"ME:1", "me:", "-x", "a//b", "me:1:2", "me@sha256:0"}) {
    EXPECT_THAT(image_request_refusal(cat("-t docker --docker-target=", wrong, " os")),
                HasSubstr("is no name of a container image"))
        << wrong;
  }
}

TEST(ImageRequest, AContainersConfigurationHasALineForEachInstruction) {
  const Environment env = {{"DIB_CONTAINER_CONFIG", "ENV A=1 B=2\n\nUSER www-data\n"}};
  const ContainerConfig config = request("--image-version 7 os", env).container;
  EXPECT_EQ(config.user, "www-data");
  EXPECT_EQ(config.environment.size(), 2U);
  EXPECT_EQ(config.labels.at("org.opencontainers.image.version"), "7");
  EXPECT_THAT(image_request_refusal("os", {{"DIB_CONTAINER_CONFIG", "USR x"}}),
              HasSubstr("DIB_CONTAINER_CONFIG: 'USR' configures no container, did you mean USER?"));
}

TEST(ImageRequest, ALogFileMeansAQuietStdout) {
  EXPECT_FALSE(request("os").quiet);
  EXPECT_TRUE(request("--logfile /log os").quiet);
  EXPECT_FALSE(request("--logfile /log os", {{"DIB_QUIET", "0"}}).quiet);
  EXPECT_TRUE(request("os", {{"DIB_QUIET", "1"}}).quiet);
  EXPECT_FALSE(request("os", {{"DIB_NO_TIMESTAMP", "1"}}).stamp_output);
}

TEST(ImageRequest, TheOutputLosesTheSuffixOfItsOnlyType) {
  EXPECT_EQ(request("-o img.qcow2 os").output, "/start/img");
  EXPECT_EQ(request("-o img.raw -t raw os").image_name, "img");
  EXPECT_EQ(request("-o img.raw -t raw,tar os").output, "/start/img.raw");
  EXPECT_EQ(request("-o img.raw os").output, "/start/img.raw");
  EXPECT_EQ(request("-o /abs/img os").output, "/abs/img");
  EXPECT_EQ(request("-o .raw -t raw os").image_name, ".raw");
  EXPECT_EQ(request("os", {{"IMAGE_NAME", "env"}}).output, "/start/env");
}

TEST(ImageRequest, ListsAreSplitAtCommasAndEachItemCountsOnce) {
  EXPECT_THAT(types(request("-t raw,tar,raw os")), ElementsAre("raw", "tar"));
  EXPECT_THAT(request("-p a,b -p c,,a os").packages, ElementsAre("a", "b", "c"));
  EXPECT_THAT(image_request_refusal("-t , os"), HasSubstr("no image type is named"));
}

TEST(ImageRequest, AnOptionBeatsItsVariable) {
  const Environment env = {{"ARCH", "arm64"},         {"DIB_IMAGE_SIZE", "3"},     {"ROOT_LABEL", "env-label"},
                           {"DIB_JOURNAL_SIZE", "8"}, {"DIB_IMAGE_CACHE", "/env"}, {"DIB_DEFAULT_INSTALLTYPE", "repo"}};
  const ImageRequest by_env = request("os", env);
  EXPECT_EQ(by_env.architecture, "arm64");
  EXPECT_EQ(by_env.image_size_gib, 3);
  EXPECT_EQ(by_env.root_label, "env-label");
  EXPECT_EQ(by_env.journal_size_mib, 8U);
  EXPECT_EQ(by_env.cache, "/env");
  EXPECT_EQ(by_env.install_type, "repo");
  const ImageRequest made = request(
      "-a amd64 --image-size 0.2 --root-label l --mkfs-journal-size 4 --image-cache /opt "
      "--install-type package os",
      env);
  EXPECT_EQ(made.architecture, "amd64");
  EXPECT_EQ(made.image_size_gib, 0.2);
  EXPECT_EQ(made.root_label, "l");
  EXPECT_EQ(made.journal_size_mib, 4U);
  EXPECT_EQ(request("--mkfs-journal-size 128MiB os").journal_size_mib, 128U);
  EXPECT_EQ(made.cache, "/opt");
  EXPECT_EQ(made.install_type, "package");
  EXPECT_EQ(made.environment.at("DIB_DEFAULT_INSTALLTYPE"), "package");  // or hooks would go by the variable
}

TEST(ImageRequest, TheInstallTypeIsNotInTheEnvironmentUnlessTheCallerHadIt) {
  EXPECT_EQ(request("--install-type package os").environment.count("DIB_DEFAULT_INSTALLTYPE"), 0U);
}

TEST(ImageRequest, NumbersAreChecked) {
  for (const char* wrong : {"big", "-1", "3gib", "inf", "nan", "1e999"}) {
    EXPECT_THAT(image_request_refusal(cat("--image-size=", wrong, " os")), HasSubstr("--image-size")) << wrong;
  }
  EXPECT_EQ(request("--image-size 3GiB os").image_size_gib, 3);
  EXPECT_EQ(request("--image-size 4G os").image_size_gib, 4);
  EXPECT_EQ(request("--image-extra-size 2GiB os").extra_size_mib, 2048);
  EXPECT_THAT(image_request_refusal("os", {{"DIB_IMAGE_SIZE", "big"}}), HasSubstr("DIB_IMAGE_SIZE: 'big'"));
  EXPECT_THAT(image_request_refusal("--max-online-resize abc os"), HasSubstr("--max-online-resize: 'abc'"));
  EXPECT_THAT(image_request_refusal("os", {{"DIB_BLOCK_SIZE", "abc"}}), HasSubstr("Known: 512, 4096"));
  EXPECT_EQ(request("os", {{"DIB_BLOCK_SIZE", "4096"}}).sector_size, 4096U);
  EXPECT_THAT(image_request_refusal("os", {{"SOURCE_DATE_EPOCH", "yesterday"}}), HasSubstr("SOURCE_DATE_EPOCH"));
  EXPECT_THAT(image_request_refusal("--mkfs-journal-size 1500KiB os"), HasSubstr("is not a whole number of MiB up to"));
  EXPECT_THAT(image_request_refusal("--mkfs-journal-size 1YiB os"), HasSubstr("'1YiB' is not a size"));
  EXPECT_THAT(image_request_refusal("-t docker os"), HasSubstr("Please set --docker-target.\n  The name by which"));
  EXPECT_THAT(image_request_refusal("--min-tmpfs 1.5 os"), HasSubstr("--min-tmpfs: '1.5' is not a whole number"));
  EXPECT_THAT(image_request_refusal("os", {{"DIB_DEBUG_TRACE", "much"}}), HasSubstr("DIB_DEBUG_TRACE"));
  EXPECT_EQ(request("--image-extra-size 12.5 os").extra_size_mib, 12.5);
}

TEST(ImageRequest, TraceAddsUp) {
  EXPECT_EQ(request("-x -x os").trace, 2);
  EXPECT_EQ(request("-x os", {{"DIB_DEBUG_TRACE", "1"}}).trace, 2);
}

TEST(ImageRequest, ChecksumsComeByOptionOrList) {
  EXPECT_THAT(request("--checksum os").checksums, ElementsAre(HashKind::md5, HashKind::sha256));
  EXPECT_THAT(request("os", {{"DIB_CHECKSUM", "1"}}).checksums, ElementsAre(HashKind::md5, HashKind::sha256));
  EXPECT_THAT(request("os", {{"DIB_CHECKSUM", "sha256"}}).checksums, ElementsAre(HashKind::sha256));
  EXPECT_THAT(request("--checksums sha512 os", {{"DIB_CHECKSUM", "md5"}}).checksums, ElementsAre(HashKind::sha512));
  EXPECT_THAT(image_request_refusal("os", {{"DIB_CHECKSUM", "sha265"}}), HasSubstr("DIB_CHECKSUM: 'sha265'"));
  EXPECT_THAT(request("os", {{"DIB_CHECKSUM", "0"}}).checksums, IsEmpty());
}

TEST(ImageRequest, TheRootLabelFollowsTheFileSystem) {
  EXPECT_EQ(request("os", {{"FS_TYPE", "xfs"}}).root_label, "img-rootfs");
}

TEST(ImageRequest, PlacesComeFromTheEnvironment) {
  EXPECT_EQ(request("os", {{"TMP_DIR", "/a"}}).temporary_parent, "/a");
  EXPECT_EQ(request("os", {{"TMP_DIR", "/a"}, {"TMPDIR", "/b"}}).temporary_parent, "/b");
  EXPECT_EQ(request("os", {{"DIB_LOCKFILES", "/locks"}}).lock_files, "/locks");
  EXPECT_FALSE(request("os", {{"DIB_NO_TMPFS", "1"}}).use_tmpfs);
  EXPECT_FALSE(request("--no-tmpfs os").use_tmpfs);
  EXPECT_TRUE(request("os", {{"DIB_OFFLINE", "1"}}).offline);
  EXPECT_FALSE(request("os", {{"DIB_OFFLINE", ""}}).offline);
  EXPECT_TRUE(request("os", {{"OVERWRITE_OLD_IMAGE", "1"}}).overwrite);
}

TEST(ImageRequest, AnEmptyEntryOfTheElementsPathIsKeptToBeRefused) {
  EXPECT_THAT(request("os", {{"ELEMENTS_PATH", "/a::/b"}}).elements_path, ElementsAre("/a", "", "/b"));
  EXPECT_THAT(request("os", {{"ELEMENTS_PATH", ""}}).elements_path, IsEmpty());
}

TEST(ImageRequest, BreakPointsAreCheckedAndCollected) {
  EXPECT_THAT(request("--break before-install,after-error os", {{"break", "after-pre-finalise"}}).breaks,
              ElementsAre("before-install", "after-error", "after-pre-finalise"));
  for (const char* wrong : {"before-error", "install", "during-install", "after-install.d"}) {
    EXPECT_THAT(image_request_refusal(cat("--break ", wrong, " os")),
                HasSubstr("before-PHASE, after-PHASE or after-error"))
        << wrong;
  }
}

TEST(ImageRequest, AnOutputHasAName) {
  for (const char* wrong : {"-o . os", "-o a/.. os", "-o a/ os"}) {
    EXPECT_THAT(image_request_refusal(wrong), HasSubstr("names no image")) << wrong;
  }
  EXPECT_THAT(image_request_refusal("os", {{"IMAGE_NAME", "a\nb"}}), HasSubstr("IMAGE_NAME: '…' names no image"));
  EXPECT_EQ(request("-o a/b os").output, "/start/a/b");
  const TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  fs::create_symlink("loop", directory.path() / "loop");
  EXPECT_THAT(image_request_refusal(cat("-o ", (directory.path() / "loop/x").string(), " os")),
              HasSubstr("the image's path "));
}

TEST(ImageRequest, NumbersHaveLimits) {
  for (const char* wrong : {"--image-size 0", "--mkfs-journal-size 99999999999", "--max-online-resize 0",
                            "--max-online-resize 99999999999", "-p --version"}) {
    EXPECT_NE(image_request_refusal(cat(wrong, " os")), "") << wrong;
  }
  EXPECT_THAT(image_request_refusal("os", {{"SOURCE_DATE_EPOCH", "253402300800"}}),
              HasSubstr("is not a number from 0 to 253402300799"));
}

TEST(ImageRequest, WordsThatAreNotKnownAreRefusedHoweverTheyCome) {
  for (const char* wrong : {"-a sparc", "-t qcow3", "--install-type foo", "--checksums sha265", "--compression x",
                            "--disk-maker x", "--fresh-from instal", "--break before-instal", "--server x"}) {
    EXPECT_NE(image_request_refusal(cat(wrong, " os")), "") << wrong;
  }
  for (const char* variable :
       {"ARCH", "DIB_DEFAULT_INSTALLTYPE", "HEARTH_DISK_MAKER", "DIB_CHECKSUM", "break", "HEARTH_CACHE_LIMIT",
        "HEARTH_LAYERS", "HEARTH_LAYER_WORTH", "DIB_MIN_TMPFS", "HEARTH_REMOTE_CACHE_INSECURE",
        "HEARTH_REMOTE_CACHE_READ_ONLY", "DIB_JOURNAL_SIZE", "MAX_ONLINE_RESIZE", "DIB_IMAGE_EXTRA_SIZE"}) {
    EXPECT_NE(image_request_refusal("os", {{variable, "wrong"}}), "") << variable;
  }
}

TEST(ImageRequest, AClearedEnvironmentKeepsWhatTheArgumentsSet) {
  const ImageRequest made = request_by("-c os", Caller{.environment = {{"DIB_MINE", "1"}, {"HOME", "/h"}},
                                                       .settings = {{"DIB_FILE", "2"}},
                                                       .start_directory = {}});
  EXPECT_EQ(made.environment, (Environment{{"DIB_FILE", "2"}, {"HOME", "/h"}}));
}

TEST(ImageRequest, WhatMakeSaysToItsChildrenIsNoneOfAnImages) {
  Caller caller{.environment = {{"MAKELEVEL", "1"}, {"MAKEFLAGS", " -j4"}, {"MFLAGS", "-j4"}}, .start_directory = {}};
  EXPECT_THAT(request_by("os", caller).environment, IsEmpty());
  caller.settings = {{"MAKEFLAGS", "-j2"}};
  EXPECT_EQ(request_by("os", caller).environment, (Environment{{"MAKEFLAGS", "-j2"}}));
  EXPECT_EQ(request_by("os", Caller{.environment = {{"MAKEFLAGS", "-s"}}, .start_directory = {}}).environment,
            (Environment{{"MAKEFLAGS", "-s"}}));
}

TEST(ImageRequest, KnowsTheCommandLineThatSaysTheSame) {
  EXPECT_EQ(request("os -o x -t raw,tar -n").arguments_text, "-n -o x -t raw,tar os");
}

TEST(ImageRequest, RelativePlacesBeginAtTheCallersDirectory) {
  const ImageRequest made = request("--image-cache c --logfile l os", {{"ELEMENTS_PATH", "e"}, {"DIB_LOCKFILES", "k"}});
  EXPECT_EQ(made.cache, "/start/c");
  EXPECT_EQ(made.log_file, "/start/l");
  EXPECT_EQ(made.lock_files, "/start/k");
  EXPECT_THAT(made.elements_path, ElementsAre("/start/e"));
}

TEST(ImageRequest, UpstreamsOfflineLeavesTheNetworkUnlessALockIsNamed) {
  const Caller upstream{.environment = {}, .start_directory = {}, .manner = Manner::upstream};
  EXPECT_FALSE(request_by("--offline os", upstream).fetching.mode);
  EXPECT_EQ(request_by("--offline os", upstream).cycles, Cycles::accept);
  EXPECT_THAT(image_request_refusal("--offline --accept-cycles os"), HasSubstr("there is no lock file"));
}

TEST(ImageRequest, TheLockIsReadAndItsSettingsHold) {
  EXPECT_THAT(image_request_refusal("--locked --lock /dev/null/nonexistent os"),
              HasSubstr("no lock file /dev/null/nonexistent"));
  EXPECT_THAT(image_request_refusal("--lock x os"), HasSubstr("--lock FILE goes with"));
  EXPECT_EQ(request("--record os").environment.count("SOURCE_DATE_EPOCH"), 1U);
}

TEST(ImageRequest, ALockMayNotSetWhatRunsHere) {
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const std::string lock = (dir.path() / "lock").string();
  RealFileSystem().write(lock, "SET DIB_RELEASE trixie\nSET SOURCE_DATE_EPOCH 7\n", {});
  EXPECT_EQ(request(cat("--locked --lock ", lock, " os")).environment.at("DIB_RELEASE"), "trixie");
  for (const char* name : {"ELEMENTS_PATH", "PATH", "HEARTH_DATA_DIR", "LD_PRELOAD"}) {
    RealFileSystem().write(lock, cat("SET ", name, " /evil\n"), {});
    EXPECT_THAT(image_request_refusal(cat("--locked --lock ", lock, " os")),
                HasSubstr(cat("sets ", name, ", which no")));
  }
}

TEST(ImageRequest, TheIdentityIsOneWord) {
  EXPECT_EQ(request("os").builder, "urn:hearth:builder");
  EXPECT_EQ(request("--image-version 1.2 --builder me os").version, "1.2");
  EXPECT_THAT(image_request_refusal("--image-version=ä os"), HasSubstr("--image-version"));
}

TEST(ImageRequest, TheSigningKeyIsReadAndCheckedAtOnce) {
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const std::string file = (dir.path() / "key").string();
  EXPECT_THAT(image_request_refusal(cat("--sign-key ", file, " os")),
              HasSubstr(cat("openssl genpkey -algorithm ed25519 -out ", file, " makes one")));
  RealFileSystem().write(file, "no key", {});
  EXPECT_THAT(image_request_refusal(cat("--sign-key ", file, " os")), HasSubstr("no Ed25519 private key"));
  // Made by `openssl genpkey -algorithm ed25519` for these tests.
  const std::string key =
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
      "KEY-----\n";
  RealFileSystem().write(file, key, {});
  EXPECT_EQ(request(cat("--sign-key ", file, " os")).signing_key->text(), key);
  fs::create_hard_link(file, cat(file, ".second"));
  EXPECT_THAT(image_request_refusal(cat("--sign-key ", file, " os")), HasSubstr("2 names (hard links)"));
}

class MetadataTest : public testing::Test {
 protected:
  std::string file_with(const std::string& text) {
    RealFileSystem().write(dir.path() / "m.json", text, {});
    return (dir.path() / "m.json").string();
  }
  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
};

TEST_F(MetadataTest, AddsItsElementAndVariable) {
  const std::string file = file_with(R"({"a": 1})");
  const ImageRequest made = request(cat("--metadata ", file, " os"));
  EXPECT_THAT(made.elements, ElementsAre("base", "heat-metadata", "os"));
  EXPECT_EQ(made.environment.at("DIB_HEAT_METADATA"), file);
}

TEST_F(MetadataTest, OfOneServerTakesNoNameOfAServer) {
  EXPECT_THAT(image_request_refusal(cat("--metadata ", file_with("{}"), " --server web os")),
              HasSubstr("--server web is one of a compiled directory's, and "));
  EXPECT_THAT(image_request_refusal("--metadata nowhere --server web os"), HasSubstr("/nowhere is not there"));
}

TEST_F(MetadataTest, IsCheckedAtOnce) {
  EXPECT_THAT(image_request_refusal(cat("--metadata ", file_with("[1]"), " os")),
              HasSubstr("metadata must be a JSON object"));
  EXPECT_THAT(image_request_refusal(cat("--metadata ", file_with("{\n  x"), " os")), HasSubstr("m.json:2:"));
  EXPECT_THAT(image_request_refusal("os", {{"DIB_HEAT_METADATA", "/missing/m.json"}}), HasSubstr("/missing/m.json"));
}

}  // namespace
}  // namespace hearth::builder
