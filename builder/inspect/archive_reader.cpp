#include "builder/inspect/file_tree.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_largest_text = std::size_t{64} << 20U;
constexpr std::size_t k_archive_read = std::size_t{1} << 18U;

struct FreeReader {
  void operator()(archive* reader) const { ::archive_read_free(reader); }
};

char entry_kind(mode_t mode) {
  if (S_ISDIR(mode)) return 'd';
  if (S_ISLNK(mode)) return 'l';
  if (S_ISBLK(mode)) return 'b';
  if (S_ISCHR(mode)) return 'c';
  if (S_ISFIFO(mode)) return 'p';
  return S_ISSOCK(mode) ? 's' : 'f';
}

class ArchiveHandle {
 public:
  ArchiveHandle(int fd, const std::string& name) : name_(name), reader_(::archive_read_new()) {
    ::archive_read_support_filter_all(reader_.get());
    ::archive_read_support_format_all(reader_.get());
    check(::archive_read_open_fd(reader_.get(), fd, k_archive_read));
  }

  FileTree run() {
    archive_entry* entry = nullptr;
    while (true) {
      const int code = ::archive_read_next_header(reader_.get(), &entry);
      if (code == ARCHIVE_EOF) return std::move(tree_);
      check(code);
      add(entry);
    }
  }

 private:
  void check(int code) const {
    if (code >= ARCHIVE_WARN) return;
    const char* const why = ::archive_error_string(reader_.get());
    throw Error(ErrorKind::input, cat("reading ", name_, ": ", why != nullptr ? why : "failed"));
  }

  std::string path_of(const char* name) const {
    const std::optional<std::string> path = normal_path(name == nullptr ? "" : name);
    if (path) return *path;
    throw Error(ErrorKind::input, cat(name_, ": the entry ", name, " leads out of the archive"))
        .hint("An archive with such entries is damaged or means harm; nothing of it was used.");
  }

  void add(archive_entry* source) {
    const std::string path = path_of(::archive_entry_pathname(source));
    if (const char* const target = ::archive_entry_hardlink(source)) {
      const std::string first = path_of(target);
      const auto linked = tree_.entries.find(first);
      if (linked == tree_.entries.end()) {
        throw Error(ErrorKind::input,
                    cat(name_, ": ", path, " is a hard link to ", first, ", which is not there before it"));
      }
      tree_.entries[path] = linked->second;
      if (const auto text = tree_.texts.find(first); text != tree_.texts.end() && keep_text(path)) {
        tree_.texts[path] = text->second;
      }
      return;
    }
    TreeEntry entry{.kind = entry_kind(::archive_entry_mode(source)),
                    .mode = static_cast<std::uint32_t>(::archive_entry_perm(source)),
                    .uid = static_cast<std::uint32_t>(::archive_entry_uid(source)),
                    .gid = static_cast<std::uint32_t>(::archive_entry_gid(source)),
                    .time = ::archive_entry_mtime(source)};
    read_content(source, path, entry);
    read_attributes(source, entry);
    tree_.entries[path] = std::move(entry);
  }

  void read_content(archive_entry* source, const std::string& path, TreeEntry& entry) {
    if (entry.kind == 'l') {
      const char* const target = ::archive_entry_symlink(source);
      entry.content = target != nullptr ? target : "";
    } else if (entry.kind == 'b' || entry.kind == 'c') {
      entry.content = cat(::archive_entry_rdevmajor(source), ":", ::archive_entry_rdevminor(source));
    } else if (entry.kind == 'f') {
      Hasher hasher(HashKind::sha256);
      std::string text;
      const bool keep = keep_text(path);
      while (true) {
        const la_ssize_t got = ::archive_read_data(reader_.get(), buffer_.data(), buffer_.size());
        StopSignals::check();
        if (got < 0) check(ARCHIVE_FATAL);
        if (got <= 0) break;
        const std::string_view piece(buffer_.data(), static_cast<std::size_t>(got));
        hasher.update(piece);
        entry.size += piece.size();
        if (keep && text.size() + piece.size() <= k_largest_text) text += piece;
      }
      entry.content = hasher.hex_digest();
      if (keep) tree_.texts[path] = std::move(text);
    }
  }

  static void read_attributes(archive_entry* source, TreeEntry& entry) {
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    ::archive_entry_xattr_reset(source);
    while (::archive_entry_xattr_next(source, &name, &value, &size) == ARCHIVE_OK) {
      entry.attributes[name] = std::string(static_cast<const char*>(value), size);
    }
    if (::archive_entry_acl_count(source, ARCHIVE_ENTRY_ACL_TYPE_ACCESS | ARCHIVE_ENTRY_ACL_TYPE_DEFAULT) == 0) return;
    const std::unique_ptr<char, decltype(&::free)> text(
        ::archive_entry_acl_to_text(source, nullptr, ARCHIVE_ENTRY_ACL_STYLE_EXTRA_ID), &::free);
    if (text) entry.attributes["acl"] = text.get();
  }

  const std::string& name_;
  std::unique_ptr<archive, FreeReader> reader_;
  std::vector<char> buffer_ = std::vector<char>(k_archive_read);
  FileTree tree_;
};

}  // namespace

FileTree read_archive(int fd, const std::string& name) { return ArchiveHandle(fd, name).run(); }

FileTree read_archive(const fs::path& file) {
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  return read_archive(fd.get(), file.string());
}

}  // namespace hearth::builder
