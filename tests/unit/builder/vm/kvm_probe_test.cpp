// The hanging and failing guests are played by small programs; the good one runs in the real QEMU under TCG.
#include "builder/vm/kvm_probe.hpp"

#include <gmock/gmock.h>

#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/unit/builder/vm/fake_qemu.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class KvmProbeTest : public FakeQemu {
 protected:
  /// Plays a program whose emulated guests run after 0.5 s; `script` is what those with KVM do.
  std::string with_kvm(const std::string& script) {
    return program(cat("case \"$*\" in *'-accel tcg'*) sleep 0.5; printf K; exec sleep 60;; esac\n", script));
  }
  KvmVerdict ask(const std::string& script) {
    return probe_kvm({.program = with_kvm(script), .device = ""}, work_.path(), clock_);
  }
};

TEST_F(KvmProbeTest, TheSignOnTheSerialLineMeansThatItWorks) {
  EXPECT_EQ(ask("printf K; exec sleep 60"), (KvmVerdict{true, ""}));
  EXPECT_FALSE(still_runs());
}

TEST_F(KvmProbeTest, AHangingGuestIsGivenUpAndKilled) {
  const MonotonicTime start = clock_.now();
  EXPECT_THAT(ask("trap '' TERM; sleep 60").reason,
              MatchesRegex("a guest said nothing in [0-9.]+ s, and an emulated one did"));
  EXPECT_LT(clock_.now() - start, std::chrono::seconds(10));
  EXPECT_FALSE(still_runs());
}

TEST_F(KvmProbeTest, GuestsSlowerThanEmulatedOnesAreOfNoUse) {
  EXPECT_FALSE(ask("sleep 5; printf K; exec sleep 60").works);
}

TEST_F(KvmProbeTest, WithoutAnEmulatedGuestThereIsNoVerdictForKvm) {
  EXPECT_EQ(probe_kvm({.program = program("echo 'no BIOS' >&2; exit 1"), .device = ""}, work_.path(), clock_).reason,
            "not even an emulated guest runs: QEMU ended before the guest ran: no BIOS");
}

TEST_F(KvmProbeTest, OneGuestThatRunsIsNoProof) {
  const std::string ran = (work_.path() / "ran").string();
  EXPECT_EQ(ask(cat("if [ -e ", ran, " ]; then sleep 60; fi; touch ", ran, "; printf K; exec sleep 60")).works, false);
}

TEST_F(KvmProbeTest, AnAbortingQemuTellsItsReason) {
  EXPECT_EQ(ask("echo 'error: failed to set MSR 0x10a' >&2; exit 134").reason,
            "QEMU ended before the guest ran: error: failed to set MSR 0x10a");
  EXPECT_EQ(ask("echo 'no KVM here' >&2").works, false) << "a message with the sign in it is no sign";
}

TEST_F(KvmProbeTest, AGuestRunsWithTheProcessorThatMachinesGet) {
  EXPECT_FALSE(ask("case \"$*\" in *'-cpu host'*) echo 'error: failed to set MSR 0x10a' >&2; exit 134;; esac\n"
                   "printf K; exec sleep 60")
                   .works);
}

TEST_F(KvmProbeTest, WithoutTheDeviceNothingIsRun) {
  const KvmVerdict verdict = probe_kvm({.program = "/nowhere", .device = "/nowhere/kvm"}, work_.path(), clock_);
  EXPECT_THAT(verdict.reason, HasSubstr("/nowhere/kvm is missing"));
}

TEST_F(KvmProbeTest, TheAnswerIsKeptForThisBootOnly) {
  const KvmProbe good{.program = with_kvm("printf K; exec sleep 60"), .device = ""};
  const fs::path cache = work_.path() / "cache/hearth";
  EXPECT_TRUE(cached_kvm_verdict(good, cache, "boot-1", work_.path(), clock_).works);
  const KvmProbe bad{.program = with_kvm("exit 1"), .device = ""};
  EXPECT_TRUE(cached_kvm_verdict(bad, cache, "boot-1", work_.path(), clock_).works);
  EXPECT_FALSE(cached_kvm_verdict(bad, cache, "boot-2", work_.path(), clock_).works);
  EXPECT_EQ(read_file(cache / "kvm-host-probe"), "boot-2\tfails\tQEMU ended before the guest ran\n");
}

TEST_F(KvmProbeTest, TheBootSectorSpeaksInARealMachine) {
  if (!find_program("qemu-system-x86_64", current_environment())) GTEST_SKIP() << "qemu is not installed";
  const KvmProbe probe{.accelerator = "tcg", .device = "", .patience = 20};
  EXPECT_EQ(probe_kvm(probe, work_.path(), clock_), (KvmVerdict{true, ""}));
}

}  // namespace
}  // namespace hearth::builder::vm
