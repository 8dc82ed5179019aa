#include "builder/packages/package_installs.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<PackageEntry> entries(std::string_view text, const std::string& element = "my-element") {
  return parse_package_installs(text, "package-installs.yaml", element).value_or_throw();
}

std::string names(const std::vector<std::pair<std::string, std::string>>& items) {
  Names names;
  for (const auto& [package, element] : items) names.push_back(package);
  return join(names, " ");
}

/// "phase: +installed -removed; …" for all phases that have some.
std::string chosen(const std::vector<PackageEntry>& from, const Environment& env) {
  Names parts;
  for (const auto& [phase, packages] : choose_packages(from, env)) {
    parts.push_back(cat(info(phase).name, ": +", names(packages.install), " -", names(packages.uninstall)));
  }
  return join(parts, "; ");
}

struct PackageInstallsCase {
  std::string name;
  std::string text;
  Environment env;
  std::string expected;
};

class UpstreamPackageCases : public testing::TestWithParam<PackageInstallsCase> {};

TEST_P(UpstreamPackageCases, GiveTheirPackages) {
  EXPECT_EQ(chosen(entries(GetParam().text), GetParam().env), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    PackageInstalls, UpstreamPackageCases,
    testing::Values(
        PackageInstallsCase{"EmptyValueInstalls", "p1:\np2:\n", {}, "install: +p1 p2 -"},
        PackageInstallsCase{"ArchHere", "p1: {arch: 'ppc64, arm64'}\n", {{"ARCH", "arm64"}}, "install: +p1 -"},
        PackageInstallsCase{"ArchElsewhere", "p1: {arch: 'ppc64, arm64'}\n", {{"ARCH", "amd64"}}, ""},
        PackageInstallsCase{"NotArchHere", "p1: {not-arch: 'ppc64, arm64'}\n", {{"ARCH", "arm64"}}, ""},
        PackageInstallsCase{
            "NotArchElsewhere", "p1: {not-arch: 'ppc64, arm64'}\n", {{"ARCH", "amd64"}}, "install: +p1 -"},
        PackageInstallsCase{"EmptyArchIsEvery", "p1: {arch: ''}\n", {{"ARCH", "amd64"}}, "install: +p1 -"},
        PackageInstallsCase{
            "ListOfParameters",
            "p1:\n  - {arch: amd64, phase: pre-install.d}\n  - {arch: arm64}\n  - {phase: post-install.d}\n",
            {{"ARCH", "amd64"}},
            "pre-install: +p1 -; post-install: +p1 -"},
        PackageInstallsCase{
            "WhenEqual", "p1: {when: A = x}\np2: {when: A = y}\np3: {when: A=x}\n", {{"A", "x"}}, "install: +p1 p3 -"},
        PackageInstallsCase{"WhenNotEqual",
                            "p1: {when: A != x}\np2: {when: A != y}\np3: {when: A!=y}\n",
                            {{"A", "x"}},
                            "install: +p2 p3 -"},
        PackageInstallsCase{"WhenListIsAnd",
                            "p1: {when: [A = x, B != z]}\np2: {when: [A = x, B = z]}\n",
                            {{"A", "x"}, {"B", "y"}},
                            "install: +p1 -"},
        PackageInstallsCase{"WhenValueMayHoldAnEqualsSign",
                            "p1: {when: A = b=c}\np2: {when: A != b=c}\n",
                            {{"A", "b=c"}},
                            "install: +p1 -"},
        PackageInstallsCase{"UninstallRemoves", "p1: {uninstall: true}\n", {}, "install: + -p1"},
        PackageInstallsCase{"BuildOnlyInstallsAndRemoves", "p1: {build-only: True}\n", {}, "install: +p1 -p1"},
        PackageInstallsCase{
            "InstallWinsOverALaterUninstall", "p1:\n  - {}\n  - {uninstall: true}\n", {}, "install: +p1 -"},
        PackageInstallsCase{
            "InstallWinsOverAnEarlierUninstall", "p1:\n  - {uninstall: true}\n  - {}\n", {}, "install: +p1 -"},
        PackageInstallsCase{
            "InstallWinsOverBuildOnly", "p1:\n  - {build-only: true}\n  - {}\n", {}, "install: +p1 p1 -"},
        PackageInstallsCase{"InstallWinsInItsPhaseOnly",
                            "p1:\n  - {phase: pre-install.d}\n  - {uninstall: yes}\n",
                            {},
                            "pre-install: +p1 -; install: + -p1"},
        PackageInstallsCase{"AnInstallThatDoesNotApplyWinsNothing",
                            "p1:\n  - {arch: arm64}\n  - {uninstall: true}\n",
                            {{"ARCH", "amd64"}},
                            "install: + -p1"},
        PackageInstallsCase{"InstallTypeIsSourceByDefault",
                            "p1: {installtype: source}\np2: {installtype: package}\n",
                            {},
                            "install: +p1 -"},
        PackageInstallsCase{"InstallTypeByDefaultVariable",
                            "p1: {installtype: source}\np2: {installtype: package}\n",
                            {{"DIB_DEFAULT_INSTALLTYPE", "package"}},
                            "install: +p2 -"},
        PackageInstallsCase{"InstallTypeOfTheElement",
                            "p1: {installtype: source}\np2: {installtype: package}\n",
                            {{"DIB_DEFAULT_INSTALLTYPE", "source"}, {"DIB_INSTALLTYPE_my_element", "package"}},
                            "install: +p2 -"},
        PackageInstallsCase{"PythonVersion",
                            "p1: {dib_python_version: 3}\np2: {dib_python_version: 2}\n",
                            {{"DIB_PYTHON_VERSION", "3"}},
                            "install: +p1 -"},
        PackageInstallsCase{"PythonVersionUnset", "p1: {dib_python_version: 3}\n", {}, ""},
        PackageInstallsCase{"Json",
                            R"({"p1": null, "p2": {"phase": "post-install.d", "uninstall": true}})",
                            {},
                            "install: +p1 -; post-install: + -p2"},
        PackageInstallsCase{"FalseValuesInstall", "p1: ''\np2: []\np3: {}\n", {}, "install: +p1 p2 p3 -"},
        PackageInstallsCase{"TheLastOfTwoCounts", "p1: {phase: pre-install.d}\np1:\n", {}, "install: +p1 -"},
        PackageInstallsCase{"EmptyFile", "", {}, ""}),
    [](const auto& one) { return one.param.name; });

TEST(PackageInstalls, AConditionOnAnUnsetVariableIsRefusedWithItsPlace) {
  EXPECT_THAT(story_of([] { return choose_packages(entries("p1:\n  when: MISSING = x\n"), {}); }),
              AllOf(HasSubstr("package-installs.yaml:2:"), HasSubstr("The variable <MISSING> is not set")));
}

TEST(PackageInstalls, AConditionAfterAFalseArchitectureIsNotAsked) {
  EXPECT_EQ(chosen(entries("p1: {arch: arm64, when: MISSING = x}\n"), {{"ARCH", "amd64"}}), "");
}

TEST(PackageInstalls, WrongFilesAreRefusedWithPlaceAndReason) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"- p1\n", "1:1: the file must map package names to parameters"},
      {"p1: now\n", "1:5: parameters of a package must be a mapping"},
      {"p1:\n  pahse: install.d\n", "2:3: unknown key 'pahse', did you mean phase?; allowed are phase"},
      {"p1:\n  phase: instal.d\n", "not 'instal.d', did you mean install.d?"},
      {"p1:\n  colour: red\n", "2:3: unknown key 'colour'; allowed are phase, uninstall"},
      {"p1:\n  phase: cleanup.d\n", "2:10: 'phase' is pre-install.d, install.d or post-install.d, not 'cleanup.d'"},
      {"p1: {arch: a, not-arch: b}\n", "package p1: 'arch' and 'not-arch' exclude each other"},
      {"p1: {uninstall: maybe}\n", "'uninstall' must be true or false"},
      {"p1: {when: A is x}\n", "'when' is \"VAR = value\" or \"VAR != value\", not 'A is x'"},
      {"p1: {when: A B = x}\n", "not 'A B = x'"},
      {"p1: {when: '= x'}\n", "not '= x'"},
      {"p1: {arch: [a]}\n", "'arch' must be a text"},
      {"p1: {arch\n", "package-installs.yaml:"},
  };
  for (const auto& [text, expected] : cases) {
    const auto result = parse_package_installs(text, "package-installs.yaml", "e");
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_THAT(result.error().text(), HasSubstr(expected)) << text;
  }
}

TEST(PackageInstalls, AllThatIsWrongIsToldAtOnce) {
  const auto result = parse_package_installs("a: {fase: x, uninstall: maybe}\nb: [1]\nc: {when: x}\n", "p.yaml", "e");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(split_lines(result.error().text()),
              ElementsAre(HasSubstr("p.yaml:1:5: unknown key 'fase'"),
                          HasSubstr("p.yaml:1:25: 'uninstall' must be true or false"),
                          HasSubstr("p.yaml:2:5: parameters of a package must be a mapping"),
                          HasSubstr("p.yaml:3:11: 'when' is")));
}

TEST(PackageInstalls, FilesOfBothKindsAreReadInElementOrder) {
  fakes::MemoryFileSystem files;
  ElementTree tree(files);
  tree.add("os", "", "operating-system").add("a", "z").add("z");
  tree.file("a", "package-installs.yaml", "from-a:\n").file("z", "package-installs.json", R"({"from-z": null})");
  Names found;
  for (const PackageEntry& entry : load_package_installs(files, tree.close({"a", "os"}))) {
    found.push_back(cat(entry.package, " ", entry.element));
  }
  EXPECT_THAT(found, ElementsAre("from-z z", "from-a a"));
}

}  // namespace
}  // namespace hearth::builder
