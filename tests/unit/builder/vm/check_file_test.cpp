#include "builder/vm/check_file.hpp"

#include <gmock/gmock.h>

#include "base/json.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;

TEST(CheckFileTest, IsAsGossHasIt) {
  const CheckFile file = parse_check_file(R"(
port:
  tcp:80: {listening: true, ip: ["0.0.0.0"]}
file:
  /etc/motd: {mode: "0644", contents: [Welcome, "!error"], title: for people, meta: {any: [thing]}}
command:
  uname -r: {exit-status: 0, skip: true}
http:
  http://localhost:8080/x?y: {status: 404, body: [/^not/]}
  http://127.0.0.1/: {}
)",
                                          "c")
                             .value_or_throw();
  ASSERT_EQ(file.inside.size(), 3U);
  EXPECT_EQ(file.inside[0].name, "tcp:80");
  EXPECT_EQ(file.inside[0].expected[1].values, std::vector<std::string>{"0.0.0.0"});
  EXPECT_EQ(file.inside[1].expected.size(), 2U) << "what is for people is no check";
  EXPECT_TRUE(file.inside[2].skip);
  ASSERT_EQ(file.pages.size(), 2U);
  EXPECT_EQ(file.pages[0].port, 8080);
  EXPECT_EQ(file.pages[0].path, "/x?y");
  EXPECT_EQ(file.pages[0].status, 404U);
  EXPECT_EQ(file.pages[1].port, 80);
  EXPECT_FALSE(file.pages[1].status);
}

TEST(CheckFileTest, WhatIsNotKnownIsRefusedWithItsPlace) {
  const auto refusal = [](const std::string& text) {
    const auto file = parse_check_file(text, "c.yaml");
    return file ? "taken" : file.error().text();
  };
  EXPECT_EQ(refusal("serivce:\n  nginx: {running: true}\n"),
            "c.yaml:1:1: there are no checks of type 'serivce'; did you mean 'service'?");
  EXPECT_EQ(refusal("service:\n  nginx: {runing: true}\n"),
            "c.yaml:2:11: there is no 'runing' of a service; did you mean 'running'?");
  EXPECT_THAT(refusal("service:\n  nginx: {running: maybe}\n"),
              HasSubstr("c.yaml:2:20: 'running' is true or false, not 'maybe'"));
  EXPECT_THAT(refusal("service:\n  nginx:\n"),
              HasSubstr("c.yaml:2:3: service nginx: what is expected of it is missing (enabled, running)"));
  EXPECT_THAT(refusal("port:\n  80: {listening: true}\n"), HasSubstr("c.yaml:2:3: a port is tcp:80"));
  EXPECT_THAT(refusal("file:\n  etc: {exists: true}\n"), HasSubstr("a path begins with /"));
  EXPECT_THAT(refusal("file:\n  /a: {contents: words}\n"),
              HasSubstr("c.yaml:2:18: 'contents' is a list: contents: [\"words\"]"));
  EXPECT_THAT(refusal("file:\n  /a: {contents: ['/(/']}\n"), HasSubstr("c.yaml:2:19: "));
  EXPECT_THAT(refusal("file:\n  /a: {size: big}\n"), HasSubstr("'size' is a number"));
  EXPECT_THAT(refusal("kernel-param:\n  ../../etc/passwd: {value: x}\n"), HasSubstr("as for sysctl"));
  EXPECT_THAT(refusal("http:\n  https://localhost/: {status: 200}\n"),
              HasSubstr("c.yaml:2:3: 'https://localhost/' is not http://localhost"));
  EXPECT_THAT(refusal("dns:\n  a.example: {resolvable: true}\n"), HasSubstr("the machine reaches nothing outside"));
  EXPECT_THAT(refusal("file:\n  /a: {mode: u+x}\n"), HasSubstr("c.yaml:2:14: 'mode' is octal: \"0644\", not 'u+x'"));
  EXPECT_EQ(refusal("file:\n  /a: {mode: 4755}\n"), "taken");
  EXPECT_THAT(refusal("file:\n  /a: {filetype: directroy}\n"), HasSubstr("did you mean 'directory'?"));
  EXPECT_THAT(refusal("file:\n  /a: {sha256: ''}\n"), HasSubstr("'sha256' has 64 hexadecimal digits"));
  EXPECT_THAT(refusal("command:\n  a: {exit-status: 256}\n"), HasSubstr("'exit-status' is at most 255"));
  EXPECT_THAT(refusal("file:\n  \"/a\\0b\": {exists: true}\n"), HasSubstr("no control characters"));
  EXPECT_THAT(refusal("service:\n  \"a\\n  1.0 s  b\": {running: true}\n"), HasSubstr("no control characters"));
  EXPECT_EQ(refusal("command:\n  \"a\\nb\": {exit-status: 0}\n"), "taken");
  EXPECT_THAT(refusal("- a\n"), HasSubstr("types of checks are expected"));
  EXPECT_THAT(refusal("file: [a\n"), HasSubstr("c.yaml:1:7: "));
  EXPECT_EQ(refusal(""),
            "c.yaml: types of checks are expected: http, file, package, service, port, process, command, user, group, "
            "mount, kernel-param");
}

TEST(CheckFileTest, AllThatIsWrongIsToldAtOnce) {
  const auto file = parse_check_file(R"(service:
  nginx: {enable: true, running: yes}
  cron:
fiel: {/etc/motd: {exists: true}}
file:
  etc: {contents: site=e, exists: true}
http:
  http://other/: {status: ok}
)",
                                     "c.yaml");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().text(),
            "c.yaml:2:11: there is no 'enable' of a service; did you mean 'enabled'?\n"
            "c.yaml:2:34: 'running' is true or false, not 'yes'\n"
            "c.yaml:3:3: service cron: what is expected of it is missing (enabled, running)\n"
            "c.yaml:4:1: there are no checks of type 'fiel'; did you mean 'file'?\n"
            "c.yaml:6:3: a path begins with /\n"
            "c.yaml:6:19: 'contents' is a list: contents: [\"site=e\"]\n"
            "c.yaml:8:3: 'http://other/' is not http://localhost[:PORT]/PATH: it is the machine that is asked, from "
            "outside, without TLS\n"
            "c.yaml:8:27: 'status' is a number, not 'ok'");
}

TEST(CheckFileTest, TheSchemaIsTheReadersOwn) {
  const Json schema = Json::parse(check_file_schema());
  const Json& file = schema.at("properties").at("file").at("additionalProperties");
  EXPECT_TRUE(file.at("properties").contains("linked-to"));
  EXPECT_EQ(file.at("additionalProperties"), false);
  EXPECT_EQ(schema.at("properties").size(), resource_types().size() + 1);
}

}  // namespace
}  // namespace hearth::builder::vm
