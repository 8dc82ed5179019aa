#include "builder/plan/requested_elements.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RequestedElements, TheLayoutOfAMachineFollowsItsArchitecture) {
  fakes::MemoryFileSystem files;
  ElementTree tree(files);
  tree.add("vm");
  ImageRequest request;
  request.elements = {"vm"};
  EXPECT_THAT(requested_elements(request, tree.catalog()), ElementsAre("vm"));
  request.default_layout = true;
  EXPECT_THAT(requested_elements(request, tree.catalog()), ElementsAre("vm", "block-device-efi"));
  tree.add("my-lvm", "", "block-device");
  request.elements = {"vm", "my-lvm"};
  EXPECT_THAT(requested_elements(request, tree.catalog()), ElementsAre("vm", "my-lvm")) << "whatever its name";
}

TEST(RequestedElements, ASecondTypeWithoutACommaIsToldHowItIsWritten) {
  fakes::MemoryFileSystem files;
  ElementTree tree(files);
  ImageRequest request;
  request.formats = parse_formats("qcow2");
  request.elements = {"base", "tar"};
  try {
    (void)requested_elements(request, tree.catalog());
    FAIL() << "tar is taken for an element";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(),
                testing::AllOf(HasSubstr("Element 'tar' not found: it is an image type"), HasSubstr("-t qcow2,tar")));
  }
  tree.add("tar");
  EXPECT_THAT(requested_elements(request, tree.catalog()), ElementsAre("base", "tar"))
      << "somebody has such an element";
}

std::string refusal(const ImageRequest& request, const Catalog& catalog) try {
  (void)requested_elements(request, catalog);
  return "";
} catch (const Error& error) {
  return error.story();
}

TEST(RequestedElements, WhoeverMeantAPackageAFileOfImagesOrOneOfItsImagesIsToldHowItIsWritten) {
  const TempDir place = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem().write(place.path() / "images.yaml", "- imagename: shop-web\n  elements: [base]\n", {.mode = 0644});
  fakes::MemoryFileSystem files;
  ElementTree tree(files);
  tree.add("base");
  ImageRequest request;
  request.start_directory = place.path();
  request.elements = {"light"};
  EXPECT_EQ(refusal(request, tree.catalog()), "") << "resolving says that it is not there";
  request.packages = {"nginx"};
  EXPECT_THAT(refusal(request, tree.catalog()), HasSubstr("-p nginx,light"));
  request.elements = {"bsae"};
  EXPECT_EQ(refusal(request, tree.catalog()), "") << "an element is near";
  request.elements = {"shop-web"};
  EXPECT_THAT(refusal(request, tree.catalog()), HasSubstr("hearth image create images.yaml --only shop-web"));
  request.elements = {"images.yml"};
  EXPECT_EQ(refusal(request, tree.catalog()), "there is no file images.yml\n  Did you mean images.yaml?");
  request.elements = {"quite/another.yaml"};
  EXPECT_THAT(refusal(request, tree.catalog()), HasSubstr("there is no file quite/another.yaml\n  An element is"));
}

}  // namespace
}  // namespace hearth::builder
