#include "builder/elements/unknown_element.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UnknownElement : public testing::Test {
 protected:
  UnknownElement() : before_(fs::current_path()), place_(TempDir::create(fs::temp_directory_path(), "unknown.")) {
    fs::current_path(place_.path());
    for (const char* name : {"openssh-server", "runtime-ssh-host-keys", "opensuse", "debian-minimal"})
      ElementTree(files, "/elements").add(name);
  }
  ~UnknownElement() override { fs::current_path(before_); }
  std::string told(const std::string& name, const std::vector<fs::path>& path = {}) {
    return unknown_element(Catalog::scan(files, path, "/elements"), name, "").story();
  }
  fs::path before_;
  TempDir place_;
  fakes::MemoryFileSystem files;
};

TEST_F(UnknownElement, ThoseWithTheNameInTheirsAreMeantBeforeThoseThatAreWrittenNearlySo) {
  const Catalog catalog = Catalog::scan(files, {}, "/elements");
  EXPECT_THAT(near_elements(catalog, "ssh"), ElementsAre("openssh-server", "runtime-ssh-host-keys"));
  EXPECT_THAT(near_elements(catalog, "openssh"), ElementsAre("openssh-server"));
  EXPECT_THAT(near_elements(catalog, "opensues"), ElementsAre("opensuse"));
  EXPECT_THAT(near_elements(catalog, "nginx"), IsEmpty());
}

TEST_F(UnknownElement, WhatAPersonAskedForMayBeAPackage) {
  EXPECT_THAT(told("nginx"),
              HasSubstr("Element 'nginx' not found\n  Is it a package? -p nginx\n  Searched: /elements"));
  EXPECT_THAT(unknown_element(Catalog::scan(files, {}, "/elements"), "nginx", "web").story(),
              Not(HasSubstr("-p nginx")));
}

TEST_F(UnknownElement, OneThatLiesHereIsToldWithHowItIsFound) {
  fs::create_directories("web/install.d");
  fs::create_directories("below/deep");
  const std::string here = fs::current_path().string();
  EXPECT_EQ(found_by_search_path("web"),
            cat("There is web here, which ELEMENTS_PATH does not name: export ELEMENTS_PATH=", here,
                "${ELEMENTS_PATH:+:$ELEMENTS_PATH}"));
  EXPECT_EQ(found_by_search_path("deep"),
            cat("There is below/deep here, which ELEMENTS_PATH does not name: export ELEMENTS_PATH=", here,
                "/below${ELEMENTS_PATH:+:$ELEMENTS_PATH}"));
  EXPECT_EQ(found_by_search_path("other"), "");
  EXPECT_EQ(found_by_search_path(".."), "");
  EXPECT_THAT(told("web"), HasSubstr("There is web here"));
}

TEST_F(UnknownElement, AnEntryThatHoldsNoElementsIsToldWithTheRightValue) {
  ElementTree(files, "/tree/elements").add("web");
  files.put("/tree/elements/web/post-install.d/10-a", "");
  ElementTree(files, "/mine").add("shop");
  fs::create_directories("wep");
  EXPECT_THAT(told("wep", {"/mine", "/tree"}),
              AllOf(HasSubstr("/tree has its elements in elements/: export ELEMENTS_PATH=/mine:/tree/elements\n"),
                    Not(HasSubstr("There is"))));
  EXPECT_THAT(told("wep", {"/tree/elements/web"}),
              HasSubstr("/tree/elements/web is an element itself: export ELEMENTS_PATH=/tree/elements\n"));
}

TEST_F(UnknownElement, AVariableThatIsNearlyElementsPathIsTold) {
  EXPECT_EQ(mistyped_search_path({{"ELEMENT_PATH", "/x"}}), "ELEMENT_PATH");
  EXPECT_EQ(mistyped_search_path({{"elements_path", "/x"}}), "elements_path");
  for (const char* other : {"ELEMENTS_PATH", "ELEMENTS_DIR", "IMAGE_ELEMENT", "LD_PATH", "DIB_ELEMENTS_PATH"})
    EXPECT_EQ(mistyped_search_path({{other, "/x"}}), std::nullopt) << other;
  ::setenv("ELEMENT_PATH", "/x", 1);
  const std::string story = told("nginx");
  ::unsetenv("ELEMENT_PATH");
  EXPECT_THAT(story, HasSubstr("ELEMENT_PATH is set, and nothing reads it: did you mean ELEMENTS_PATH?"));
}

}  // namespace
}  // namespace hearth::builder
