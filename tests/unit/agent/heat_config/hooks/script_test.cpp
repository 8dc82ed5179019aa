#include "agent/heat_config/hooks/hooks.hpp"

#include <gtest/gtest.h>

#include "base/python_json.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::agent {
namespace {

class ScriptHookTest : public testing::Test {
 protected:
  Json run(const std::string& config, const std::string& more = "") {
    const std::string text =
        R"({"id": "i1", "outputs": [{"name": "res"}], "config": )" + python_json(Json(config)) + more + "}";
    const Environment env = {{"PATH", "/usr/bin:/bin"},
                             {"HEAT_SCRIPT_WORKING", (directory_.path() / "w").string()},
                             {"HEAT_SCRIPT_OUTPUTS", (directory_.path() / "o").string()}};
    return run_script_hook(parse_python_json(text, "d").value_or_throw(), {files_, runner_, log_, env});
  }
  TempDir directory_ = TempDir::create("/tmp", "hearth-hook-");
  RealFileSystem files_;
  SystemClock clock_;
  RealRunner runner_{clock_};
  fakes::MemoryLogger log_;
};

TEST_F(ScriptHookTest, OutputStatusAndDeclaredOutputsAreTheAnswer) {
  EXPECT_EQ(python_json(run("#!/bin/sh\necho out; echo err >&2; printf v > $heat_outputs_path.res; exit 3\n")),
            R"({"res": "v", "deploy_stdout": "out\n", "deploy_stderr": "err\n", "deploy_status_code": 3})");
  EXPECT_EQ(files_.status(directory_.path() / "w/i1")->mode, 0700U);
}

TEST_F(ScriptHookTest, OutputIsLoggedAndKeptToTheByte) {
  EXPECT_EQ(run("printf 'a\\n\\nb'")["deploy_stdout"], "a\n\nb");
  EXPECT_TRUE(log_.holds("INFO a"));
  EXPECT_TRUE(log_.holds("INFO b"));
}

TEST_F(ScriptHookTest, ATextWithoutInterpreterLineIsAShellScript) {
  EXPECT_EQ(run("echo hi")["deploy_stdout"], "hi\n");
}

TEST_F(ScriptHookTest, AScriptThatCannotStartIsAnAnswer) {
  const Json answer = run("#!/no/such/interpreter\n");
  EXPECT_EQ(answer["deploy_status_code"], 127);
  EXPECT_NE(answer["deploy_stderr"].get<std::string>().find("No such file"), std::string::npos);
}

TEST_F(ScriptHookTest, AShorterRerunLeavesNothingOfTheLonger) {
  (void)run("#!/bin/sh\necho one; echo two; echo three; exit 0\n");
  EXPECT_EQ(run("#!/bin/sh\necho x\n")["deploy_stdout"], "x\n");
}

TEST_F(ScriptHookTest, InputsOfAnyTypeAreVariablesAndSecretsAreNotLogged) {
  const Json answer = run("echo \"$a|$b|$c|$d|$e|$my_password\" >/dev/null; test \"$a$b$c$e\" = 5true && echo $d",
                          R"(, "inputs": [{"name": "a", "value": 5}, {"name": "b", "value": true},
    {"name": "c", "value": null}, {"name": "d", "value": {"k": [1]}}, {"name": "e"}, {"name": "my_password", "value": "hunter2"}])");
  EXPECT_EQ(answer["deploy_stdout"], "{\"k\": [1]}\n");
  EXPECT_TRUE(log_.holds("my_password=***"));
  EXPECT_FALSE(log_.holds("hunter2"));
}

}  // namespace
}  // namespace hearth::agent
