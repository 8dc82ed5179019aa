#include "metadata/lsp/cursor_place.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::metadata::lsp {
namespace {

/// The place of "^" in a text: "ROLE path/to/it 'typed|word'"; items as "-", with how many stand before.
std::string place_of(std::string text) {
  const std::size_t cursor = text.find('^');
  text.erase(cursor, 1);
  const CursorPlace place = place_at(text, cursor);
  if (place.role == CursorPlace::Role::none) return "none";
  std::vector<std::string> steps;
  for (const Step& step : place.path) steps.push_back(step.item ? cat("-", step.earlier.size()) : step.key);
  return cat(place.role == CursorPlace::Role::key ? "key " : "value ", join(steps, "/"), " '", place.typed, "|",
             place.word, "'");
}

TEST(CursorPlace, blocks_tell_the_way_by_their_indentation) {
  EXPECT_EQ(place_of("res^"), "key  'res|res'");
  EXPECT_EQ(place_of("heat_template_version: 20^18\n"), "value heat_template_version '20|2018'");
  const std::string top = "resources:\n  a:\n    type: X\n    properties:\n      config: |\n        a: b\n";
  EXPECT_EQ(place_of(top + "      gro^"), "key resources/a/properties 'gro|gro'");
  EXPECT_EQ(place_of(top + "    ^"), "key resources/a '|'");
  EXPECT_EQ(place_of(top + "  ^\n  b:\n"), "key resources '|'");
  EXPECT_EQ(place_of("resources:\n  a:\n    ty^pe: X\n"), "key resources/a 'ty|type'");
  EXPECT_EQ(place_of("resources:\n  a:\n    type: OS::^\n"), "value resources/a/type 'OS::|OS::'");
  EXPECT_EQ(place_of("a:\n  b: \"qu^o\"\n"), "value a/b 'qu|quo'");
}

TEST(CursorPlace, items_of_lists_count_those_before_them) {
  EXPECT_EQ(place_of("o:\n  get_attr:\n    - server\n    - fir^"), "value o/get_attr/-1 'fir|fir'");
  EXPECT_EQ(place_of("p:\n- a\n- b\n- ^"), "value p/-2 '|'");
  EXPECT_EQ(place_of("outputs:\n  - name: a\n    ty^"), "key outputs/-0 'ty|ty'");
}

TEST(CursorPlace, brackets_count_though_nobody_has_closed_them) {
  EXPECT_EQ(place_of("v: {get_param: na^"), "value v/get_param 'na|na'");
  EXPECT_EQ(place_of("v: {get_param: na^me}"), "value v/get_param 'na|name'");
  EXPECT_EQ(place_of("v: {get_p^"), "key v 'get_p|get_p'");
  EXPECT_EQ(place_of("v: { get_attr: [ server, ^] }"), "value v/get_attr/-1 '|'");
  EXPECT_EQ(place_of("v: {list_join: ['',\n    [a, {get_resource: ^"), "value v/list_join/-1/-1/get_resource '|'");
  EXPECT_EQ(place_of("{\"resources\": {\"a\": {\"type\": \"OS^"), "value resources/a/type 'OS|OS'");
}

TEST(CursorPlace, texts_comments_and_what_is_closed_are_no_places) {
  EXPECT_EQ(place_of("a: |\n  get_^"), "none");
  EXPECT_EQ(place_of("a: b # typ^"), "none");
  EXPECT_EQ(place_of("# res^"), "none");
  EXPECT_EQ(place_of("v: {get_param: name} ^"), "none");
}

/// A cursor anywhere in anything gives an answer within the text, soon.
TEST(CursorPlace, hostile_texts_are_answered) {
  const std::string deep(100'000, '[');
  std::string stairs;
  for (std::size_t i = 0; i < 1500; ++i) stairs += std::string(i, ' ') + "a: {\n";
  std::string dashes;
  for (std::size_t i = 0; i < 200'000; ++i) dashes += "- a\n";
  for (const std::string& text :
       {deep, stairs, dashes + "- ", std::string("a: \"\\"), std::string("- - - -"), std::string("\xff\xfe:\x00{", 5),
        std::string("? [: }\r\r\n"), std::string("a:\n'")}) {
    for (const std::size_t at : {std::size_t{0}, text.size() / 2, text.size(), text.size() + 9}) {
      const CursorPlace place = place_at(text, at);
      EXPECT_LE(place.begin, place.end);
      EXPECT_LE(place.end, text.size());
    }
  }
}

}  // namespace
}  // namespace hearth::metadata::lsp
