#include "builder/layers/hook_entries.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/unit/builder/layers/fact_source_fixture.hpp"

namespace hearth::builder {
namespace {

class HookEntriesTest : public FactSourceTest {
 protected:
  [[nodiscard]] fs::path at(const std::string& path) const { return dir.path() / "elements/os" / path; }
};

TEST_F(HookEntriesTest, AnEntryIsToldAsAListingAndAsTestTellsIt) {
  tree.file("os", "data/file", "text").file("os", "data/empty", "");
  fs::permissions(at("data/empty"), fs::perms(0755));
  fs::create_symlink("file", at("data/link"));
  plan = tree.plan(elements);
  const auto entry = [&](const char* path) { return hook_entry(plan.hooks, path); };
  EXPECT_EQ(entry("data/file"), at("data/file"));
  EXPECT_EQ(entry("data/link"), at("data/link")) << "the link itself";
  EXPECT_EQ(entry("data"), "");
  EXPECT_EQ(look_of_entry(entry("data/link")), " -> file");
  EXPECT_NE(look_of_entry(entry("data/file")), look_of_entry(entry("data/empty")));
  EXPECT_EQ(told_of_entry(entry("data/file")), "");
  EXPECT_EQ(told_of_entry(entry("data/empty")), "x0");
  EXPECT_EQ(told_of_entry(entry("data/link")), " -> file");
  EXPECT_TRUE(is_link(entry("data/link")));
  EXPECT_FALSE(is_link(entry("data/file")));
  EXPECT_TRUE(is_of_scripts("install.d") && is_of_scripts("environment.d"));
  EXPECT_FALSE(is_of_scripts("static") || is_of_scripts("cloud.d"));
}

TEST_F(HookEntriesTest, ALinkLeadsToAPathAmongTheHooksOrElsewhere) {
  tree.file("os", "data/file", "text").file("os", "static/etc/x", "text");
  for (const auto& [name, target] : std::map<std::string, std::string>{{"to-file", "file"},
                                                                       {"to-static", "../static"},
                                                                       {"to-link", "to-file"},
                                                                       {"by-link", "to-static/etc/x"},
                                                                       {"absolute", "/etc/hostname"},
                                                                       {"outside", "../../x"},
                                                                       {"dangling", "none"}})
    fs::create_symlink(target, at(cat("data/", name)));
  plan = tree.plan(elements);
  const auto links = links_among(plan.hooks, [&](const std::string& directory) { return files.list(at(directory)); });
  ASSERT_EQ(links.size(), 7U);
  EXPECT_EQ(links.at("data/to-file").to, "data/file");
  EXPECT_EQ(links.at("data/to-static").to, "static");
  EXPECT_EQ(links.at("data/to-static").text, "../static");
  for (const char* name : {"to-link", "by-link", "absolute", "outside", "dangling"})
    EXPECT_EQ(links.at(cat("data/", name)).to, "") << name;
}

}  // namespace
}  // namespace hearth::builder
