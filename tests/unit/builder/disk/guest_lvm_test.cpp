// With a real guest, which tests/e2e/disks/same_volumes makes, two builds are compared; here, what is asked of it.
#include "builder/disk/guest_lvm.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "tests/fakes/scripted_guest.hpp"

namespace hearth::builder {
namespace {

TEST(GuestLvmTest, AHeadTooLargeForAMessageStaysAsItIs) {
  fakes::GuestRecord record;
  record.answers = {{"pe_start", "  4194304 \n"}};
  fakes::ScriptedGuest guest(record);
  fix_lvm_ids(guest, "vg", {"/dev/a"}, "seed", 42);
  EXPECT_THAT(record.did, testing::ElementsAre("run vgchange -q -an vg\n", testing::HasSubstr("pe_start /dev/a"),
                                               testing::HasSubstr("vgchange -q -ay vg")));
}

TEST(GuestLvmTest, AnswersThatMakeNoSenseAreErrors) {
  for (const std::string start : {"", "lots", "1048576"}) {  // and the head is then none of LVM's
    fakes::GuestRecord record;
    record.answers = {{"pe_start", start}, {"head -c", base64_encode(std::string(1 << 20, '\0'))}};
    fakes::ScriptedGuest guest(record);
    EXPECT_THROW(fix_lvm_ids(guest, "vg", {"/dev/a"}, "seed", 42), Error) << start;
  }
}

}  // namespace
}  // namespace hearth::builder
