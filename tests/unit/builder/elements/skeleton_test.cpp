#include "builder/elements/skeleton.hpp"

#include <gmock/gmock.h>

#include "builder/lint/element_lint.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Skeleton, IsInOrderForLint) {
  for (const char* name : {"web", "my-web_2", "web.v2"}) {
    fakes::MemoryFileSystem files;
    ElementTree tree(files);
    tree.add("package-installs").add(name);
    for (const SkeletonFile& file : element_skeleton(name)) {
      tree.file(name, file.path, file.text, file.is_executable ? 0755 : 0644);
    }
    const Catalog catalog = tree.catalog();
    ElementLint lint(files, catalog, {});
    EXPECT_THAT(lint.lint(*catalog.find(name)), IsEmpty()) << name;
  }
}

TEST(Skeleton, ItsVariableIsNamedAfterIt) {
  EXPECT_THAT(element_skeleton("my-web"), Contains(Field(&SkeletonFile::text, HasSubstr("DIB_MY_WEB_GREETING"))));
}

TEST(Skeleton, RefusesWhatIsNoName) {
  for (const char* name : {"", "a b", "../a", ".a", "-a", "a/b"}) {
    EXPECT_THAT(story_of([&] { return element_skeleton(name); }), HasSubstr("can't be the name of an element")) << name;
  }
}

}  // namespace
}  // namespace hearth::builder
