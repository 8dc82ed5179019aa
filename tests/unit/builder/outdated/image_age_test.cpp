#include "builder/outdated/image_age.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* k_stable = "http://192.0.2.1/dists/stable/InRelease";

class ImageAgeTest : public ::testing::Test {
 protected:
  ImageAgeTest() {
    offers_.add_repository({.suite = "stable"});
    offers_.add_list(
        "Package: curl\nVersion: 2\nArchitecture: amd64\n\nPackage: bash\nVersion: 5\nArchitecture: amd64\n");
    files_.make_directories("web.d", 0755);
    write("manifest.json", {{"packages", {package("bash", "5"), package("curl", "2")}}, {"unlisted", ""}});
    write("steps.json", {{"steps", {{{"step", "root.d/1"}, {"facts", {{cat("repository ", k_stable), "d1"}}}}}}});
  }
  static Json package(const char* name, const char* version) {
    return {{"package", name}, {"version", version}, {"arch", "amd64"}};
  }
  void write(const char* name, const Json& json) { files_.write(fs::path("web.d") / name, json.dump(), {}); }
  [[nodiscard]] ImageAge age() {
    return image_age(read_build_records(files_, "web.d"),
                     {.repository = [&](const std::string&) -> const RepositoryLook& { return look_; },
                      .offers = [&]() -> const PackageOffers& { return offers_; },
                      .remote = [&](const std::string& what) { return remotes_[what]; },
                      .element = [&](const std::string& directory) { return remotes_[directory]; }});
  }
  fakes::MemoryFileSystem files_;
  PackageOffers offers_;
  RepositoryLook look_{.name = "stable"};
  std::map<std::string, std::optional<std::string>> remotes_;
};

TEST_F(ImageAgeTest, AnImageWithTheNewestPackagesIsUpToDate) {
  const ImageAge now = age();
  EXPECT_FALSE(now.is_outdated());
  EXPECT_THAT(now.unknown, IsEmpty());
  EXPECT_EQ(age_text({now}), "web: up to date (2 packages compared)\n");
}

TEST_F(ImageAgeTest, ANewerPackageIsNamedWithBothVersions) {
  write("manifest.json", {{"packages", {package("bash", "5"), package("curl", "1")}}});
  EXPECT_EQ(age_text({age()}), "web: outdated: 1 newer package\n  package   curl  1 -> 2  (stable)\n");
  EXPECT_EQ(age_json({age()})["images"][0]["packages"][0]["version"], "2");
}

TEST_F(ImageAgeTest, BranchesAndElementsThatMovedAreNamed) {
  write("steps.json",
        {{"steps", {{{"facts", {{"git https://192.0.2.1/x main", "aaaa"}, {cat("repository ", k_stable), "d"}}}}}}});
  write("provenance.json",
        {{"predicate",
          {{"buildDefinition",
            {{"resolvedDependencies",
              {{{"name", "element web"}, {"uri", "file:///e/web"}, {"digest", {{"sha256", "1"}}}},
               {{"name", "element gone"}, {"uri", "file:///e/gone"}, {"digest", {{"sha256", "1"}}}}}}}}}}});
  remotes_ = {{"git https://192.0.2.1/x main", "bbbb"}, {"/e/web", "2"}};
  const ImageAge now = age();
  ASSERT_EQ(now.moved.size(), 2U);
  EXPECT_EQ(now.moved[0].what, "element /e/web");
  EXPECT_EQ(now.moved[1].now, "bbbb");
  EXPECT_THAT(now.unknown, ElementsAre(HasSubstr("/e/gone")));
}

TEST_F(ImageAgeTest, WhatCannotBeToldIsNotUpToDate) {
  look_ = {.name = "stable", .fault = "connecting to 192.0.2.1: Connection refused"};
  EXPECT_THAT(age_text({age()}),
              HasSubstr("web: not known (0 packages compared)\n  unknown   connecting to 192.0.2.1"));
  write("manifest.json",
        {{"packages", {{{"package", "a"}, {"version", "1"}, {"manager", "rpm"}}}}, {"unlisted", "no rpm here"}});
  write("steps.json", {{"steps", Json::array()}});
  EXPECT_THAT(age().unknown,
              ElementsAre("only Debian packages are compared, not a", "its list of packages is not whole: no rpm here",
                          "no step of its build noted a package repository"));
}

TEST_F(ImageAgeTest, ANoteTellsOfPackagesInNoRepositoryAndOfSignaturesNobodyKnows) {
  write("manifest.json", {{"packages", {package("bash", "5"), package("own", "1")}}});
  look_.unchecked = "there is no gpgv (package gpgv)";
  const ImageAge now = age();
  EXPECT_FALSE(now.is_outdated());
  EXPECT_THAT(now.unknown, IsEmpty());
  EXPECT_THAT(now.notes, ElementsAre(HasSubstr("not known to be signed"), "in no repository (any more): own"));
}

TEST_F(ImageAgeTest, RecordsNeitherMoveTheCursorNorEndALine) {
  write("manifest.json",
        {{"packages", {package("bash", "5"), package("o\033[2Jwn", "1")}}, {"unlisted", "why\nweb2: up to date"}});
  EXPECT_EQ(age_text({age()}),
            "web: not known (1 package compared)\n  unknown   its list of packages is not whole: why web2: up to date\n"
            "  note      in no repository (any more): own\n");
}

TEST_F(ImageAgeTest, DamagedRecordsAreErrorsThatNameTheFile) {
  EXPECT_THROW((void)read_build_records(files_, "none.d"), Error);
  write("steps.json", {{"steps", 7}});
  try {
    (void)read_build_records(files_, "web.d");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("web.d/steps.json can't be understood"));
  }
}

}  // namespace
}  // namespace hearth::builder
