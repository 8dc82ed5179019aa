// The hanging and failing guests are played by small programs; the good one runs in the real QEMU under TCG.
#include "builder/vm/kvm_probe.hpp"

#include <gmock/gmock.h>

#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/unit/builder/vm/fake_qemu.hpp"

namespace hearth::vm {
namespace {

using testing::HasSubstr;

class KvmProbeTest : public FakeQemu {
 protected:
  KvmVerdict ask(const std::string& script) {
    return probe_kvm({.program = program(script), .device = "", .limit = std::chrono::milliseconds(800)}, work_.path(),
                     clock_);
  }
};

TEST_F(KvmProbeTest, TheSignOnTheSerialLineMeansThatItWorks) {
  EXPECT_EQ(ask("printf K; sleep 60"), (KvmVerdict{true, ""}));
  EXPECT_FALSE(still_runs());
}

TEST_F(KvmProbeTest, AHangingGuestIsGivenUpAndKilled) {
  const MonotonicTime start = clock_.now();
  EXPECT_EQ(ask("trap '' TERM; sleep 60"), (KvmVerdict{false, "the guest hung"}));
  EXPECT_LT(clock_.now() - start, std::chrono::seconds(3));
  EXPECT_FALSE(still_runs());
}

TEST_F(KvmProbeTest, OneGuestThatRunsIsNoProof) {
  const std::string ran = (work_.path() / "ran").string();
  EXPECT_EQ(ask(cat("if [ -e ", ran, " ]; then sleep 60; fi; touch ", ran, "; printf K; sleep 60")).reason,
            "the guest hung");
}

TEST_F(KvmProbeTest, AnAbortingQemuTellsItsReason) {
  EXPECT_EQ(ask("echo 'error: failed to set MSR 0x10a' >&2; exit 134").reason,
            "QEMU ended before the guest ran: error: failed to set MSR 0x10a");
  EXPECT_EQ(ask("echo 'no KVM here' >&2").works, false) << "a message with the sign in it is no sign";
}

TEST_F(KvmProbeTest, WithoutTheDeviceNothingIsRun) {
  const KvmVerdict verdict = probe_kvm({.program = "/nowhere", .device = "/nowhere/kvm"}, work_.path(), clock_);
  EXPECT_THAT(verdict.reason, HasSubstr("/nowhere/kvm is missing"));
}

TEST_F(KvmProbeTest, TheAnswerIsKeptForThisBootOnly) {
  const KvmProbe good{.program = program("printf K; sleep 60"), .device = ""};
  const fs::path cache = work_.path() / "cache/hearth";
  EXPECT_TRUE(cached_kvm_verdict(good, cache, "boot-1", work_.path(), clock_).works);
  const KvmProbe bad{.program = program("exit 1"), .device = ""};
  EXPECT_TRUE(cached_kvm_verdict(bad, cache, "boot-1", work_.path(), clock_).works);
  EXPECT_FALSE(cached_kvm_verdict(bad, cache, "boot-2", work_.path(), clock_).works);
  EXPECT_EQ(read_file(cache / "kvm-probe"), "boot-2\tfails\tQEMU ended before the guest ran\n");
}

TEST_F(KvmProbeTest, TheBootSectorSpeaksInARealMachine) {
  if (!find_program("qemu-system-x86_64", current_environment())) GTEST_SKIP() << "qemu is not installed";
  const KvmProbe probe{.accelerator = "tcg", .device = "", .limit = std::chrono::seconds(60)};
  EXPECT_EQ(probe_kvm(probe, work_.path(), clock_), (KvmVerdict{true, ""}));
}

}  // namespace
}  // namespace hearth::vm
