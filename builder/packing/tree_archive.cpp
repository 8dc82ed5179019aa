#include "builder/packing/tree_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/filesystem/directory.hpp>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// libarchive writes names that are not ASCII only under a UTF-8 locale. This thread has one while the object lives.
class Utf8Locale {
 public:
  Utf8Locale() : before_(::uselocale(shared())) {}
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() { ::uselocale(before_); }

 private:
  /// Of all threads, and never freed. Null, which changes nothing, where the system has none.
  static locale_t shared() {
    static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
  }

  locale_t before_;
};

struct FreeArchive {
  void operator()(archive* writer) const { ::archive_write_free(writer); }
};
struct FreeTreeReader {
  void operator()(archive* reader) const { ::archive_read_free(reader); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};
using ArchiveEntry = std::unique_ptr<archive_entry, FreeEntry>;

class TreeArchiver {
 public:
  TreeArchiver(const fs::path& tree, int fd, const ArchiveOptions& options)
      : tree_(tree), options_(options), writer_(::archive_write_new()), reader_(::archive_read_disk_new()) {
    ::archive_write_set_format_pax_restricted(writer_.get());
    if (options.compression == Compression::gzip) {
      ::archive_write_add_filter_gzip(writer_.get());
      check(::archive_write_set_options(writer_.get(), "gzip:compression-level=9,gzip:!timestamp"));
    }
    if (options.compression == Compression::zstd) {
      ::archive_write_add_filter_zstd(writer_.get());
      check(::archive_write_set_options(writer_.get(), "zstd:compression-level=9"));
    }
    ::archive_write_set_bytes_in_last_block(writer_.get(), 1);
    ::archive_read_disk_set_symlink_physical(reader_.get());
    ::archive_read_disk_set_behavior(reader_.get(), ARCHIVE_READDISK_NO_FFLAGS);
    check(::archive_write_open_fd(writer_.get(), fd));
  }

  void run() {
    add(tree_, options_.prefix);
    if (!options_.manifest.empty()) add(options_.manifest, "manifest");
    check(::archive_write_close(writer_.get()));
  }

 private:
  void check(int code) const {
    if (code >= ARCHIVE_WARN) return;
    if (const int error_number = ::archive_errno(writer_.get()); error_number > 0) {
      throw Error::from_errno("writing", "the archive", error_number);
    }
    const char* const why = ::archive_error_string(writer_.get());
    throw Error(ErrorKind::io, cat("writing the archive: ", why != nullptr ? why : "failed"));
  }

  void add(const fs::path& path, const std::string& name) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) throw Error::from_errno("reading", path.string());
    if (S_ISSOCK(status.st_mode) || !holds(name)) return;
    write_entry(path, name, status);
    if (S_ISDIR(status.st_mode) && !is_kernels(name)) add_members(path, name);
  }

  [[nodiscard]] bool holds(const std::string& name) const {
    if (!options_.holds) return true;
    return options_.holds(name.size() == options_.prefix.size() ? "" : name.substr(options_.prefix.size() + 1));
  }

  /// Directories whose contents are the running kernel's.
  [[nodiscard]] bool is_kernels(const std::string& name) const {
    if (options_.whole) return false;
    return name == cat(options_.prefix, "/dev") || name == cat(options_.prefix, "/proc") ||
           name == cat(options_.prefix, "/sys");
  }

  void add_members(const fs::path& directory, const std::string& name) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& each : names) add(directory / each, cat(name, "/", each));
  }

  void write_entry(const fs::path& path, const std::string& name, const struct stat& status) {
    const ArchiveEntry entry(::archive_entry_new());
    ::archive_entry_copy_pathname(entry.get(), name.c_str());
    ::archive_entry_copy_sourcepath(entry.get(), path.c_str());
    if (::archive_read_disk_entry_from_file(reader_.get(), entry.get(), -1, &status) < ARCHIVE_WARN) {
      throw Error(ErrorKind::io, cat("reading ", path.string(), ": ", ::archive_error_string(reader_.get())));
    }
    make_reproducible(entry.get(), status);
    const bool first = note_hard_link(entry.get(), name, status);
    if (first && has_holes(status)) note_holes(entry.get(), path, status);
    check(::archive_write_header(writer_.get(), entry.get()));
    if (first && S_ISREG(status.st_mode)) write_data(path);
  }

  void make_reproducible(archive_entry* entry, const struct stat& status) const {
    const bool bare = options_.bare_directories && S_ISDIR(status.st_mode);
    const std::int64_t modified = bare ? 0 : std::min<std::int64_t>(status.st_mtim.tv_sec, options_.epoch);
    ::archive_entry_set_mtime(entry, modified, 0);
    ::archive_entry_unset_atime(entry);
    ::archive_entry_unset_ctime(entry);
    ::archive_entry_unset_birthtime(entry);
    ::archive_entry_copy_uname(entry, nullptr);
    ::archive_entry_copy_gname(entry, nullptr);
    ::archive_entry_sparse_clear(entry);
    ::archive_entry_set_dev(entry, 0);
    ::archive_entry_set_ino64(entry, 0);
    ::archive_entry_set_nlink(entry, 1);
  }

  /// False when the file was written before under another name: then only the link is written.
  bool note_hard_link(archive_entry* entry, const std::string& name, const struct stat& status) {
    if (S_ISDIR(status.st_mode) || status.st_nlink < 2) return true;
    const auto [first, fresh] = links_.emplace(std::pair(status.st_dev, status.st_ino), name);
    if (fresh) return true;
    ::archive_entry_copy_hardlink(entry, first->second.c_str());
    ::archive_entry_unset_size(entry);
    return false;
  }

  static bool has_holes(const struct stat& status) {
    return S_ISREG(status.st_mode) && status.st_blocks * 512 < status.st_size;
  }

  /// Where a file with holes holds something else than zeros, block by block: what the file system calls a hole depends
  /// on its own habits, and the archive must not.
  void note_holes(archive_entry* entry, const fs::path& path, const struct stat& status) {
    constexpr std::int64_t block = 4096;
    const Fd file = Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
    std::int64_t at = 0;
    std::int64_t begin = -1;  // of the data that is being collected
    while (at < status.st_size) {
      const ssize_t got = ::pread(file.get(), buffer_.data(), block, at);
      if (got <= 0) throw Error::from_errno("reading", path.string());
      const bool zero = std::all_of(buffer_.begin(), buffer_.begin() + got, [](char c) { return c == 0; });
      if (!zero && begin < 0) begin = at;
      if (zero && begin >= 0) {
        ::archive_entry_sparse_add_entry(entry, begin, at - begin);
        begin = -1;
      }
      at += got;
    }
    if (begin >= 0) ::archive_entry_sparse_add_entry(entry, begin, status.st_size - begin);
    if (::archive_entry_sparse_count(entry) == 0) ::archive_entry_sparse_add_entry(entry, status.st_size, 0);
  }

  void write_data(const fs::path& path) {
    const Fd file = Fd::open(path.string(), O_RDONLY | O_NOFOLLOW);
    while (true) {
      const ssize_t got = ::read(file.get(), buffer_.data(), buffer_.size());
      if (got < 0) throw Error::from_errno("reading", path.string());
      if (got == 0) return;
      if (::archive_write_data(writer_.get(), buffer_.data(), static_cast<std::size_t>(got)) < 0) check(ARCHIVE_FATAL);
    }
  }

  const fs::path& tree_;
  const ArchiveOptions& options_;
  std::unique_ptr<archive, FreeArchive> writer_;
  std::unique_ptr<archive, FreeTreeReader> reader_;
  std::map<std::pair<dev_t, ino_t>, std::string> links_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 18U);
};

}  // namespace

void stream_tree_archive(const fs::path& tree, int fd, const ArchiveOptions& options) {
  const Utf8Locale locale;
  TreeArchiver(tree, fd, options).run();
}

void write_tree_archive(const fs::path& tree, const fs::path& target, const ArchiveOptions& options) {
  AtomicFile file = AtomicFile::create(target);
  stream_tree_archive(tree, file.fd().get(), options);
  file.commit();
}

}  // namespace hearth::builder
