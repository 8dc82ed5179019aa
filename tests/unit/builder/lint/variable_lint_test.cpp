#include "builder/lint/variable_lint.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct VariableLintTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  VariableLintTest() {
    tree.add("base").add("shop", "base");
    tree.file("shop", "environment.d/50-shop", "export DIB_SHOP_GREETING=${DIB_SHOP_GREETING:-hello}\n");
  }
  Names undeclared() {
    const Catalog catalog = tree.catalog();
    Names texts;
    for (const Finding& finding :
         undeclared_variables(files, catalog, *catalog.find("shop"), environment_variables(files, catalog)))
      texts.push_back(finding_text(finding));
    return texts;
  }
  Names undeclared_in(const std::string& hook) {
    tree.hook("shop", "install.d/50-shop", cat("#!/bin/bash\nset -eu\n", hook, "\n"));
    return undeclared();
  }
};

TEST_F(VariableLintTest, AVariableThatNobodyDeclaresIsFoundWhereAHookReadsIt) {
  EXPECT_THAT(
      undeclared_in("echo \"$DIB_SHOP_GREETINGG\"; echo ${DIB_SHOP_GREETINGG}"),
      ElementsAre(HasSubstr("/elements/shop/install.d/50-shop:3: warning: DIB_SHOP_GREETINGG has no value where "
                            "its caller gives none: no environment.d has a default, no README tells of it; did "
                            "you mean DIB_SHOP_GREETING? [variable]")));
  EXPECT_THAT(undeclared_in("echo ${#DIB_WHATEVER} ${DIB_OTHER%/*}"),
              ElementsAre(HasSubstr("DIB_OTHER has"), HasSubstr("DIB_WHATEVER has")));
}

TEST_F(VariableLintTest, OneThatHasAValueADefaultOrAWordInAReadmeIsDeclared) {
  for (const char* hook :
       {"echo $DIB_SHOP_GREETING", "DIB_SHOP_N=1\necho $DIB_SHOP_N", "[ -n \"${DIB_SHOP_N:-}\" ] && echo $DIB_SHOP_N",
        "[[ -v DIB_SHOP_N ]] && echo $DIB_SHOP_N", "# $DIB_SHOP_N", "echo $DIB_RELEASE $DIB_ARGS $DIB_INSTALLTYPE_shop",
        "echo $MY_DIB_SHOP_N ${DIB_REPOREF_x}"})
    EXPECT_THAT(undeclared_in(hook), IsEmpty()) << hook;
  const std::string reads = "echo $DIB_SHOP_N";
  EXPECT_THAT(undeclared_in(reads), testing::SizeIs(1));
  tree.file("base", "README.md", "`DIB_SHOP_N` is said by whoever builds.\n");
  EXPECT_THAT(undeclared_in(reads), IsEmpty()) << "an element that it depends on tells of it";
  tree.file("base", "README.md", "").file("shop", "lib/shop.sh", "DIB_SHOP_N=1\n");
  EXPECT_THAT(undeclared_in(reads), IsEmpty()) << "a file that the hook may source";
}

TEST_F(VariableLintTest, AFileOfEnvironmentDIsSourcedUnderSetU) {
  tree.file("shop", "environment.d/60-shop", "# of the site\nexport SHOP_SITE=$DIB_SHOP_SITE\n");
  EXPECT_THAT(undeclared(), ElementsAre(HasSubstr("/environment.d/60-shop:2: warning: DIB_SHOP_SITE has no value")));
  tree.file("base", "environment.d/10-base", "export DIB_SHOP_SITE=${DIB_SHOP_SITE:-none}\n");
  EXPECT_THAT(undeclared(), IsEmpty());
  tree.file("base", "environment.d/10-base", "# DIB_SHOP_SITE is the caller's\n");
  EXPECT_THAT(undeclared(), IsEmpty());
}

TEST_F(VariableLintTest, AHookThatTakesUnsetVariablesAsEmptyMayReadAny) {
  tree.hook("shop", "install.d/50-shop", "#!/bin/bash\nset -e\necho $DIB_SHOP_N\n");
  EXPECT_THAT(undeclared(), IsEmpty());
}

TEST_F(VariableLintTest, NamesInATextAreWholeWords) {
  std::set<std::string> names;
  add_variables_in("DIB_A $DIB_B_c MY_DIB_D DIB_ DIB_E_", names);
  EXPECT_THAT(names, ElementsAre("DIB_A", "DIB_B_c"));
}

}  // namespace
}  // namespace hearth::builder
