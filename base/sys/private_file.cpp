#include "base/sys/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"

namespace hearth {

void require_private(const fs::path& file, std::string_view if_read) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) throw Error::from_errno("reading", file.string());
  if ((info.st_mode & 077U) == 0) return;
  throw Error(ErrorKind::input, cat(file.string(), ": others than its owner can use this file of secrets"))
      .hint(cat("chmod 600 ", file.string(), ", and ", if_read, " when they may have read it."));
}

std::string read_private_file(const fs::path& file, std::string_view if_read) {
  require_private(file, if_read);
  std::optional<std::string> text = read_small_file(file);
  if (!text) throw Error(ErrorKind::not_found, cat("there is no file ", file.string()));
  return std::move(*text);
}

bool make_private_file(const fs::path& file, std::string_view text) {
  const fs::path fresh = file.string() + "." + random_hex(8);
  {
    const Fd out = Fd::open(fresh.string(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    write_all(out, text, fresh.string());
    struct stat owner {};
    const bool is_roots = ::geteuid() == 0 && ::stat(file.parent_path().c_str(), &owner) == 0;
    // Root of a namespace, in a directory of somebody outside of it, keeps it.
    [[maybe_unused]] const bool given = is_roots && ::fchown(out.get(), owner.st_uid, owner.st_gid) == 0;
    if (::fsync(out.get()) != 0) throw Error::from_errno("writing", fresh.string());
  }
  const bool made = ::link(fresh.c_str(), file.c_str()) == 0;
  const int error = errno;
  (void)::unlink(fresh.c_str());
  sync_directory(file.parent_path());  // what is made from it now must stay true
  if (!made && error != EEXIST) throw Error::from_errno("making", file.string(), error);
  return made;
}

FileLock lock_private_file(const fs::path& file, std::chrono::milliseconds patience) {
  const fs::path directory = fs::weakly_canonical(file).parent_path();
  std::optional<FileLock> lock = FileLock::try_acquire(directory, patience);
  if (lock) return std::move(*lock);
  throw Error(ErrorKind::io, cat(FileLock::holder(directory), " is changing ", file.string(), ", and has not ended"))
      .hint("Nothing was done. Try again when it has ended.");
}

void rewrite_private_file(const fs::path& file, std::string_view text) {
  const fs::path real = fs::weakly_canonical(file);
  FileAttributes attributes{.mode = 0600, .uid = {}, .gid = {}};
  struct stat owner {};
  if (::geteuid() == 0 && (::stat(real.c_str(), &owner) == 0 || ::stat(real.parent_path().c_str(), &owner) == 0)) {
    attributes.uid = owner.st_uid;
    attributes.gid = owner.st_gid;
  }
  RealFileSystem().write(real, text, attributes);
}

}  // namespace hearth
