#include "builder/disk/guest/guest_lvm.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/lvm_metadata.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_label_bytes = 4096;

}  // namespace

void fix_lvm_ids(Guest& guest, const std::string& group, const std::vector<std::string>& devices, std::string_view seed,
                 std::int64_t epoch) {
  guest.activate_group(group, false);
  for (const std::string& device : devices) {
    const std::uint64_t bytes = lvm_data_begin(guest.read_device(device, 0, k_label_bytes));
    if (bytes > k_most_device_bytes) continue;  // by an option of its own; nothing is lost but equal bytes
    guest.write_device(device, 0, fixed_lvm_head(guest.read_device(device, 0, bytes), seed, epoch));
  }
  guest.run("rm -f /run/lvm/hints\n");  // LVM's own notes about what it found where
  guest.activate_group(group, true);
}

void take_down_volumes(Guest& guest, const Volumes& volumes) {
  // A group may lie on an encrypted volume, and that on a group: what is still in use is let go in the second round.
  std::vector<std::string> groups;
  std::vector<std::string> encrypted;
  for (const VolumeGroup& group : volumes.groups) groups.push_back(group.name);
  for (auto it = volumes.encrypted.rbegin(); it != volumes.encrypted.rend(); ++it) encrypted.push_back(it->name);
  const auto in_use = [](const auto& act) {
    try {
      act();
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  guest.sync();
  std::erase_if(groups, [&](const auto& name) { return !in_use([&] { guest.activate_group(name, false); }); });
  std::erase_if(encrypted, [&](const auto& name) { return !in_use([&] { guest.close_encrypted(name); }); });
  for (const std::string& name : groups) guest.activate_group(name, false);
  for (const std::string& name : encrypted) guest.close_encrypted(name);
  for (const RaidArray& array : volumes.arrays) guest.stop_array(cat("/dev/md/", array.name));
}

}  // namespace hearth::builder
