#include "builder/run/hook_advice.hpp"

#include <algorithm>
#include <array>

namespace hearth::builder {

namespace {

/// A line that holds all of the words, as programs print it in the locale C.
struct Refusal {
  std::array<const char*, 2> words;
  const char* advice;
};

constexpr const char* k_loop =
    "Hooks have no loop devices: mke2fs -d DIR makes a file system of a directory; 7z, debugfs and guestfish read "
    "images. Disks and what is mounted of them are described by a layout (hearth image layout).";
constexpr const char* k_mount =
    "Hooks may mount tmpfs, overlays and binds; proc, sysfs and devices are there in the target, and control groups "
    "can be read.";
constexpr const char* k_ids =
    "Its id is beyond the range that builds have. Give a larger one (as root): usermod --add-subuids FIRST-LAST "
    "--add-subgids FIRST-LAST USER, for root's builds root.";
constexpr const char* k_flags =
    "Hooks can't set the flags i and a of files, and no image of a tree has them: upstream's copy of it loses them, "
    "too. Set them in the machine, at its first boot.";
constexpr const char* k_nodes = "Hooks make no nodes of devices: udev makes them when the machine starts.";
constexpr const char* k_settings =
    "What the image's machine is to have goes into its /etc/sysctl.d. For the build itself hooks may set what a "
    "network has (net.ipv4, net.ipv6, net.bridge …) where that is theirs alone: with --record, --locked or --offline.";
constexpr const char* k_clock = "Hooks can't set the machine's clock; faketime shows a program another one.";
constexpr const char* k_modules = "Hooks can't load modules: name them in the image's /etc/modules-load.d.";

constexpr std::array<Refusal, 15> k_refusals = {{{{"losetup:", ""}, k_loop},
                                                 {{"loop device", ""}, k_loop},
                                                 {{"mknod:", "not permitted"}, k_nodes},
                                                 {{"chattr:", "not permitted"}, k_flags},
                                                 {{"chown:", "Invalid argument"}, k_ids},
                                                 {{"chgrp:", "Invalid argument"}, k_ids},
                                                 {{"install:", "Invalid argument"}, k_ids},
                                                 {{"Cannot change ownership", "Invalid argument"}, k_ids},
                                                 {{"/proc/sys/", ""}, k_settings},
                                                 {{"sysctl:", ""}, k_settings},
                                                 {{"date:", "cannot set date"}, k_clock},
                                                 {{"hwclock:", ""}, k_clock},
                                                 {{"modprobe:", ""}, k_modules},
                                                 {{"mount:", "permission denied"}, k_mount},
                                                 {{"mount:", "not permitted"}, k_mount}}};

}  // namespace

std::string advice_on_refusal(const std::vector<std::string>& printed) {
  const auto tells = [](const std::string& line, const Refusal& refusal) {
    return std::all_of(refusal.words.begin(), refusal.words.end(),
                       [&](const char* word) { return line.find(word) != std::string::npos; });
  };
  for (auto line = printed.rbegin(); line != printed.rend(); ++line) {
    const auto* const found =
        std::find_if(k_refusals.begin(), k_refusals.end(), [&](const Refusal& each) { return tells(*line, each); });
    if (found != k_refusals.end()) return found->advice;
  }
  return "";
}

}  // namespace hearth::builder
