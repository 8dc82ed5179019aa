// A lease that was promised to a machine is there after a power cut, whatever the journal was doing then.
#include <gtest/gtest.h>

#include <future>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "pxe/dhcp/journal.hpp"
#include "tests/fakes/lossy_disk.hpp"

namespace hearth::pxe::dhcp {
namespace {

using fakes::LossyDisk;

Lease lease_of(std::uint32_t number) {
  return {Ipv4{0xc0000200 + number}, Mac{{0x52, 0x54, 0, 0, 0, 1}}, Lease::State::bound, 1700000000, "web1"};
}

/// Waits until the lease is durable, which is when its answer leaves.
void keep(JournalWriter& writer, LossyDisk& disk, std::uint32_t number) {
  std::promise<void> done;
  writer.append(journal_line(lease_of(number)), [&] {
    disk.promise(cat(number));
    done.set_value();
  });
  done.get_future().wait();
}

void expect_promised(const fs::path& path, const LossyDisk::Cut& cut) {
  const JournalContents found = parse_journal(RealFileSystem().read(path).value_or(""));
  EXPECT_LE(found.damaged, 1U);
  for (const std::string& promised : cut.promised) {
    const Lease lease = lease_of(static_cast<std::uint32_t>(parse_number(promised).value()));
    EXPECT_NE(std::find(found.leases.begin(), found.leases.end(), lease), found.leases.end()) << promised;
  }
}

TEST(JournalPowerCut, KeepsEveryLeaseThatWasPromised) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  const fs::path path = directory.path() / "leases";
  LossyDisk disk(directory.path());
  {
    JournalWriter writer(path, {});
    for (std::uint32_t number = 1; number <= 12; ++number) keep(writer, disk, number);
  }
  EXPECT_GT(disk.cut_everywhere([&](const LossyDisk::Cut& cut) { expect_promised(path, cut); }), 20U);
}

TEST(JournalPowerCut, KeepsThemWhileTheFileIsRewritten) {
  const TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  const fs::path path = directory.path() / "leases";
  LossyDisk disk(directory.path());
  {
    JournalWriter writer(path, {lease_of(1)});
    keep(writer, disk, 2);
    writer.rewrite({lease_of(1), lease_of(2)});
    keep(writer, disk, 3);
    keep(writer, disk, 4);
  }
  EXPECT_GT(disk.cut_everywhere([&](const LossyDisk::Cut& cut) { expect_promised(path, cut); }), 8U);
}

}  // namespace
}  // namespace hearth::pxe::dhcp
