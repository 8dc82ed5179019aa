#include "builder/guestfs/guest_library.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

TEST(GuestLibraryTest, AMissingLibrarySaysWhatToInstall) {
  try {
    (void)GuestLibrary::get("libguestfs-that-is-not-there.so.0");
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_THAT(error.story(), testing::HasSubstr("apt-get install libguestfs0"));
  }
}

TEST(GuestLibraryTest, ALibraryWithoutOurFunctionsIsRefused) {
  EXPECT_THROW((void)GuestLibrary::get("libc.so.6"), Error);
}

}  // namespace
}  // namespace hearth::builder
