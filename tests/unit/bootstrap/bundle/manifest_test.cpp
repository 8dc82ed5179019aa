#include "bootstrap/bundle/manifest.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::bootstrap::bundle {
namespace {

const std::string k_digest(64, 'a');

std::string fault(const std::vector<Entry>& entries) {
  const Result<Manifest> read = parse_manifest(manifest_text({"n", 1, "hearth", entries, {}}), "bundle.json");
  return read ? "" : read.error().what;
}

TEST(BundleManifest, IsReadBackAsItWasWritten) {
  const Manifest manifest{"site", 7, "hearth 1", {{"a/b", false, 0755, 3, k_digest}, {"a/c", true, 0644, 0, "b"}}, {}};
  const Result<Manifest> read = parse_manifest(manifest_text(manifest), "bundle.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(manifest_text(*read), manifest_text(manifest));
  EXPECT_EQ(read->bytes(), 3U);
}

TEST(BundleManifest, HoldsNoPathThatLeadsOut) {
  const auto file = [](const std::string& path) { return Entry{path, false, 0644, 0, k_digest}; };
  EXPECT_EQ(fault({file("a/b")}), "");
  for (const char* path : {"/etc/passwd", "../x", "a/../b", "a//b", "./a", "", "a/"}) {
    EXPECT_THAT(fault({file(path)}), testing::HasSubstr("is no path below")) << path;
  }
  EXPECT_THAT(fault({file("bundle.json")}), testing::HasSubstr("is the bundle's own"));
  EXPECT_THAT(fault({file("a"), file("a")}), testing::HasSubstr("is in it twice"));
}

TEST(BundleManifest, HoldsNoLinkThatLeadsOutAndNoPathThroughOne) {
  const auto link = [](const std::string& path, const std::string& target) { return Entry{path, true, 0, 0, target}; };
  EXPECT_EQ(fault({link("a/b", "../c"), link("a/d", "x/../y")}), "");
  for (const char* target : {"/etc", "../../x", "", "c/../../../x"}) {
    EXPECT_THAT(fault({link("a/b", target)}), testing::HasSubstr("leads out")) << target;
  }
  EXPECT_THAT(fault({link("a", "b"), {"a/c", false, 0644, 0, k_digest}}), testing::HasSubstr("leads through a link"));
}

TEST(BundleManifest, SaysWhatIsNoManifest) {
  for (const char* text : {"", "[]", "{}", R"({"hearth_bundle":2})", R"({"hearth_bundle":1})",
                           R"({"hearth_bundle":1,"entries":[{"path":"a"}]})",
                           R"({"hearth_bundle":1,"entries":[{"path":"a","sha256":"short"}]})"}) {
    EXPECT_FALSE(parse_manifest(text, "bundle.json")) << text;
  }
}

TEST(BundleManifest, LinksAreFollowedThroughTheBundlesOwnLinks) {
  const auto made_of = [](std::vector<Entry> entries) {
    return manifest_text({.name = "n", .created_s = 1, .made_by = "m", .entries = std::move(entries), .site = {}});
  };
  const Entry up{"a/b/c/up", true, 0644, 0, "../../.."};
  const auto out = parse_manifest(made_of({up, {"esc", true, 0644, 0, "a/b/c/up/../../../.."}}), "bundle");
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().what.find("the link 'esc' leads out"), std::string::npos) << out.error().what;
  EXPECT_TRUE(parse_manifest(made_of({up, {"esc", true, 0644, 0, "a/b/c/up/x"}}), "bundle"));
  EXPECT_FALSE(parse_manifest(made_of({{"one", true, 0644, 0, "two"}, {"two", true, 0644, 0, "one"}}), "bundle"));
}

}  // namespace
}  // namespace hearth::bootstrap::bundle
