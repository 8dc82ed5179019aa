#include "builder/packing/squashfs.hpp"

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/packing/output_file.hpp"

namespace hearth::builder {

std::vector<std::string> squashfs_argv(const fs::path& tree, const fs::path& file, std::int64_t epoch,
                                       const std::string& compression) {
  return {"mksquashfs",   tree.string(),  file.string(), "-comp",    compression, "-noappend",
          "-no-recovery", "-no-progress", "-mkfs-time",  cat(epoch), "-all-time", cat(epoch),
          "-wildcards",   "-e",           "dev/*",       "proc/*",   "sys/*"};
}

std::vector<std::string> erofs_argv(const fs::path& tree, const fs::path& file, std::int64_t epoch) {
  return {"mkfs.erofs",
          "-zlz4hc",
          cat("-T", epoch),
          "-U00000000-0000-0000-0000-000000000000",
          "-d1",
          "--exclude-regex=^/?(dev|proc|sys)/.+",
          file.string(),
          tree.string()};
}

void make_squashfs(const std::vector<std::string>& argv, CommandRunner& runner) {
  Environment environment = current_environment();
  environment.erase("SOURCE_DATE_EPOCH");  // mksquashfs refuses it beside options that say the same
  run_checked(runner, Command{.argv = argv, .env = std::move(environment)});
}

void write_squashfs(const fs::path& tree, const fs::path& target, const ReadOnlyImage& image, CommandRunner& runner) {
  write_placed(target, image.checksums, [&](const AtomicFile& file) {
    make_squashfs(squashfs_argv(tree, file.proc_path(), image.epoch), runner);
  });
  const fs::path link = fs::path(target).replace_extension("squashfs");
  fs::remove(link);
  fs::create_symlink(target.filename(), link);
}

void write_erofs(const fs::path& tree, const fs::path& target, const ReadOnlyImage& image, CommandRunner& runner) {
  write_placed(target, image.checksums, [&](const AtomicFile& file) {
    run_checked(runner, Command{.argv = erofs_argv(tree, file.proc_path(), image.epoch)});
  });
}

}  // namespace hearth::builder
