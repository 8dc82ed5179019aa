#include "builder/disk/copy/sorted_copy.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/limits.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/image_size.hpp"
#include "builder/packing/pipe_stage.hpp"
#include "builder/packing/tree_archive.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_archive_read = std::size_t{1} << 20U;

struct FreeReader {
  void operator()(archive* reader) const { ::archive_read_free(reader); }
};
struct FreeWriter {
  void operator()(archive* writer) const { ::archive_write_free(writer); }
};

void check(int result, archive* handle, const fs::path& directory) {
  if (result >= ARCHIVE_WARN) return;
  throw Error(ErrorKind::external,
              cat("copying the tree to ", directory.string(), ": ", ::archive_error_string(handle)));
}

/// The member at its place below `directory`, which is the tree's own root for ".".
void put_in_place(archive_entry* entry, const fs::path& directory) {
  ::archive_entry_set_pathname(entry, (directory / ::archive_entry_pathname(entry)).c_str());
  if (const char* const target = ::archive_entry_hardlink(entry)) {
    ::archive_entry_set_hardlink(entry, (directory / target).c_str());
  }
}

void copy_data(archive* reader, archive* writer, const fs::path& directory) {
  const void* data = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  for (int result = 0; (result = ::archive_read_data_block(reader, &data, &size, &offset)) != ARCHIVE_EOF;) {
    check(result, reader, directory);
    if (::archive_write_data_block(writer, data, size, offset) < 0) check(ARCHIVE_FATAL, writer, directory);
  }
}

}  // namespace

void unpack_tree_stream(int fd, const fs::path& directory) {
  const std::unique_ptr<archive, FreeReader> reader(::archive_read_new());
  const std::unique_ptr<archive, FreeWriter> writer(::archive_write_disk_new());
  ::archive_read_support_format_tar(reader.get());
  ::archive_write_disk_set_options(writer.get(), ARCHIVE_EXTRACT_OWNER | ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME |
                                                     ARCHIVE_EXTRACT_ACL | ARCHIVE_EXTRACT_XATTR |
                                                     ARCHIVE_EXTRACT_FFLAGS | ARCHIVE_EXTRACT_UNLINK);
  check(::archive_read_open_fd(reader.get(), fd, k_archive_read), reader.get(), directory);
  archive_entry* entry = nullptr;
  for (int result = 0; (result = ::archive_read_next_header(reader.get(), &entry)) != ARCHIVE_EOF;) {
    check(result, reader.get(), directory);
    put_in_place(entry, directory);
    check(::archive_write_header(writer.get(), entry), writer.get(), directory);
    copy_data(reader.get(), writer.get(), directory);
    check(::archive_write_finish_entry(writer.get()), writer.get(), directory);
  }
  check(::archive_write_close(writer.get()), writer.get(), directory);
}

SortedCopy SortedCopy::of(const fs::path& tree, const fs::path& scratch) {
  if (measure_tree(tree).bytes > available_memory() / 2) return {tree, false};
  const fs::path at = scratch / cat("sorted-", random_hex(6));
  if (::mkdir(at.c_str(), 0755) != 0) throw Error::from_errno("creating", at.string());
  if (::mount("tmpfs", at.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=90%,nr_inodes=0") != 0) {
    const Error error = Error::from_errno("mounting memory at", at.string());
    ::rmdir(at.c_str());
    throw error;
  }
  SortedCopy copy(at, true);
  PipeStage unpacker([&](const Fd& in) { unpack_tree_stream(in.get(), at); });
  stream_tree_archive(tree, unpacker.input(),
                      {.compression = Compression::none,
                       .epoch = std::numeric_limits<std::int64_t>::max(),
                       .prefix = ".",
                       .manifest = {},
                       .whole = true});
  unpacker.finish();
  return copy;
}

SortedCopy::SortedCopy(SortedCopy&& other) noexcept
    : path_(std::move(other.path_)), mounted_(std::exchange(other.mounted_, false)) {}

SortedCopy::~SortedCopy() {
  if (!mounted_) return;
  ::umount2(path_.c_str(), MNT_DETACH);
  ::rmdir(path_.c_str());
}

}  // namespace hearth::builder
