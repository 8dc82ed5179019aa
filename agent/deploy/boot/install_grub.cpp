#include "agent/deploy/boot/install_grub.hpp"

#include <sys/mount.h>

#include "agent/deploy/boot/install_bootloader.hpp"
#include "agent/deploy/boot/mounted.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr const char* k_tree = "/run/hearth-root";
#if defined(__aarch64__)
constexpr const char* k_uefi_target = "arm64-efi";
constexpr const char* k_bios_target = "";
#else
constexpr const char* k_uefi_target = "x86_64-efi";
constexpr const char* k_bios_target = "i386-pc";
#endif

/// What Debian and SUSE, and what Fedora and its kin call GRUB 2.
struct Names {
  std::string install;
  std::string mkconfig;
  std::string config;
};

std::string program_in(const std::string& tree, const std::string& name, const FileReader& files) {
  for (const char* folder : {"/usr/sbin/", "/sbin/", "/usr/bin/"}) {
    if (files.status(cat(tree, folder, name))) return cat(folder, name);
  }
  return "";
}

Names names_in(const std::string& tree, const FileReader& files) {
  for (const std::string name : {"grub", "grub2"}) {
    const std::string install = program_in(tree, name + "-install", files);
    if (install.empty()) continue;
    return {install, program_in(tree, name + "-mkconfig", files), cat("/boot/", name, "/grub.cfg")};
  }
  throw Error(ErrorKind::unsupported, "the image has neither grub-install nor grub2-install")
      .hint(
          "Build it with GRUB in it (Debian: grub2-common with grub-pc-bin and grub-efi-amd64-bin), or deploy a "
          "whole-disk\n"
          "image.");
}

/// The image's own programs, which nobody vouches for unless it is signed: the conductor's token is not theirs to see.
void run_in_tree(const std::string& tree, std::vector<std::string> argv, CommandRunner& runner) {
  Command command{.argv = std::move(argv),
                  .env = Environment{
                      {"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"LC_ALL", "C"}, {"GRUB_DISABLE_OS_PROBER", "true"}}};
  command.root = tree;
  command.confined = true;
  run_checked(runner, command);
}

/// A loader that the image brought below /boot/efi (a signed one, say) goes onto the partition as it is. True = there
/// was one.
bool keep_loaders(const std::string& tree, const GrubWish& wish, CommandRunner& runner) {
  const RealFileSystem files;
  if (files.list(cat(tree, "/boot/efi/EFI")).empty()) return false;
  const std::string target = cat(tree, "/mnt");
  const Mounted esp("vfat", wish.esp, target, 0);
  run_in_tree(tree, {"/bin/cp", "-r", "/boot/efi/EFI", "/mnt/"}, runner);
  return !find_loaders(target).empty();
}

}  // namespace

std::string fstab_with_esp(const std::string& fstab, const std::string& uuid) {
  std::string text;
  for (const std::string& line : split_lines(fstab)) {
    const std::vector<std::string> words = split_words(line);
    const bool other = words.size() > 1 && words[0].front() != '#' && words[1] == "/boot/efi";
    if (!other) text += line + "\n";
  }
  return cat(text, "UUID=", uuid, " /boot/efi vfat umask=0077,nofail 0 1\n");
}

std::string run_grub(const std::string& tree, const GrubWish& wish, const FileReader& files, CommandRunner& runner) {
  const Names names = names_in(tree, files);
  const bool has_loader = !wish.esp.empty() && !find_loaders(cat(tree, "/boot/efi")).empty();
  if (wish.esp.empty()) {
    std::vector<std::string> argv = {names.install};
    if (*k_bios_target != '\0') argv.push_back(cat("--target=", k_bios_target));
    argv.push_back(wish.disk);
    run_in_tree(tree, std::move(argv), runner);
  } else if (!has_loader) {
    const std::vector<std::string> argv = {names.install, cat("--target=", k_uefi_target), "--efi-directory=/boot/efi",
                                           "--no-nvram"};
    run_in_tree(tree, argv, runner);
    std::vector<std::string> removable = argv;  // for firmware that forgets its entries
    removable.emplace_back("--removable");
    run_in_tree(tree, std::move(removable), runner);
  }
  if (!names.mkconfig.empty()) run_in_tree(tree, {names.mkconfig, "-o", names.config}, runner);
  return has_loader ? "the image's own loader is on the EFI system partition"
                    : cat("GRUB is installed on ", wish.esp.empty() ? wish.disk : wish.esp);
}

std::string install_grub(const GrubWish& wish, CommandRunner& runner) {
  RealFileSystem files;
  const std::string tree = k_tree;
  const Mounted root(wish.root_type, wish.root, tree, 0);
  const Mounted dev("/dev", tree + "/dev");
  files.make_directories(tree + "/proc", 0755);
  const Mounted sys("/sys", tree + "/sys");
  if (wish.esp.empty()) return run_grub(tree, wish, files, runner);
  keep_loaders(tree, wish, runner);
  const Mounted esp("vfat", wish.esp, tree + "/boot/efi", 0);
  std::string done = run_grub(tree, wish, files, runner);
  const std::string fstab = tree + "/etc/fstab";
  files.write(fstab, fstab_with_esp(files.read(fstab).value_or(""), wish.esp_uuid),
              {.mode = 0644, .uid = {}, .gid = {}});
  return done;
}

}  // namespace hearth::agent::deploy
