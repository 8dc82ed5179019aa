// A source of facts over an element tree and a machine's files that a test writes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "builder/layers/fact_source.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {

class FactSourceTest : public testing::Test {
 protected:
  FactSourceTest() {
    tree.add("os", "", "operating-system").file("os", "environment.d/10-e", "export A=1\n");
    script("install.d/10-x", "cat $METADATA\n");
    put("metadata", "{}");
  }
  void put(const std::string& path, const std::string& text) {
    files.make_directories((dir.path() / path).parent_path(), 0755);
    files.write(dir.path() / path, text, {});
  }
  void script(const std::string& path, const std::string& text) { tree.hook("os", path, text); }
  FactSource source() {
    plan = tree.plan(elements);
    for (Element& element : plan.elements.elements) element.built_in = element.name != "web";
    env["HOME"] = (dir.path() / "home").string();
    return {files,
            plan,
            {.environment = [this](Phase) { return env; },
             .callers = env,
             .packages = packages,
             .libraries = {dir.path() / "lib"},
             .written = {dir.path() / "made/image.d", dir.path() / "cache"},
             .downloads = dir.path() / "cache",
             .start_directory = dir.path() / "start",
             .shown_elements = "/hearth/elements",
             .is_hidden = is_hidden}};
  }
  Facts facts(const Reads& reads = {}) { return source().of_step(step, reads); }
  std::string fault(const Facts& noted) {
    if (auto found = source().local_fault(step.label(), noted)) return found->substr(0, found->find(" (named in "));
    return remote_fault(noted, {.repository = [this](const std::string&) { return repository; }}).value_or("none");
  }
  Environment handed() { return source().variables(step.phase, &step); }
  /// The step is one of the host.
  void on_host(const std::string& text) {
    step = {Phase::extra_data, Step::Kind::hook, "20-y", "os"};
    script("extra-data.d/20-y", text);
  }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  Names elements = {"os"};
  BuildPlan plan;
  std::vector<std::string> packages;
  std::optional<std::string> repository = "r1";
  Step step{Phase::install, Step::Kind::hook, "10-x", "os"};
  std::function<bool(const fs::path&)> is_hidden;
  Environment env = {{"METADATA", (dir.path() / "metadata").string()}, {"OTHER", (dir.path() / "metadata").string()}};
};

}  // namespace hearth::builder
