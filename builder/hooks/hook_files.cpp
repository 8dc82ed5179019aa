#include "builder/hooks/hook_files.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/hooks/own_files.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint32_t k_permissions = 0777;

bool is_real_directory(const fs::path& path) { return fs::is_directory(fs::symlink_status(path)); }

/// An overlay's mark for what was taken away.
bool is_whiteout(const struct stat& status) { return S_ISCHR(status.st_mode) && status.st_rdev == 0; }

/// Of a directory that was taken away and made again.
bool is_opaque(const fs::path& directory) {
  char mark = 0;
  return ::lgetxattr(directory.c_str(), "user.overlay.opaque", &mark, 1) == 1 && mark == 'y';
}

class HookFiles {
 public:
  HookFiles(const fs::path& image, const std::vector<fs::path>& outputs)
      : directory_(image.parent_path()), image_(image.filename().string()) {
    for (const fs::path& output : outputs) outputs_.insert(output.filename().string());
    for (const std::string& name : RealFileSystem().list(directory_)) {
      const bool has_own = name.ends_with(".d") && is_real_directory(directory_ / name);
      if (has_own && name.size() > own().size() && is_beside(name, image_))
        others_.push_back(name.substr(0, name.size() - 2));
    }
  }

  void take_all(const fs::path& written) {
    for (const std::string& name : RealFileSystem().list(written)) {
      if (const std::string why = why_not(written / name); !why.empty()) {
        left_.push_back(cat((directory_ / name).string(), " is not kept: ", why));
      } else {
        take(written / name, directory_ / name);
      }
    }
  }
  [[nodiscard]] const std::vector<std::string>& left() const { return left_; }

 private:
  [[nodiscard]] std::string own() const { return cat(image_, ".d"); }

  [[nodiscard]] std::string why_not(const fs::path& file) const {
    const std::string name = file.filename().string();
    if (!is_beside(name, image_)) return cat("it is not named ", image_, ".x or ", image_, "-x");
    if (outputs_.contains(name)) return "the builder writes it";
    if (name.ends_with(".log") && fs::exists(fs::symlink_status(directory_ / name))) return "a log is there";
    for (const std::string& other : others_) {
      if (is_beside(name, other)) return cat("it is of the image ", other);
    }
    if (name != own() && name.ends_with(".d") && is_real_directory(file)) return "another image's files lie there";
    return "";
  }

  void take(const fs::path& from, const fs::path& to) {
    struct stat status {};
    if (::lstat(from.c_str(), &status) != 0) throw Error::from_errno("looking at", from.string());
    const bool is_own_file = to.parent_path() == directory_ / own() && is_own(to.filename().string());
    if (is_own_file) return left_.push_back(cat(to.string(), " is not kept: the builder writes it"));
    if (S_ISDIR(status.st_mode)) {
      take_directory(from, to, status.st_mode & k_permissions);
    } else if (S_ISREG(status.st_mode)) {
      take_file(from, to, status.st_mode & k_permissions);
    } else if (is_whiteout(status)) {
      remove(to);
    } else {
      left_.push_back(cat(to.string(), " is not kept: it is no file"));
    }
  }

  void take_directory(const fs::path& from, const fs::path& to, std::uint32_t mode) {
    if (is_opaque(from) || !is_real_directory(to)) remove(to);
    const bool is_new = !is_real_directory(to);
    RealFileSystem().make_directories(to, 0700);
    if (is_new && ::chmod(to.c_str(), mode | 0700U) != 0) throw Error::from_errno("writing", to.string());
    for (const std::string& name : RealFileSystem().list(from)) take(from / name, to / name);
  }

  void take_file(const fs::path& from, const fs::path& to, std::uint32_t mode) {
    if (is_real_directory(to)) remove(to);
    AtomicFile file = AtomicFile::create(to);
    copy_sparse(from, file.proc_path(), 0);
    if (::ftruncate(file.fd().get(), static_cast<off_t>(fs::file_size(from))) != 0 ||
        ::fchmod(file.fd().get(), mode) != 0) {
      throw Error::from_errno("writing", to.string());
    }
    file.commit();
  }

  /// NAME.d itself, with the builder's files, stays.
  void remove(const fs::path& path) {
    if (path != directory_ / own()) {
      fs::remove_all(path);
      return;
    }
    for (const std::string& name : RealFileSystem().list(path)) {
      if (!is_own(name)) fs::remove_all(path / name);
    }
  }

  fs::path directory_;
  std::string image_;
  std::set<std::string> outputs_;
  std::vector<std::string> others_;  ///< stems of other images whose names begin with this one's
  std::vector<std::string> left_;
};

}  // namespace

std::vector<std::string> take_hook_files(const fs::path& written, const fs::path& image,
                                         const std::vector<fs::path>& outputs) {
  HookFiles files(image, outputs);
  files.take_all(written);
  return files.left();
}

}  // namespace hearth::builder
