#include <gtest/gtest.h>

#include "metadata/graph/stack.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

TEST(Stack, what_is_made_anew_has_another_id_and_so_has_what_uses_it) {
  const auto built = build({{"top.yaml", R"(
heat_template_version: 2018-08-31
resources:
  word: {type: OS::Heat::RandomString, properties: {length: 12}}
  keeps: {type: OS::Heat::RandomString, properties: {length: 12}}
  uses: {type: OS::Heat::Value, properties: {value: {get_attr: [word, value]}}}
  inner: {type: inner.yaml, properties: {id: {get_resource: uses}, text: {get_attr: [uses, value]}}}
outputs:
  text: {value: {get_attr: [inner, said]}}
  made: {value: {get_attr: [inner, made]}}
)"},
                            {"inner.yaml", R"(
heat_template_version: 2018-08-31
parameters: {id: {type: string}, text: {type: string}}
resources: {v: {type: OS::Heat::Value, properties: {value: {get_param: text}}}, r: {type: OS::Heat::RandomString}}
outputs: {said: {value: {get_attr: [v, value]}}, made: {value: {get_attr: [r, value]}}}
)"}});
  Stack& root = built->root();
  const auto text_of = [&](const char* name) { return root.attribute_of(*root.find(name), {Value::string("value")}); };
  const Value word = text_of("word");
  const Value keeps = text_of("keeps");
  const Value made = root.output("made");
  const std::string id = root.find("word")->uuid;
  EXPECT_EQ(root.output("text"), word);
  for (const char* name : {"word", "keeps", "uses", "inner", "inner.v", "inner.r"}) built->model.tree->eras[name] = 0;
  built->model.tree->era = 1;
  root.renew("word");
  EXPECT_NE(root.find("word")->uuid, id);
  EXPECT_NE(text_of("word"), word);
  EXPECT_EQ(root.output("text"), text_of("word"));
  EXPECT_EQ(text_of("keeps"), keeps);
  EXPECT_EQ(root.output("made"), made);
  std::map<std::string, Value>& learned = built->model.tree->learned;
  for (const char* path : {"inner", "inner.v", "inner.w.x", "inner-v", "inner0", "inne"}) learned[path] = Value();
  root.renew("inner");
  EXPECT_EQ(learned.size(), 3U) << "what only begins like it is something else";
  EXPECT_NE(root.output("made"), made);
}

TEST(Renewal, reaches_all_that_come_after_and_nobody_else) {
  const auto built = build({{"top.yaml", R"(
heat_template_version: 2018-08-31
resources:
  first: {type: OS::Heat::RandomString}
  second: {type: OS::Heat::Value, properties: {value: {get_attr: [first, value]}}}
  third: {type: OS::Heat::Value, properties: {value: {get_attr: [second, value]}}}
  beside: {type: OS::Heat::RandomString}
  both: {type: OS::Heat::Value, properties: {value: [{get_attr: [third, value]}, {get_attr: [beside, value]}]}}
)"}});
  Stack& root = built->root();
  const auto text_of = [&](const char* name) { return root.attribute_of(*root.find(name), {Value::string("value")}); };
  for (const char* name : {"first", "beside"}) {
    const Value before = text_of("both");
    const Value third = text_of("third");
    ++built->model.tree->era;
    root.renew(name);
    EXPECT_NE(text_of("both"), before) << name;
    EXPECT_EQ(text_of("third") == third, std::string(name) == "beside");
  }
}

}  // namespace
}  // namespace hearth::metadata
