#include "builder/output/squashfs.hpp"

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

std::vector<std::string> squashfs_argv(const fs::path& tree, const fs::path& file, std::int64_t epoch) {
  return {"mksquashfs",   tree.string(),  file.string(), "-comp",    "xz",        "-noappend",
          "-no-recovery", "-no-progress", "-mkfs-time",  cat(epoch), "-all-time", cat(epoch),
          "-wildcards",   "-e",           "dev/*",       "proc/*",   "sys/*"};
}

void write_squashfs(const fs::path& tree, const fs::path& target, std::int64_t epoch, CommandRunner& runner) {
  // mksquashfs opens its output by name and truncates it; the name beside the target is taken away by the rename.
  const TempDir work = TempDir::create(target.parent_path(), ".hearth-squashfs.");
  const fs::path file = work.path() / target.filename();
  run_checked(runner, Command{.argv = squashfs_argv(tree, file, epoch)});
  fs::rename(file, target);
  const fs::path link = fs::path(target).replace_extension("squashfs");
  fs::remove(link);
  fs::create_symlink(target.filename(), link);
}

}  // namespace hearth::builder
