// What a BMC has besides power, and what it is told to do that takes its time: drives, volumes, firmware, tasks.
// Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// A drive behind a controller that can make volumes of it.
struct Drive {
  std::string id;
  std::string path;        ///< by which the BMC knows it
  std::string controller;  ///< id of it
  std::string media;       ///< "HDD", "SSD"
  std::string protocol;    ///< "SAS", "SATA", …
  std::uint64_t bytes = 0;
};

struct Volume {
  std::string id;
  std::string path;
  std::string controller;
  std::string name;
  std::string raid_type;  ///< "RAID1", as Redfish has it
  std::uint64_t bytes = 0;
  std::vector<std::string> drives;  ///< their paths
  std::string wwn;                  ///< "0x5000…" where it has one
};

struct RaidController {
  std::string id;
  std::string volumes;     ///< path of their collection
  bool at_start = false;   ///< what it is told is done when the machine starts anew; else at once
  std::string apply_time;  ///< as it is told then; empty = it has no choice
};

struct RaidHardware {
  std::vector<RaidController> controllers;
  std::vector<Drive> drives;
  std::vector<Volume> volumes;
};

/// A volume that is to be made.
struct VolumeWish {
  std::string controller;
  std::string raid_type;
  std::string name;                 ///< empty = the BMC's choice
  std::uint64_t bytes = 0;          ///< 0 = all there is
  std::vector<std::string> drives;  ///< paths
};

/// What a BMC made of an order.
struct BmcOrder {
  std::string task;       ///< path by which its progress is asked for; empty = it is done
  bool at_start = false;  ///< it is done when the machine starts anew
};

struct BmcTask {
  bool running = false;
  bool rests = false;  ///< it has not begun: many begin at the machine's next start
  std::string fault;   ///< why it failed; empty = it did not
  std::string of{};    ///< what was asked for (the action's path), where the BMC tells
};

/// A file of firmware.
struct FirmwareImage {
  std::string url;
  std::string checksum;  ///< hexadecimal, SHA-1, 256 or 512 by its length; empty = none is known
};

/// A part of a machine that has firmware.
struct FirmwarePart {
  std::string component;  ///< Ironic's name of it: "bios", "bmc", "nic:SERIAL"
  std::string version;
};

}  // namespace hearth::bootstrap
