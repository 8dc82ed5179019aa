#include "builder/report/hook_advice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// A line that holds all of the words, as programs print them in the locale C, in small letters. One alone stands in
/// many lines that are no refusal: update-initramfs says "modprobe: FATAL: Module x not found" of what a machine lacks.
struct Refusal {
  std::array<const char*, 2> words;
  const char* advice;
};

// What else a hook prints once a program has failed: its own words, its traps.
constexpr std::ptrdiff_t k_told_lines = 5;

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
    "Hooks can't set the flags i and a of files. (Upstream's image has those alone that finalise.d sets, on its "
    "mounted "
    "disk; its copy of the tree loses earlier ones.) Set them in the machine, at its first boot.";
constexpr const char* k_loopback =
    "Hooks have a loopback of their own, and what a hook started ends with it: start a service, wait for it and use it "
    "in one hook. What this machine serves on its loopback is there with HEARTH_NETWORK=host.";
constexpr const char* k_written_homes =
    "Hooks write to no home of this machine. A program that keeps files there gets a directory that ends with the "
    "build "
    "by export HOME=$(mktemp -d) in the hook.";
constexpr const char* k_ionice =
    "Hooks can't take the disk's class of real time (ionice -c1): leave it out, or take ionice -c2 -n0.";
constexpr const char* k_library =
    "That is a function of diskimage-builder's own program. Of those Hearth's $_LIB has what hooks call: run_d, "
    "run_in_target, mount_proc_dev_sys, unmount_dir, select_boot_kernel_initrd and die among them. Hearth runs hooks, "
    "finalises and stores the image itself: leave the call out.";
constexpr const char* k_nodes = "Hooks make no nodes of devices: udev makes them when the machine starts.";
constexpr const char* k_settings =
    "What the image's machine is to have goes into its /etc/sysctl.d. For the build itself hooks may set what a "
    "network has (net.ipv4, net.ipv6, net.bridge …) where that is theirs alone: with --record, --locked or --offline.";
constexpr const char* k_network =
    "Hooks may make bridges, addresses and packet filters (dockerd does) in a network that is theirs alone: with "
    "--record, --locked or --offline.";
constexpr const char* k_clock = "Hooks can't set the machine's clock; faketime shows a program another one.";
constexpr const char* k_old_security =
    "diskimage-builder's own debian-minimal asks for the security archive under a name that Debian gave up with Debian "
    "11. Set DIB_RELEASE=bookworm (a name, not stable), and up to diskimage-builder 3.13 "
    "DIB_DEBIAN_SECURITY_SUBPATH=-security, which later ones add by themselves; Hearth's needs none.";
constexpr const char* k_homes =
    "Hooks do not see homes. What they are to have of one is named in HEARTH_HOST_FILES (HEARTH_HOST_FILES=~/src/x), "
    "or in the element's file host-files, a path a line.";
constexpr const char* k_modules = "Hooks can't load modules: name them in the image's /etc/modules-load.d.";

constexpr std::array<Refusal, 51> k_refusals = {
    {{{"'/root/", "not appear to be a git repository"}, k_homes},
     {{"'/home/", "not appear to be a git repository"}, k_homes},
     {{"open file /root/", "curl:"}, k_homes},
     {{"open file /home/", "curl:"}, k_homes},
     {{"losetup:", "loop device"}, k_loop},
     {{"mount:", "loop device"}, k_loop},
     {{"mknod:", "not permitted"}, k_nodes},
     {{"chattr:", "not permitted"}, k_flags},
     {{"changing ownership", "invalid argument"}, k_ids},
     {{"changing group", "invalid argument"}, k_ids},
     {{"change ownership", "invalid argument"}, k_ids},
     {{"preserve ownership", "invalid argument"}, k_ids},
     {{"/proc/sys/", "read-only file system"}, k_settings},
     {{"/proc/sys/", "permission denied"}, k_settings},
     {{"/proc/sys/", "not permitted"}, k_settings},
     {{"sysctl:", "read-only file system"}, k_settings},
     {{"sysctl:", "permission denied"}, k_settings},
     {{"sysctl:", "not permitted"}, k_settings},
     {{"iptables", "must be root"}, k_network},
     {{"ip6tables", "must be root"}, k_network},
     {{"rtnetlink answers:", "not permitted"}, k_network},
     {{"could not process rule", "not permitted"}, k_network},
     {{"date:", "cannot set date"}, k_clock},
     {{"hwclock:", "cannot access"}, k_clock},
     {{"hwclock:", "not permitted"}, k_clock},
     {{"could not insert", "not permitted"}, k_modules},
     {{"the repository '", "updates inrelease'"}, k_old_security},
     {{"/root/", "read-only file system"}, k_written_homes},
     {{"/home/", "read-only file system"}, k_written_homes},
     {{"ionice:", "not permitted"}, k_ionice},
     {{"failed to connect to 127.0.0.1", ""}, k_loopback},
     {{"failed to connect to localhost", ""}, k_loopback},
     {{"127.0.0.1", "connection refused"}, k_loopback},
     {{"localhost", "connection refused"}, k_loopback},
     {{"on socket", "failed:"}, k_loopback},
     {{"through socket", "can't connect to local"}, k_loopback},
     {{"connect to the docker daemon", "is the docker daemon running"}, k_loopback},
     {{"eval_run_d:", "command not found"}, k_library},
     {{"finalise_base:", "command not found"}, k_library},
     {{"create_base:", "command not found"}, k_library},
     {{"copy_hooks_not_overwrite:", "command not found"}, k_library},
     {{"compress_and_save_image:", "command not found"}, k_library},
     {{"do_extra_package_install:", "command not found"}, k_library},
     {{"kill_chroot_processes:", "command not found"}, k_library},
     {{"arg_to_elements:", "command not found"}, k_library},
     {{"check_element:", "command not found"}, k_library},
     {{"copy_elements_lib:", "command not found"}, k_library},
     {{"cleanup_build_dir:", "command not found"}, k_library},
     {{"cleanup_image_dir:", "command not found"}, k_library},
     {{"mount:", "permission denied"}, k_mount},
     {{"mount:", "not permitted"}, k_mount}}};

/// Not as the end of another word: "umount:" is no "mount:".
bool has_word(const std::string& line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    if (at == 0 || std::isalpha(static_cast<unsigned char>(line[at - 1])) == 0) return true;
  }
  return false;
}

}  // namespace

std::string advice_on_refusal(const std::vector<std::string>& printed) {
  const auto last = printed.size() > k_told_lines ? printed.end() - k_told_lines : printed.begin();
  for (auto line = std::make_reverse_iterator(printed.end()); line != std::make_reverse_iterator(last); ++line) {
    const std::string told = to_lower(*line);
    const auto* const found = std::find_if(k_refusals.begin(), k_refusals.end(), [&](const Refusal& each) {
      return std::all_of(each.words.begin(), each.words.end(), [&](const char* word) { return has_word(told, word); });
    });
    if (found != k_refusals.end()) return found->advice;
  }
  return "";
}

}  // namespace hearth::builder
