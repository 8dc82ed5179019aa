#include "builder/layers/work_area.hpp"

#include <gmock/gmock.h>

#include "builder/layers/archive.hpp"
#include "tests/unit/builder/element_tree.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

/// What a build does in a work area: lay out, change, freeze; then again from the frozen layer, with a new layout.
class Ground {
 public:
  explicit Ground(const fs::path& root) : place(root / "place"), store(root / "store") {
    files.make_directories(place / "hooks", 0755);
    files.make_directories(place / "mnt/gone", 0755);
    files.make_directories(store, 0755);
  }
  void put(const std::string& path, const std::string& text) { files.write(place / path, text, {}); }
  [[nodiscard]] std::string text(const std::string& path) const { return files.read(place / path).value_or("none"); }
  RealFileSystem files;
  fs::path place;
  fs::path store;
};

void change(Ground& ground) {
  ground.put("mnt/made", "by a hook");
  fs::remove(ground.place / "mnt/gone");
  ground.put("hooks/changed", "by a hook");
}

void check_resumed_with(bool overlay) {
  ASSERT_EQ(::mount("tmpfs", "/mnt", "tmpfs", 0, ""), 0);
  std::string archive;
  {
    Ground ground("/mnt/one");
    ground.put("hooks/changed", "old");
    ground.put("hooks/same", "old");
    WorkArea area = WorkArea::create(ground.place, ground.store, overlay);
    if (overlay && !area.is_overlay()) GTEST_SKIP() << area.why_not();
    area.mount();
    change(ground);
    pack_tree(area.freeze(), [&](std::string_view bytes) { archive += bytes; });
    EXPECT_EQ(ground.text("mnt/made"), "by a hook") << "goes on as it was";
    ground.put("mnt/later", "not in the layer");
  }
  Ground ground("/mnt/two");
  ground.put("hooks/changed", "new");
  ground.put("hooks/same", "new");
  ground.put("hooks/added", "new");
  WorkArea area = WorkArea::create(ground.place, ground.store, overlay);
  unpack_tree(archive, area.add_layer());
  area.mount();
  EXPECT_EQ(ground.text("mnt/made"), "by a hook");
  EXPECT_FALSE(fs::exists(ground.place / "mnt/gone"));
  EXPECT_EQ(ground.text("mnt/later"), "none");
  EXPECT_EQ(ground.text("hooks/changed"), "by a hook");
  EXPECT_EQ(ground.text("hooks/same"), "new");
  EXPECT_EQ(ground.text("hooks/added"), "new");
}

TEST(WorkArea, AnOverlayResumesOnANewLayout) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([] { check_resumed_with(true); });
}

TEST(WorkArea, ACopyResumesOnANewLayout) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([] { check_resumed_with(false); });
}

}  // namespace
}  // namespace hearth::builder
