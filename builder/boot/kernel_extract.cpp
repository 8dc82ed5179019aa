#include "builder/boot/kernel_extract.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// The name with the highest version among those that begin with one of `starts`.
std::string newest(const std::vector<std::string>& names, const std::vector<std::string>& starts, bool generic) {
  std::string best;
  for (const std::string& name : names) {
    const bool wanted = std::any_of(starts.begin(), starts.end(), [&](const auto& s) { return name.starts_with(s); });
    const bool is_generic = name.size() >= 7 && name.compare(name.size() - 7, 7, "generic") == 0;
    if (!wanted || (generic && !is_generic) || name.find("debug") != std::string::npos) continue;
    if (best.empty() || ::strverscmp(best.c_str(), name.c_str()) < 0) best = name;
  }
  return best;
}

std::string newest_of(const std::vector<std::string>& names, const std::vector<std::string>& starts) {
  std::string found = newest(names, starts, true);
  return found.empty() ? newest(names, starts, false) : found;
}

/// Runs one command of debugfs on the file system at `offset`; nothing when there is none that it can read.
std::optional<std::string> debugfs(const fs::path& raw, std::uint64_t offset, const std::string& request,
                                   CommandRunner& runner) {
  Environment env = current_environment();
  env["DEBUGFS_PAGER"] = "cat";
  const CommandResult result = runner.run(
      Command{.argv = {"debugfs", "-R", request, cat(raw.string(), "?offset=", offset)}, .env = std::move(env)});
  const bool opened = result.err.find("not open") == std::string::npos &&
                      result.err.find("Bad magic") == std::string::npos &&
                      result.err.find("File not found") == std::string::npos;
  return succeeded(result.status) && opened ? std::optional(result.out) : std::nullopt;
}

struct Found {
  std::uint64_t offset = 0;
  std::string directory;
  BootFiles files;
};

/// /boot of a root file system, or the top of a file system of its own.
std::optional<Found> find_boot_files(const fs::path& raw, CommandRunner& runner) {
  const CommandResult table = runner.run(Command{.argv = {"sfdisk", "--json", raw.string()}});
  for (const std::uint64_t offset : parse_sfdisk_starts(table.out)) {
    for (const char* directory : {"/boot", ""}) {
      const auto listing = debugfs(raw, offset, cat("ls -p ", *directory == 0 ? "/" : directory), runner);
      if (!listing) continue;
      if (auto files = choose_boot_files(parse_debugfs_list(*listing))) return Found{offset, directory, *files};
    }
  }
  return std::nullopt;
}

void dump(const fs::path& raw, const Found& found, const std::string& name, const fs::path& target,
          CommandRunner& runner) {
  if (!debugfs(raw, found.offset, cat("dump ", found.directory, "/", name, " ", target.string()), runner) ||
      !fs::exists(target)) {
    throw Error(ErrorKind::io, cat("reading ", found.directory, "/", name, " of the image failed"));
  }
  fs::permissions(target, fs::owner_read | fs::owner_write | fs::group_read | fs::others_read);
}

}  // namespace

std::optional<BootFiles> choose_boot_files(const std::vector<std::string>& names) {
  BootFiles files;
  files.kernel = newest_of(names, {"vmlinu"});
  if (files.kernel.empty()) return std::nullopt;
  const std::size_t dash = files.kernel.find('-');
  const std::string version = dash == std::string::npos ? "" : files.kernel.substr(dash + 1);
  for (const std::string& name : names) {
    const bool same = name == cat("initrd.img-", version) || name == cat("initramfs-", version, ".img") ||
                      name == cat("initrd-", version) || name == cat("initramfs-", version);
    if (same) files.ramdisk = name;
  }
  if (files.ramdisk.empty()) files.ramdisk = newest_of(names, {"initrd", "initramfs"});
  if (files.ramdisk.empty()) return std::nullopt;
  return files;
}

std::vector<std::string> parse_debugfs_list(std::string_view text) {
  // /INODE/MODE/UID/GID/NAME/SIZE/
  static constexpr std::size_t k_fields = 6;
  static constexpr std::size_t k_mode = 2;
  static constexpr std::size_t k_name = 5;
  std::vector<std::string> names;
  for (const std::string& line : split_lines(text)) {
    const std::vector<std::string> fields = split(line, '/');
    if (fields.size() > k_fields && fields[k_mode].starts_with("100")) names.push_back(fields[k_name]);
  }
  return names;
}

std::vector<std::uint64_t> parse_sfdisk_starts(std::string_view json) {
  std::vector<std::uint64_t> starts = {0};
  const Result<Json> parsed = parse_json(json, "sfdisk");
  if (!parsed || !parsed->contains("partitiontable")) return starts;
  const Json& table = parsed->at("partitiontable");
  const std::uint64_t sector = table.value("sectorsize", std::uint64_t{512});
  for (const Json& partition : table.value("partitions", Json::array())) {
    starts.push_back(partition.value("start", std::uint64_t{0}) * sector);
  }
  return starts;
}

void extract_kernel(const fs::path& image, const KernelOutput& output, CommandRunner& runner) {
  const TempDir work = TempDir::create(output.kernel.parent_path(), ".hearth-kernel.");
  const fs::path raw = work.path() / "disk.raw";
  run_checked(runner, Command{.argv = {"qemu-img", "convert", "-O", "raw", image.string(), raw.string()}});
  const std::optional<Found> found = find_boot_files(raw, runner);
  if (!found) {
    throw Error(ErrorKind::not_found, cat(image.string(), ": no kernel with a ramdisk in /boot of an ext file system"))
        .hint("The image must hold ext2, ext3 or ext4, with or without a partition table.");
  }
  const fs::path kernel = work.path() / "kernel";
  const fs::path ramdisk = work.path() / "ramdisk";
  dump(raw, *found, found->files.kernel, kernel, runner);
  dump(raw, *found, found->files.ramdisk, ramdisk, runner);
  fs::rename(kernel, output.kernel);
  fs::rename(ramdisk, output.ramdisk);
}

}  // namespace hearth::builder
