#include "builder/outdated/package_offers.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

std::string entry(const std::string& package, const std::string& version, const std::string& architecture = "amd64") {
  return cat("Package: ", package, "\nVersion: ", version, "\nArchitecture: ", architecture, "\n\n");
}

class PackageOffersTest : public ::testing::Test {
 protected:
  PackageOffersTest() {
    main_ = offers_.add_repository({.suite = "stable"});
    offers_.add_list(
        cat(entry("curl", "7.88-1"), entry("curl", "7.88-3"), entry("tzdata", "2024", "all"), entry("web", "1")));
    security_ = offers_.add_repository({.suite = "stable-security", .is_security = true});
    offers_.add_list(entry("curl", "7.88-2"));
    backports_ = offers_.add_repository({.suite = "backports", .not_automatic = true, .automatic_upgrades = true});
    offers_.add_list(entry("web", "3~bpo1"));
    experimental_ = offers_.add_repository({.suite = "experimental", .not_automatic = true});
    offers_.add_list(entry("web", "9"));
  }
  [[nodiscard]] std::string newer(const std::string& package, const std::string& version,
                                  const std::string& architecture = "amd64") const {
    const InstalledState state =
        offers_.state_of(package, architecture, version, {main_, security_, backports_, experimental_});
    return state.newer ? state.newer->version : state.is_offered ? "as new" : "not there";
  }
  PackageOffers offers_;
  std::size_t main_ = 0;
  std::size_t security_ = 0;
  std::size_t backports_ = 0;
  std::size_t experimental_ = 0;
};

TEST_F(PackageOffersTest, TheNewestOfAllThatAptWouldTake) {
  EXPECT_EQ(newer("curl", "7.88-1"), "7.88-3");
  EXPECT_EQ(newer("curl", "7.88-3"), "as new");
  EXPECT_EQ(newer("curl", "8"), "as new");
  EXPECT_EQ(newer("own", "1"), "not there");
}

TEST_F(PackageOffersTest, ASecurityUpdateCountsThoughAnotherRepositoryHasANewerVersion) {
  const auto of = [&](const char* version) { return offers_.state_of("curl", "amd64", version, {main_, security_}); };
  EXPECT_TRUE(of("7.88-1").by_security);
  EXPECT_FALSE(of("7.88-2").by_security);
  EXPECT_EQ(of("7.88-2").newer->repository, main_);
}

TEST_F(PackageOffersTest, WhatIsNotAutomaticIsTakenForWhatCameFromThere) {
  EXPECT_EQ(newer("web", "1"), "as new");
  EXPECT_EQ(newer("web", "2~bpo1"), "3~bpo1");
  EXPECT_EQ(newer("web", "3~bpo1"), "as new");
}

TEST_F(PackageOffersTest, OnlyTheImagesOwnRepositoriesAndArchitectureCount) {
  EXPECT_FALSE(offers_.state_of("curl", "amd64", "7.88-1", {experimental_}).is_offered);
  EXPECT_EQ(newer("curl", "1", "arm64"), "not there");
  EXPECT_EQ(newer("tzdata", "2023", "all"), "2024");
  EXPECT_EQ(newer("tzdata", "2023", "amd64"), "2024");
}

TEST_F(PackageOffersTest, WhatIsNoListIsAnErrorAndWhatIsNoVersionPassedOver) {
  EXPECT_THROW(offers_.add_list("<html>\n"), Error);
  offers_.add_list("");
  offers_.add_list(entry("curl", "\033[31m99"));
  EXPECT_EQ(newer("curl", "7.88-3"), "as new");
}

}  // namespace
}  // namespace hearth::builder
