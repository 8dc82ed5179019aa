#include "builder/lint/source_check.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct SourceCheckTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};

  Names found(const std::string& text, const Environment& environment = {}) {
    tree.add("web").file("web", "source-repository-web", text);
    Names texts;
    for (const Finding& finding : source_faults(files, *tree.catalog().find("web"), environment))
      texts.push_back(finding_text(finding));
    return texts;
  }
};

TEST_F(SourceCheckTest, GoodSourcesAndWhatIsExpandedLaterAreNoFindings) {
  EXPECT_THAT(found("# about\n\nweb git /opt/web https://h/web.git main\nx tar /opt/x ~/x.tgz *\n"
                    "y file /opt/y $Y_PLACE\nz package\nall git /opt/all https://h/all * # all of it\n"
                    "w ${W_TYPE:-gitt} /opt/w\nv git $WHERE\n"),
              IsEmpty());
}

TEST_F(SourceCheckTest, AnUnknownTypeIsToldWithItsPlaceAndTheNearestOne) {
  EXPECT_THAT(
      found("\n  web gitt /opt/web https://h/web\n"),
      ElementsAre(AllOf(HasSubstr("source-repository-web:2:7: error: no source has the type 'gitt' (git, tar, file, "
                                  "package); did you mean git?"),
                        HasSubstr("[source]"))));
  EXPECT_THAT(found("web\n"), ElementsAre(HasSubstr("source-repository-web:1:1: error: there is no type")));
}

TEST_F(SourceCheckTest, WhatASourceLacksIsTold) {
  EXPECT_THAT(found("web git /opt/web\n"),
              ElementsAre(AllOf(HasSubstr(":1:9: warning: it says not where to fetch web from"),
                                HasSubstr("DIB_REPOLOCATION_web"))));
  EXPECT_THAT(found("my-web git /opt/web\n", {{"DIB_REPOLOCATION_my_web", "https://h/web"}}), IsEmpty());
  EXPECT_THAT(found("web git opt/web https://h/web\n"), ElementsAre(HasSubstr(":1:9: error: there is no destination")));
  EXPECT_THAT(found("web git\n"), ElementsAre(HasSubstr(":1:5: error: there is no destination")));
  EXPECT_THAT(found("web git /opt/web https://h/web main more\n"),
              ElementsAre(HasSubstr(":1:37: error: there is a word too many")));
}

}  // namespace
}  // namespace hearth::builder
