// An element tree whose set brings a disk, and the plan of it.
#pragma once

#include <gtest/gtest.h>

#include "builder/plan/disk_plan.hpp"
#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {

inline constexpr const char* k_gpt = R"(
- local_loop: {name: image0}
- partitioning:
    base: image0
    label: gpt
    partitions:
      - {name: boot, type: '8300', size: 100MiB, mkfs: {type: ext4, label: bootfs, mount: {mount_point: /boot, fstab: {options: defaults}}}}
      - {name: root, type: '8300', size: 100%, mkfs: {type: ext4, mount: {mount_point: /, fstab: {options: defaults}}}}
)";

class DiskPlanFixture : public testing::Test {
 protected:
  DiskPlanFixture() {
    tree.add("os", "", "operating-system").add("a").add("b", "a");
    request.formats = parse_formats("raw");
    request.architecture = "amd64";
    request.root_label = "the-root";
    request.output = dir.path() / "out";
  }
  DiskPlan disk() { return plan_disk(request, plan = tree.plan({"os", "a", "b"})); }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  ElementTree tree{files, dir.path() / "elements"};
  ImageRequest request;
  BuildPlan plan;
};

}  // namespace hearth::builder
