#include "metadata/compile/output_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

fs::path parent_of(const fs::path& target) {
  const fs::path parent = target.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

fs::path without_final_slash(const fs::path& target) {
  return target.filename() == "." ? target.parent_path() : target;
}

}  // namespace

OutputDirectory::OutputDirectory(const fs::path& target)
    : target_(without_final_slash(target)),
      fresh_(TempDir::create(parent_of(target_), cat(".", target_.filename().string(), "-"))) {}

void OutputDirectory::write(const std::string& name, std::string_view data) {
  const fs::path path = fresh_.path() / name;
  fs::create_directories(path.parent_path());
  const Fd file = Fd::open(path.string(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  while (!data.empty()) {
    const ssize_t written = ::write(file.get(), data.data(), data.size());
    if (written < 0 && errno != EINTR) throw Error::from_errno("writing", path.string());
    if (written > 0) data.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputDirectory::commit() {
  if (::chmod(fresh_.path().c_str(), 0755) != 0)
    throw Error::from_errno("changing the mode of", fresh_.path().string());
  if (!fs::exists(target_)) {
    if (std::rename(fresh_.path().c_str(), target_.c_str()) != 0)
      throw Error::from_errno("renaming to", target_.string());
    (void)fresh_.release();
    return;
  }
  if (::renameat2(AT_FDCWD, fresh_.path().c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    throw Error::from_errno("exchanging", target_.string());
  }
}

}  // namespace hearth::metadata
