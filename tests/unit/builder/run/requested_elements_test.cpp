#include "builder/run/requested_elements.hpp"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace hearth::builder
