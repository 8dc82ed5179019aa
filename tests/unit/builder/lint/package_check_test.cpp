#include "builder/lint/package_check.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct PackageCheckTest : testing::Test {
  TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, directory.path() / "elements"};
  ImageRequest request;
  Names known;

  PackageCheckTest() {
    request.architecture = "amd64";
    request.cache = directory.path() / "cache";
    request.environment = {{"DIB_RELEASE", "bookworm"}};
    const fs::path lists = request.cache / "apt/debian/lists-bookworm-amd64";
    files.make_directories(lists, 0755);
    files.write(lists / "mirror_dists_bookworm_main_binary-amd64_Packages",
                "Package: nginx-light\nProvides: httpd\n\nPackage: git\n", {});
    tree.add("debian-minimal", "", "operating-system").add("web");
  }
  Names faults(const std::string& yaml) {
    tree.file("web", "package-installs.yaml", yaml);
    Names texts;
    BuildPlan plan = tree.plan({"debian-minimal", "web"});
    for (Element& element : plan.elements.elements) element.built_in = false;
    for (const Finding& finding : unknown_packages(files, request, plan, known)) {
      texts.push_back(finding_text(finding).substr(finding.file == "-p" ? 0 : directory.path().string().size()));
    }
    return texts;
  }
};

TEST_F(PackageCheckTest, ANameThatNoListHasIsToldWithTheNearest) {
  EXPECT_THAT(faults("nginx-lihgt:\ngit:\nhttpd:\n"),
              ElementsAre("/elements/web/package-installs.yaml:1: error: nginx-lihgt is in no repository of debian "
                          "bookworm; did you mean nginx-light? [package]"));
  EXPECT_THAT(known, testing::UnorderedElementsAre("package debian bookworm git", "package debian bookworm httpd"));
}

TEST_F(PackageCheckTest, NamesBehindMapsCountAndThoseThatAreMappedAwayDont) {
  tree.file("web", "pkg-map", R"({"default": {"server": "nginx-light", "gone": "", "wrong": "gti"}})");
  EXPECT_THAT(faults("server:\ngone:\nwrong:\n"), ElementsAre(HasSubstr("gti is in no repository")));
}

TEST_F(PackageCheckTest, WhatIsNotInstalledHereIsNotAskedFor) {
  EXPECT_THAT(faults("nope: {arch: arm64}\nnope2: {uninstall: true}\nnope3: {when: UNSET = 1}\n"), IsEmpty());
}

TEST_F(PackageCheckTest, VersionsArchitecturesAndFilesOfTheCommandLineAreUnderstood) {
  request.packages = {"git:amd64", "git=1", "git/bookworm", "./own.deb", "gitt"};
  EXPECT_THAT(faults(""), ElementsAre(HasSubstr("-p: error: gitt is in no repository")));
}

TEST_F(PackageCheckTest, WhereAnotherRepositoryMayHaveItIsAWarning) {
  const auto is_certain = [&] {
    const Names told = faults("nope:\n");
    EXPECT_EQ(told.size(), 1U);
    return !told.empty() && told.front().find(": error: ") != std::string::npos;
  };
  EXPECT_TRUE(is_certain());
  request.environment["DIB_DISTRIBUTION_MIRROR"] = "http://mirror/";
  EXPECT_TRUE(is_certain()) << "the lists are of that mirror";
  request.environment["DIB_DISTRIBUTION_MIRROR"] = "http://mirror.example/debian";
  EXPECT_FALSE(is_certain());
  request.environment.erase("DIB_DISTRIBUTION_MIRROR");
  request.environment["DIB_DEBIAN_COMPONENTS"] = "main,contrib";
  EXPECT_FALSE(is_certain());
  request.environment.erase("DIB_DEBIAN_COMPONENTS");
  tree.file("web", "environment.d/10-web", "export DIB_DISTRIBUTION_MIRROR=http://mirror.example/debian\n");
  EXPECT_FALSE(is_certain());
}

TEST_F(PackageCheckTest, NothingIsSaidWhereFurtherRepositoriesOrNoListsAreKnown) {
  tree.hook("web", "root.d/10-x", "#!/bin/sh\necho > $TARGET_ROOT/etc/apt/sources.list.d/x.list\n");
  EXPECT_THAT(faults("nope:\n"), IsEmpty());
  tree.hook("web", "root.d/10-x", "#!/bin/sh\n");
  request.environment["DIB_RELEASE"] = "nosuch";
  EXPECT_THAT(faults("nope:\n"), IsEmpty());
}

struct InterpretersTest : PackageCheckTest {
  InterpretersTest() {
    files.write(
        request.cache / "apt/debian/lists-bookworm-amd64/mirror_dists_bookworm_main_binary-amd64_Packages",
        "Package: base-files\nEssential: yes\nDepends: libc6\n\nPackage: libc6\n\nPackage: apt\n\n"
        "Package: python3\nPre-Depends: python3-minimal (= 3)\n\nPackage: python3-minimal\n\n"
        "Package: tool\nDepends: libc6 (>= 2), python3:any | other\n\nPackage: plain\nDepends: nothing | python3\n\n"
        "Package: nothing\n\nPackage: virtual\nDepends: a-mailer\n\nPackage: mailer\nProvides: a-mailer (= 1)\n"
        "Depends: python3\n\n",
        {});
  }
  Names told(const std::string& packages) {
    tree.file("web", "package-installs.yaml", packages);
    Names texts;
    BuildPlan plan = tree.plan({"debian-minimal", "web"});
    for (Element& element : plan.elements.elements) element.built_in = element.name != "web";
    for (const Finding& finding : missing_interpreters(files, request, plan, known))
      texts.push_back(finding_text(finding));
    return texts;
  }
};

TEST_F(InterpretersTest, AProgramThatNoPackageBringsIsTold) {
  tree.hook("web", "install.d/hook-web.py", "#!/usr/bin/env python3\n")
      .hook("web", "install.d/50-web", "#!/usr/bin/perl\n")
      .hook("web", "root.d/50-web", "#!/usr/bin/python3\n")
      .file("web", "static/usr/share/doc/x.py", "#!/usr/bin/python3\n");
  EXPECT_THAT(
      told("plain:\n"),
      ElementsAre(HasSubstr("/install.d/hook-web.py:1: warning: it is for python3, which no package of this image "
                            "brings; python3: in a package-installs.yaml does [interpreter]")));
  tree.hook("web", "static/usr/bin/x", "#!/usr/bin/env -S python3 -u\n")
      .hook("web", "os-refresh-config/configure.d/50-x", "#!/usr/bin/python3\n");
  EXPECT_EQ(told("plain:\n").size(), 3U);
}

TEST_F(InterpretersTest, WhatBringsItByADependencyBringsIt) {
  tree.hook("web", "install.d/50-web", "#!/usr/bin/env python3\n");
  for (const char* brings : {"python3:\n", "tool:\n", "virtual:\n", "tool: {when: X = 1}\n",
                             "tool: {dib_python_version: 3}\n", "tool: {installtype: package}\n"})
    EXPECT_THAT(told(brings), IsEmpty()) << brings;
  EXPECT_EQ(told("python3: {uninstall: true}\n").size(), 1U);
  EXPECT_EQ(told("tool: {when: DISTRO_NAME = ubuntu}\n").size(), 1U);
  EXPECT_THAT(told("plain:\nother-arch: {arch: arm64}\n"), testing::SizeIs(1));
  request.packages = {"tool"};
  EXPECT_THAT(told("plain:\n"), IsEmpty());
}

TEST_F(InterpretersTest, WhatWasFoundIsRememberedForTheSamePackages) {
  tree.hook("web", "install.d/50-web", "#!/usr/bin/env python3\n");
  EXPECT_THAT(told("tool:\n"), IsEmpty());
  ASSERT_EQ(known.size(), 1U);
  files.write(request.cache / "apt/debian/lists-bookworm-amd64/mirror_dists_bookworm_main_binary-amd64_Packages",
              "Package: tool\n\nPackage: plain\n\nPackage: python3-minimal\n", {});
  EXPECT_THAT(told("tool:\n"), IsEmpty()) << "no list is read again";
  EXPECT_EQ(told("tool:\nplain:\n").size(), 1U);
}

TEST_F(InterpretersTest, WhereItCanNotBeKnownNothingIsSaid) {
  tree.hook("web", "install.d/50-web", "#!/usr/bin/env ruby\n");
  EXPECT_THAT(told("plain:\n"), IsEmpty()) << "no list knows its package";
  tree.hook("web", "install.d/50-web", "#!/usr/bin/env python3\n");
  EXPECT_THAT(told("from-elsewhere:\n"), IsEmpty()) << "who knows what that brings";
  EXPECT_EQ(told("plain:\n").size(), 1U);
  request.environment["DIB_RELEASE"] = "trixie";
  EXPECT_THAT(told("plain:\n"), IsEmpty()) << "there are no lists";
  request.environment["DIB_RELEASE"] = "bookworm";
  tree.hook("web", "install.d/10-web", "#!/bin/bash\napt-get install -y something\n");
  EXPECT_THAT(told("plain:\n"), IsEmpty()) << "no list knows what the hook installs";
}

TEST_F(InterpretersTest, WhatHooksInstallByTheirTextIsKnown) {
  tree.hook("web", "install.d/50-web", "#!/usr/bin/env python3\n");
  const auto is_told = [&](const std::string& script) {
    tree.hook("web", "install.d/10-web", cat("#!/bin/bash\n", script, "\n"));
    return told("plain:\n").size() == 1;
  };
  for (const char* without :
       {"apt-get install -y nothing", "apt-get -qq update; apt-get install -y nothing base-files",
        "dpkg --print-architecture", "# apt-get install python3", "apt-get install -y \\\n  nothing"})
    EXPECT_TRUE(is_told(without)) << without;
  for (const char* with : {"apt-get install -y python3", "apt-get update && apt-get install -y nothing tool=1.0",
                           "apt-get install -y $packages", "apt-get install ./x.deb", "dpkg -i x.deb",
                           "chroot x bash -c 'apt-get install python3'", "install-packages python3",
                           "bash <<EOF\napt-get install -y python3\nEOF"})
    EXPECT_FALSE(is_told(with)) << with;
}

}  // namespace
}  // namespace hearth::builder
