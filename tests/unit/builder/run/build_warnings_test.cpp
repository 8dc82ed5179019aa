#include "builder/run/build_warnings.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "builder/evidence/own_names.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(BuildWarnings, WhoeverBuildsOverASignedImageWithoutAKeyIsToldThatItWillBeSignedNoMore) {
  const TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  ImageRequest request;
  request.output = dir.path() / "node";
  fs::create_directories(dir.path() / "node.d");
  EXPECT_THAT(notes_on_earlier_image(request), IsEmpty());
  RealFileSystem().write(dir.path() / "node.d" / k_signed_file, "{}", {});
  EXPECT_THAT(notes_on_earlier_image(request), ElementsAre(HasSubstr("node is signed, and will not be: this build")));
}

}  // namespace
}  // namespace hearth::builder
