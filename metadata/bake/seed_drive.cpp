#include "metadata/bake/seed_drive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

using Archive = std::unique_ptr<archive, decltype(&archive_write_free)>;
using ArchiveEntry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

void check_drive(archive* out, int code) {
  if (code < ARCHIVE_OK)
    throw Error(ErrorKind::external,
                cat("writing an ISO image: ", archive_error_string(out) == nullptr ? "" : archive_error_string(out)));
}

la_ssize_t append(archive*, void* out, const void* data, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

ArchiveEntry entry_for(const std::string& name, bool directory, std::size_t size) {
  ArchiveEntry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_filetype(entry.get(), directory ? AE_IFDIR : AE_IFREG);
  archive_entry_set_perm(entry.get(), directory ? 0755 : 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
  archive_entry_set_mtime(entry.get(), 0, 0);
  return entry;
}

/// All directories above the files, outer ones first.
std::set<std::string> directories_of(const std::vector<SeedFile>& files) {
  std::set<std::string> found;
  for (const SeedFile& file : files) {
    for (std::size_t slash = file.name.find('/'); slash != std::string::npos; slash = file.name.find('/', slash + 1))
      found.insert(file.name.substr(0, slash));
  }
  return found;
}

}  // namespace

std::string iso_image(const std::vector<SeedFile>& files, const std::string& label) {
  std::string image;
  const Archive out(archive_write_new(), archive_write_free);
  check_drive(out.get(), archive_write_set_format_iso9660(out.get()));
  const std::string options = cat("volume-id=", label, ",joliet=long,rockridge=useful,pad=1");
  check_drive(out.get(), archive_write_set_options(out.get(), options.c_str()));
  check_drive(out.get(), archive_write_open(out.get(), &image, nullptr, append, nullptr));
  for (const std::string& name : directories_of(files))
    check_drive(out.get(), archive_write_header(out.get(), entry_for(name, true, 0).get()));
  for (const SeedFile& file : files) {
    check_drive(out.get(), archive_write_header(out.get(), entry_for(file.name, false, file.data.size()).get()));
    if (archive_write_data(out.get(), file.data.data(), file.data.size()) < 0) check_drive(out.get(), ARCHIVE_FATAL);
  }
  check_drive(out.get(), archive_write_close(out.get()));
  // libarchive writes the label in the letters of ISO 9660 ("CONFIG_2"); readers look for it as it is, as other writers
  // put it: ECMA-119 8.4.7, 32 bytes at 40 in the primary volume descriptor, sector 16.
  constexpr std::size_t k_label = 16 * 2048 + 40;
  image.replace(k_label, 32, label + std::string(32 - std::min<std::size_t>(label.size(), 32), ' '));
  return image;
}

void write_fat_image(const std::vector<SeedFile>& files, const std::string& label, const fs::path& target,
                     CommandRunner& runner) {
  std::size_t bytes = 0;
  for (const SeedFile& file : files) bytes += file.data.size() + 4096;
  const std::size_t kib = std::max<std::size_t>(1024, (bytes / 1024 + 64) * 2);
  const fs::path parent = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  const TempDir work = TempDir::create(parent, ".seed-");
  const std::string image = (work.path() / "image").string();
  (void)run_checked(runner, {.argv = {"mkfs.vfat", "-C", "-n", label, "-i", "48454152", image, std::to_string(kib)}});
  for (const std::string& name : directories_of(files))
    (void)run_checked(runner, {.argv = {"mmd", "-i", image, "::" + name}});
  RealFileSystem disk;
  const fs::path part = work.path() / "part";
  for (const SeedFile& file : files) {
    disk.write(part, file.data, {.mode = 0600});
    (void)run_checked(runner, {.argv = {"mcopy", "-i", image, part.string(), "::" + file.name}});
  }
  disk.write(target, read_file(image), {.mode = 0600});
}

}  // namespace hearth::metadata
