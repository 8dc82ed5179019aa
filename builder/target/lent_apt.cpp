#include "builder/target/lent_apt.hpp"

#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_directory = ".apt";
constexpr const char* k_placeholder = "initramfs-placeholder";

}  // namespace

void lend_apt(const fs::path& library, const fs::path& hooks) {
  const fs::path lent = hooks / k_directory;
  fs::create_directories(lent);
  for (const std::string& name : RealFileSystem().list(library / "apt")) {
    fs::copy_file(library / "apt" / name, lent / name, fs::copy_options::overwrite_existing);
  }
  const std::string fetching = RealFileSystem().read(hooks / ".fetch/apt.conf").value_or("");
  if (fetching.empty()) return;
  const std::string own = read_file((lent / "apt.conf").string());
  RealFileSystem().write(lent / "apt.conf", cat(own, fetching), {.mode = 0644});
}

std::vector<std::string> deferred_initramfs(const fs::path& target, const fs::path& hooks) {
  constexpr std::string_view prefix = "initrd.img-";
  const std::string placeholder = RealFileSystem().read(hooks / k_directory / k_placeholder).value_or("");
  if (placeholder.empty()) return {};
  const TreeReader tree(target);
  std::vector<std::string> versions;
  for (const std::string& name : tree.list("boot")) {
    if (!name.starts_with(prefix)) continue;
    const std::optional<FileStatus> status = tree.status(fs::path("boot") / name);
    if (!status || status->size != placeholder.size() || tree.read(fs::path("boot") / name) != placeholder) continue;
    versions.push_back(name.substr(prefix.size()));
  }
  return versions;
}

}  // namespace hearth::builder
