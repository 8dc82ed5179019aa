#include "builder/disk/ext/ext_file_system.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

std::string ext_error_text(errcode_t code) {
  static const bool is_loaded = [] {
    ::initialize_ext2_error_table();
    return true;
  }();
  static_cast<void>(is_loaded);
  return ::error_message(code);
}

void check_ext(errcode_t code, std::string_view what) {
  if (code != 0) throw Error(ErrorKind::io, cat(what, " of the new ext file system: ", ext_error_text(code)));
}

ExtFileSystem::ExtFileSystem(const fs::path& image, std::uint64_t offset) {
  const std::string options = cat("offset=", offset);
  check_ext(
      ::ext2fs_open2(image.c_str(), options.c_str(), EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs_),
      "opening");
}

ExtFileSystem::~ExtFileSystem() {
  if (fs_ != nullptr) ::ext2fs_free(fs_);
}

void ExtFileSystem::close() { check_ext(::ext2fs_close_free(&fs_), "writing"); }

}  // namespace hearth::builder
