#include "metadata/lsp/language_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::metadata::lsp {
namespace {

constexpr const char* k_uri = "file:///t/a%20b.yaml";

struct Editor {
  fakes::MemoryFileSystem disk;
  std::vector<Json> heard;
  bool asked = false;
  LanguageServer server{disk, {.version = "1", .is_asked = [this] { return asked; }}, [this](std::string_view body) {
                          heard.push_back(parse_json(body, "answer").value_or_throw());
                        }};

  void say(const Json& message) { server.take(format_json(message)); }
  Json ask(const std::string& method, Json params) {
    heard.clear();
    say({{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", std::move(params)}});
    return heard.empty() ? Json() : heard.back();
  }
  void tell(const std::string& method, Json params) {
    say({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }
  void open(const std::string& text) {
    tell("textDocument/didOpen",
         {{"textDocument", {{"uri", k_uri}, {"languageId", "yaml"}, {"version", 1}, {"text", text}}}});
  }
  Json diagnostics() {
    heard.clear();
    while (server.has_work()) server.work();
    return heard.empty() ? Json() : heard.back()["params"];
  }
};

TEST(LanguageServer, follows_the_protocol_from_beginning_to_end) {
  Editor editor;
  EXPECT_EQ(editor.ask("textDocument/hover", Json::object())["error"]["code"], -32002);
  EXPECT_EQ(editor.ask("initialize", Json::object())["result"]["capabilities"]["textDocumentSync"]["change"], 2);
  EXPECT_EQ(editor.ask("initialize", Json::object())["error"]["code"], -32600);
  EXPECT_EQ(editor.ask("textDocument/foldingRange", Json::object())["error"]["code"], -32601);
  EXPECT_EQ(editor.ask("textDocument/hover", Json::object())["error"]["code"], -32602);
  EXPECT_EQ(editor.server.exit_code(), 1);
  EXPECT_TRUE(editor.ask("shutdown", Json())["result"].is_null());
  EXPECT_EQ(editor.ask("textDocument/hover", Json::object())["error"]["code"], -32600);
  editor.tell("exit", Json());
  EXPECT_TRUE(editor.server.is_over());
  EXPECT_EQ(editor.server.exit_code(), 0);
}

TEST(LanguageServer, what_was_meant_is_offered_as_a_change_and_nothing_else_is) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open("heat_template_version: 2018-08-31\nresources:\n  a: {type: \"OS::Heat::Nne\"}\n");
  Json mistake = editor.diagnostics()["diagnostics"][0];
  const auto offered = [&](const Json& diagnostic) {
    return editor.ask("textDocument/codeAction", {{"textDocument", {{"uri", k_uri}}},
                                                  {"range", diagnostic.value("range", Json())},
                                                  {"context", {{"diagnostics", {diagnostic}}}}})["result"];
  };
  const Json actions = offered(mistake);
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0]["title"], "Change to OS::Heat::None");
  const Json edit = actions[0]["edit"]["changes"][k_uri][0];
  EXPECT_EQ(edit["newText"], "OS::Heat::None");
  EXPECT_EQ(edit["range"]["end"]["character"].get<int>() - edit["range"]["start"]["character"].get<int>(), 13)
      << "within the quotes";
  mistake["message"] = "Did you mean something_else_altogether?";
  EXPECT_TRUE(offered(mistake).empty()) << "that is not what stands there";
  mistake["message"] = "it is wrong";
  EXPECT_TRUE(offered(mistake).empty());
  EXPECT_TRUE(offered({{"message", "Did you mean x?"}}).empty());
}

TEST(LanguageServer, a_change_is_offered_for_a_word_within_a_function) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open(
      "heat_template_version: 2018-08-31\nresources:\n  Web1: {type: OS::Heat::DeployedServer}\n"
      "  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: x}}\n"
      "  d: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: c}, server: {get_resource: "
      "Web2}}}\n");
  const Json mistake = editor.diagnostics()["diagnostics"][0];
  EXPECT_EQ(mistake["range"]["end"]["character"].get<int>() - mistake["range"]["start"]["character"].get<int>(), 4);
  const Json actions = editor.ask("textDocument/codeAction", {{"textDocument", {{"uri", k_uri}}},
                                                              {"range", mistake["range"]},
                                                              {"context", {{"diagnostics", {mistake}}}}})["result"];
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0]["title"], "Change to Web1");
}

TEST(LanguageServer, a_name_is_changed_wherever_it_stands_and_not_to_one_that_is_taken) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open(
      "heat_template_version: 2018-08-31\n"
      "parameters:\n"
      "  size: {type: number}\n"
      "  other: {type: number}\n"
      "outputs:\n"
      "  o: {value: [{get_param: size}, {get_param: OS::stack_name}]}\n");
  const auto at = [](int line, int character) {
    return Json{{"textDocument", {{"uri", k_uri}}}, {"position", {{"line", line}, {"character", character}}}};
  };
  const auto rename = [&](Json place, const char* to) {
    place["newName"] = to;
    return editor.ask("textDocument/rename", std::move(place));
  };
  const Json prepared = editor.ask("textDocument/prepareRename", at(5, 28))["result"];
  EXPECT_EQ(prepared["placeholder"], "size");
  EXPECT_EQ(prepared["range"]["start"]["character"], 26);
  const Json edits = rename(at(5, 28), "amount")["result"]["changes"][k_uri];
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0]["newText"], "amount");
  EXPECT_EQ(edits[0]["range"]["start"], (Json{{"line", 2}, {"character", 2}}));
  EXPECT_EQ(edits[1]["range"]["end"], (Json{{"line", 5}, {"character", 30}}));
  EXPECT_EQ(rename(at(2, 3), "amount")["result"]["changes"][k_uri], edits) << "from where it is defined";
  const Json taken = rename(at(5, 28), "other")["error"];
  EXPECT_EQ(taken["code"], -32803);
  EXPECT_EQ(taken["message"], "there is a parameter other already, in line 4");
  EXPECT_EQ(editor.ask("textDocument/prepareRename", at(5, 50))["error"]["message"],
            "OS::stack_name is Heat's own name; it can't be changed");
  EXPECT_EQ(editor.ask("textDocument/prepareRename", at(0, 3))["error"]["code"], -32803);
  Json all = at(5, 28);
  all["context"] = {{"includeDeclaration", true}};
  EXPECT_EQ(editor.ask("textDocument/references", all)["result"].size(), 2U);
  all["context"] = {{"includeDeclaration", false}};
  EXPECT_EQ(editor.ask("textDocument/references", all)["result"].size(), 1U);
  const Json lit = editor.ask("textDocument/documentHighlight", at(2, 3))["result"];
  ASSERT_EQ(lit.size(), 2U);
  EXPECT_EQ(lit[0]["kind"], 3) << "it is defined there";
  EXPECT_EQ(lit[1]["kind"], 2);
  const Json symbols = editor.ask("textDocument/documentSymbol", {{"textDocument", {{"uri", k_uri}}}})["result"];
  ASSERT_EQ(symbols.size(), 3U);
  EXPECT_EQ(symbols[1]["children"][0]["name"], "size");
  EXPECT_EQ(symbols[1]["children"][0]["detail"], "number");
}

TEST(LanguageServer, nothing_is_renamed_in_a_template_that_can_not_be_read) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open("heat_template_version: 2018-08-31\nparameters:\n  size: {type: number}\noutputs: {o: [\n");
  const Json answer =
      editor.ask("textDocument/rename",
                 {{"textDocument", {{"uri", k_uri}}}, {"position", {{"line", 2}, {"character", 3}}}, {"newName", "x"}});
  EXPECT_EQ(answer["error"]["code"], -32803) << answer;
}

TEST(LanguageServer, mistakes_come_and_go_with_what_is_typed) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open("heat_template_version: 2018-08-31\nresources:\n  \xf0\x9f\x98\x80: {type: OS::Heat::Nne}\n");
  Json told = editor.diagnostics();
  EXPECT_EQ(told["uri"], k_uri);
  EXPECT_EQ(told["version"], 1);
  ASSERT_EQ(told["diagnostics"].size(), 1U);
  EXPECT_EQ(told["diagnostics"][0]["range"]["start"]["character"], 13);
  const Json range = {{"start", {{"line", 2}, {"character", 24}}}, {"end", {{"line", 2}, {"character", 24}}}};
  editor.tell("textDocument/didChange", {{"textDocument", {{"uri", k_uri}, {"version", 2}}},
                                         {"contentChanges", Json::array({{{"range", range}, {"text", "o"}}})}});
  told = editor.diagnostics();
  EXPECT_EQ(told["version"], 2);
  EXPECT_TRUE(told["diagnostics"].empty()) << told;
  editor.open("a: [");  // another text altogether, and no template
  EXPECT_TRUE(editor.diagnostics()["diagnostics"].empty());
  editor.tell("textDocument/didClose", {{"textDocument", {{"uri", k_uri}}}});
  EXPECT_FALSE(editor.server.has_work());
}

/// Who types is not kept waiting; the look is begun again later.
TEST(LanguageServer, a_look_is_given_up_for_a_message) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open("heat_template_version: 2018-08-31\noutputs: {o: {value: {list_join: ['', [a, {get_param: x}]]}}}\n");
  editor.heard.clear();
  editor.asked = true;
  editor.server.work();
  EXPECT_TRUE(editor.heard.empty());
  EXPECT_TRUE(editor.server.has_work());
  editor.asked = false;
  EXPECT_EQ(editor.diagnostics()["diagnostics"].size(), 1U);
}

TEST(LanguageServer, a_search_for_what_can_be_read_is_given_up_for_a_message) {
  int asked = 0;
  fakes::MemoryFileSystem disk;
  int told = 0;
  LanguageServer server(disk, {.version = "1", .is_asked = [&] { return ++asked > 1; }},
                        [&](std::string_view) { ++told; });
  server.take(R"({"id":1,"method":"initialize","params":{}})");
  server.take(R"({"method":"textDocument/didOpen","params":{"textDocument":{"uri":"a","version":1,)"
              R"("text":"heat_template_version: 2018-08-31\na: [\nb: }\n"}}})");
  server.work();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(server.has_work());
}

constexpr const char* k_wrong = "heat_template_version: 2018-08-31\nresources: {a: {type: OS::Heat::Nah}}\n";

/// While a pair is typed, JavaScript may send half of it.
TEST(LanguageServer, half_a_character_is_one_unit_and_loses_nothing) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open(k_wrong);
  for (const char* half : {R"(\ud83d)", R"(\udE00)", "\xff", R"(\\ud83d)", R"(\ud83d\ude00)"}) {
    editor.server.take(cat(R"({"method":"textDocument/didChange","params":{"textDocument":{"uri":")", k_uri,
                           R"(","version":2},"contentChanges":[{"text":"heat_template_version: 2018-08-31\n# )", half,
                           R"(\nresources: {a: {type: OS::Heat::Nah}}\n"}]}})"));
    const Json told = editor.diagnostics();
    EXPECT_EQ(told["version"], 2) << half << told;
    ASSERT_EQ(told["diagnostics"].size(), 1U) << half;
    EXPECT_EQ(told["diagnostics"][0]["range"]["start"]["line"], 2);
  }
}

/// What was not understood is not known: better nothing than mistakes that are none.
TEST(LanguageServer, a_change_that_can_not_be_read_is_told_of_until_the_whole_text_comes) {
  const Json range = {{"start", {{"line", -1}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}};
  for (const Json& change : {Json{{"range", range}, {"text", "x"}}, Json{{"text", 5}}, Json(7), Json()}) {
    Editor editor;
    (void)editor.ask("initialize", Json::object());
    editor.open(k_wrong);
    if (change.is_null()) {
      editor.server.take("{");
    } else {
      editor.tell("textDocument/didChange",
                  {{"textDocument", {{"uri", k_uri}, {"version", 2}}}, {"contentChanges", Json::array({change})}});
    }
    Json told = editor.diagnostics()["diagnostics"];
    ASSERT_EQ(told.size(), 1U) << change;
    EXPECT_THAT(told[0]["message"].get<std::string>(), testing::HasSubstr("open it again")) << change;
    editor.tell("textDocument/didChange", {{"textDocument", {{"uri", k_uri}, {"version", 3}}},
                                           {"contentChanges", Json::array({{{"range", nullptr}, {"text", k_wrong}}})}});
    told = editor.diagnostics()["diagnostics"];
    ASSERT_EQ(told.size(), 1U) << change;
    EXPECT_THAT(told[0]["message"].get<std::string>(), testing::HasSubstr("Nah")) << change;
  }
}

TEST(LanguageServer, a_file_that_is_open_by_two_names_has_the_text_of_each) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open(k_wrong);
  editor.tell("textDocument/didOpen",
              {{"textDocument", {{"uri", "file:///t/./a%20b.yaml"}, {"version", 9}, {"text", "{}"}}}});
  (void)editor.diagnostics();
  for (const Json& each : editor.heard) {
    const Json& told = each["params"];
    if (told["uri"] != k_uri) continue;
    ASSERT_EQ(told["diagnostics"].size(), 1U);
    EXPECT_THAT(told["diagnostics"][0]["message"].get<std::string>(), testing::HasSubstr("Nah"));
  }
  editor.tell("textDocument/didClose", {{"textDocument", {{"uri", "file:///t/./a%20b.yaml"}}}});
  EXPECT_THAT(editor.diagnostics()["diagnostics"][0]["message"].get<std::string>(), testing::HasSubstr("Nah"));
}

TEST(LanguageServer, what_is_too_large_is_said_and_forgotten) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open(cat("heat_template_version: 2018-08-31\n# ", std::string(5U << 20U, 'x')));
  EXPECT_THAT(editor.diagnostics()["diagnostics"][0]["message"].get<std::string>(), testing::HasSubstr("4.0 MiB"));
  editor.open(k_wrong);
  editor.server.take_nothing();
  EXPECT_THAT(editor.diagnostics()["diagnostics"][0]["message"].get<std::string>(), testing::HasSubstr("16.0 MiB"));
}

/// Whatever comes, the server answers or passes it over, and goes on.
TEST(LanguageServer, hostile_messages_do_no_harm) {
  Editor editor;
  (void)editor.ask("initialize", Json::object());
  editor.open("heat_template_version: 2018-08-31\n");
  const std::string document = cat(R"("textDocument":{"uri":")", k_uri, R"("})");
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("null"), std::string("\xff"), std::string(100'000, '['),
        std::string(R"({"id":1})"), std::string(R"({"id":{},"method":"shutdown"})"),
        std::string(R"({"id":1,"method":7})"), std::string(R"({"method":"textDocument/didChange","params":[1]})"),
        cat(R"({"method":"textDocument/didChange","params":{)", document,
            R"(,"contentChanges":[{"range":{"start":{"line":-1},"end":5},"text":"x"},7,{"range":null,"text":3}]}})"),
        cat(R"({"id":2,"method":"textDocument/completion","params":{)", document,
            R"(,"position":{"line":18446744073709551615,"character":18446744073709551615}}})"),
        cat(R"({"id":3,"method":"textDocument/hover","params":{)", document, R"(,"position":{"line":1e99}}})")}) {
    editor.server.take(body);
    while (editor.server.has_work()) editor.server.work();
  }
  EXPECT_FALSE(editor
                   .ask("textDocument/completion", {{"textDocument", {{"uri", k_uri}}},
                                                    {"position", {{"line", 1}, {"character", 0}}}})["result"]["items"]
                   .empty());
}

}  // namespace
}  // namespace hearth::metadata::lsp
