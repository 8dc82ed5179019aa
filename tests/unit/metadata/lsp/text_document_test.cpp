#include "metadata/lsp/text_document.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::lsp {
namespace {

/// An editor counts 😀 as two, ä as one; in bytes they are four and two.
TEST(TextDocument, places_count_units_of_utf16) {
  const TextDocument document("a\xf0\x9f\x98\x80z\r\n\xc3\xa4: x\rend");
  EXPECT_EQ(document.offset_of({0, 3}), 5U);
  EXPECT_EQ(document.offset_of({0, 2}), 1U);  // in the midst of the pair: before it
  EXPECT_EQ(document.offset_of({0, 99}), 6U);
  EXPECT_EQ(document.offset_of({1, 1}), 10U);
  EXPECT_EQ(document.offset_of({2, 0}), 14U);
  EXPECT_EQ(document.offset_of({9, 0}), document.text().size());
  EXPECT_EQ(document.spot_of(5), (Spot{0, 3}));
  EXPECT_EQ(document.spot_of(10), (Spot{1, 1}));
  EXPECT_EQ(document.spot_of(3), (Spot{0, 1}));
  EXPECT_EQ(document.spot_of(999), (Spot{2, 3}));
}

TEST(TextDocument, a_stretch_is_replaced_and_lines_are_counted_anew) {
  TextDocument document("one\ntwo\nthree\n");
  document.replace({{0, 3}, {1, 3}}, "\n2\n\xf0\x9f\x98\x80");
  EXPECT_EQ(document.text(), "one\n2\n\xf0\x9f\x98\x80\nthree\n");
  EXPECT_EQ(document.offset_of({3, 0}), 11U);
  document.replace({{9, 0}, {2, 0}}, "x");  // the end before the beginning: nothing is taken away
  EXPECT_EQ(document.text(), "one\n2\n\xf0\x9f\x98\x80\nthree\nx");
}

/// Our readers break lines where YAML does, an editor does not: LS is three bytes.
TEST(MarkedText, marks_are_found_where_yaml_breaks_lines_and_editors_do_not) {
  MarkedText marks(
      "a: 1\xe2\x80\xa8"
      "b: \xf0\x9f\x98\x80x\n");
  EXPECT_EQ(marks.offset_of(2, 1), 7U);
  EXPECT_EQ(marks.offset_of(2, 5), 14U);
  EXPECT_EQ(marks.offset_of(1, 4), 3U);  // back again
  EXPECT_EQ(marks.offset_of(7, 1), 16U);
}

TEST(TextDocument, a_line_is_left_out_and_no_other_moves) {
  EXPECT_EQ(TextDocument("a\r\nb: [\r\nc").without_line_of(5), "a\r\n\r\nc");
  EXPECT_EQ(TextDocument("a\nb").without_line_of(3), "a\n");
  EXPECT_EQ(TextDocument("a").without_line_of(99), "");
}

}  // namespace
}  // namespace hearth::metadata::lsp
