// Whole files. FileSystem is the seam: deciding code takes it, tests give a MemoryFileSystem (tests/fakes) that can
// fail on the n-th write. AtomicFile is how anything that others read gets written: complete and fsynced, or not at
// all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

struct FileStatus {
  enum class Type { regular, directory, symlink, other };
  Type type = Type::other;
  std::uint32_t mode = 0;  ///< permission bits, 07777
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch
};

/// Mode and, where set, owner of a file to be written.
struct FileAttributes {
  std::uint32_t mode = 0644;
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  /// The contents; nothing when there is no such file. Other failures throw.
  [[nodiscard]] virtual std::optional<std::string> read(const fs::path& path) const = 0;
  /// Follows links; nothing when there is no such file.
  [[nodiscard]] virtual std::optional<FileStatus> status(const fs::path& path) const = 0;
  /// Names in a directory, sorted bytewise; empty when there is no such directory.
  [[nodiscard]] virtual std::vector<std::string> list(const fs::path& directory) const = 0;
};

/// Whether there is such a one, links followed.
[[nodiscard]] bool is_directory(const FileReader& files, const fs::path& path);
[[nodiscard]] bool is_regular_file(const FileReader& files, const fs::path& path);

class FileSystem : public FileReader {
 public:
  /// Replaces `path` atomically: temporary file beside it, fsync, owner, mode, rename. Parents must exist.
  virtual void write(const fs::path& path, std::string_view data, const FileAttributes& attributes) = 0;
  /// Creates the directory and its parents with `mode` & ~umask; existing ones stay as they are.
  virtual void make_directories(const fs::path& path, std::uint32_t mode) = 0;
  /// Removes a file or an empty directory; a missing one is fine.
  virtual void remove(const fs::path& path) = 0;
};

class RealFileSystem final : public FileSystem {
 public:
  [[nodiscard]] std::optional<std::string> read(const fs::path& path) const override;
  [[nodiscard]] std::optional<FileStatus> status(const fs::path& path) const override;
  [[nodiscard]] std::vector<std::string> list(const fs::path& directory) const override;
  void write(const fs::path& path, std::string_view data, const FileAttributes& attributes) override;
  void make_directories(const fs::path& path, std::uint32_t mode) override;
  void remove(const fs::path& path) override;
};

/// A file that appears under its name only at commit(). It has no name before (O_TMPFILE), so that not even SIGKILL
/// leaves a partial file; where the file system can't do that, a hidden temporary name beside the target is used.
class AtomicFile {
 public:
  /// Throws when the directory of `target` is missing or not writable.
  [[nodiscard]] static AtomicFile create(const fs::path& target, std::uint32_t mode = 0644);
  AtomicFile(AtomicFile&& other) noexcept
      : target_(std::move(other.target_)),
        fd_(std::move(other.fd_)),
        temporary_(std::exchange(other.temporary_, fs::path())) {}
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  [[nodiscard]] const Fd& fd() const { return fd_; }
  /// A path under which another program can open this file while it has no name of its own.
  [[nodiscard]] std::string proc_path() const;
  /// sync(), take_name(), then fsync of the directory.
  void commit();

  // For many files at once (write_together()), whose caller syncs each before it gets any name, and the directories
  // after that.

  void sync() const;
  /// Closes it: it waits under a hidden name, which is left behind when this process is killed.
  void park();
  /// Whatever may need room on the disk for take_name(): the target's name where nobody has it, else a hidden one. It
  /// goes with this object as long as take_name() was not called.
  void prepare_name();
  /// Takes the target's name (replacing what was there) and closes it.
  void take_name();

 private:
  /// Gives a file without a name one that nobody has; false when somebody has it.
  [[nodiscard]] bool link_as(const fs::path& name) const;
  void take_hidden_name();

  AtomicFile(fs::path target, Fd fd, fs::path temporary)
      : target_(std::move(target)), fd_(std::move(fd)), temporary_(std::move(temporary)) {}
  fs::path target_;
  Fd fd_;
  fs::path temporary_;  ///< what goes with this object: a hidden name, or the target's while it may be taken back
};

/// A directory that is removed with everything in it when the object goes. For private scratch only.
class TempDir {
 public:
  [[nodiscard]] static TempDir create(const fs::path& parent, std::string_view prefix);
  TempDir(TempDir&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();
  [[nodiscard]] const fs::path& path() const { return path_; }
  /// Keeps the directory; returns its path.
  [[nodiscard]] fs::path release();

 private:
  explicit TempDir(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

/// A file of keys, tokens or the like; nothing when there is none. One of more than 1 MiB is refused before it is read.
[[nodiscard]] std::optional<std::string> read_small_file(const fs::path& path);
/// The whole file; throws Error(not_found) when there is none.
[[nodiscard]] std::string read_file(const fs::path& path);

}  // namespace hearth
