#include "bootstrap/bundle/collect.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/fetch/lock_file.hpp"
#include "builder/fetch/object_store.hpp"

namespace hearth::bootstrap::bundle {
namespace {

class CollectTest : public testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& text = "x") {
    fs::create_directories((dir_.path() / name).parent_path());
    RealFileSystem().write(dir_.path() / name, text, {});
    return dir_.path() / name;
  }
  static std::vector<std::string> places(const Contents& contents) {
    std::vector<std::string> paths;
    for (const Source& source : collect(contents)) paths.push_back(source.path);
    return paths;
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
};

TEST_F(CollectTest, TakesAnImageWithWhatLiesBesideIt) {
  file("web.d/manifest.json");
  EXPECT_THAT(places({.images = {file("web.tar.zst")}}),
              testing::ElementsAre("images/web.d/manifest.json", "images/web.tar.zst"));
}

TEST_F(CollectTest, KeepsTreesAndLinksAsTheyAre) {
  file("tree/a/root.d/1");
  fs::create_symlink("a", dir_.path() / "tree/b");
  EXPECT_THAT(places({.elements = {dir_.path() / "tree"}}),
              testing::ElementsAre("elements/tree/a/root.d/1", "elements/tree/b"));
}

TEST_F(CollectTest, TakesWithALockWhatItNames) {
  builder::fetch::ObjectStore store(dir_.path() / "fetched");
  builder::BlobStore::Writer object = store.blobs().begin();
  object.write("body");
  builder::fetch::Lock lock;
  lock.fetches[{"GET", "http://a.example/"}] = {200, object.commit(), 4, {}};
  const std::string digest = lock.fetches.begin()->second.sha256;
  const Contents contents{.locks = {file("hearth.lock", lock_text(lock))}, .fetched = dir_.path() / "fetched"};
  EXPECT_THAT(places(contents),
              testing::ElementsAre(cat("fetched/objects/", digest.substr(0, 2), "/", digest), "locks/hearth.lock"));
  fs::remove(store.blobs().path(digest));
  try {
    (void)collect(contents);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("http://a.example/ (hearth.lock)"));
    EXPECT_THAT(error.story(), testing::HasSubstr("--locked"));
  }
}

TEST_F(CollectTest, TakesWithALockWhatGitServersAnsweredFromBesideIt) {
  builder::fetch::Lock lock;
  lock.fetches[{cat("POST:", hex_digest(HashKind::sha256, "want")), "http://a.example/git-upload-pack"}] = {
      200, hex_digest(HashKind::sha256, "pack"), 4, {}};
  const std::string digest = lock.fetches.begin()->second.sha256;
  const Contents contents{.locks = {file("site.lock", lock_text(lock))}, .fetched = dir_.path() / "fetched"};
  EXPECT_THROW((void)collect(contents), Error);
  file(cat("site.lock.d/", digest), "pack");
  file("site.lock.d/notes");
  EXPECT_THAT(places(contents), testing::ElementsAre("locks/site.lock", cat("locks/site.lock.d/", digest)));
  file(cat("site.lock.d/", digest), "pick");
  EXPECT_THROW((void)collect(contents), Error);
}

TEST_F(CollectTest, PutsWhatHasItsPlaceThere) {
  file("node.d/manifest.json");
  EXPECT_THAT(places({.placed = {{"site/out/node.d", dir_.path() / "node.d"}, {"site/site.yaml", file("mine.yaml")}}}),
              testing::ElementsAre("site/out/node.d/manifest.json", "site/site.yaml"));
  EXPECT_THROW((void)collect({.site = {file("one/site.yaml")}, .placed = {{"site/site.yaml", file("two.yaml")}}}),
               Error);
}

TEST_F(CollectTest, RefusesTwoThingsOfOneNameAndWhatIsNotThere) {
  EXPECT_THROW((void)collect({.site = {file("one/site.yaml"), file("two/site.yaml")}}), Error);
  EXPECT_THROW((void)collect({.boot = {dir_.path() / "none"}}), Error);
}

TEST_F(CollectTest, TakesTheProgramsAndTheirElements) {
  const builder::Installation installation{.elements = file("elements/vm/x").parent_path().parent_path(),
                                           .shims = {},
                                           .agent_binary = file("b/hearth-agent"),
                                           .library = {},
                                           .program = file("b/hearth")};
  std::vector<std::string> paths;
  for (const Source& source : collect_program(installation)) paths.push_back(source.path);
  EXPECT_THAT(
      paths, testing::ElementsAre("hearth/bin/hearth", "hearth/bin/hearth-agent", "hearth/share/hearth/elements/vm/x"));
  fs::create_symlink("hearth", dir_.path() / "b/disk-image-create");
  fs::create_symlink("/elsewhere/hearth", dir_.path() / "b/other");
  const std::vector<Source> named = collect_program(installation);
  EXPECT_EQ(named.front().path, "hearth/bin/disk-image-create");
  EXPECT_EQ(named.size(), paths.size() + 1);
  fs::remove(dir_.path() / "b/hearth-agent");
  EXPECT_THROW((void)collect_program(installation), Error);
}

}  // namespace
}  // namespace hearth::bootstrap::bundle
