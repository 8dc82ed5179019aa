// With a real guest, which tests/e2e/disks/same_volumes makes, two builds are compared; here, what is asked of it.
#include "builder/disk/guest/guest_lvm.hpp"

#include <gmock/gmock.h>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "tests/fakes/scripted_guest.hpp"
#include "tests/unit/builder/disk/layout/lvm_head.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;

TEST(GuestLvmTest, TheHeadIsReadUpToTheDataAndWrittenBack) {
  fakes::GuestRecord record;
  record.device = head_with("vg {\n}\n", 512);
  fakes::ScriptedGuest guest(record);
  fix_lvm_ids(guest, "vg", {"/dev/a"}, "seed", 42);
  EXPECT_THAT(record.did, ElementsAre("take down vg", "read /dev/a 0 4096", "read /dev/a 0 65536",
                                      "write /dev/a 0 65536", "run rm -f /run/lvm/hints\n", "start vg"));
}

TEST(GuestLvmTest, AHeadTooLargeForAMessageStaysAsItIs) {
  fakes::GuestRecord record;
  record.device = head_with("vg {\n}\n", 512);
  put_le(record.device, 584, 4194304, 8);
  fakes::ScriptedGuest guest(record);
  fix_lvm_ids(guest, "vg", {"/dev/a"}, "seed", 42);
  EXPECT_THAT(record.did, ElementsAre("take down vg", "read /dev/a 0 4096", "run rm -f /run/lvm/hints\n", "start vg"));
}

TEST(GuestLvmTest, AHeadThatIsNotLvmsIsAnError) {
  std::string far = head_with("vg {\n}\n", 512);
  put_le(far, 512 + 20, 4000000000U, 4);
  for (const std::string& head : {std::string(1 << 20, '\0'), std::string(), far}) {
    fakes::GuestRecord record;
    record.device = head;
    fakes::ScriptedGuest guest(record);
    EXPECT_THROW(fix_lvm_ids(guest, "vg", {"/dev/a"}, "seed", 42), Error);
  }
}

TEST(GuestLvmTest, WhatLiesOnSomethingElseIsLetGoFirst) {
  Volumes volumes;
  volumes.groups = {{.name = "below", .members = {}, .options = {}}, {.name = "above", .members = {}, .options = {}}};
  volumes.encrypted.resize(1);
  volumes.encrypted[0].name = "safe";
  volumes.arrays.resize(1);
  volumes.arrays[0].name = "md0";
  fakes::GuestRecord record;
  record.busy = {"take down below"};
  fakes::ScriptedGuest guest(record);
  take_down_volumes(guest, volumes);
  EXPECT_THAT(record.did, ElementsAre("sync", "take down above", "close safe", "take down below", "stop /dev/md/md0"));
}

}  // namespace
}  // namespace hearth::builder
