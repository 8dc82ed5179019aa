// An ext file system in an image, opened with libext2fs to be changed.
#pragma once

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/path.hpp"

namespace hearth::builder {

/// What the library says of an error: it has words only for who loads them, and else "Unknown code ext2 152".
[[nodiscard]] std::string ext_error_text(errcode_t code);

/// Throws Error(io) saying what failed, unless `code` is 0.
void check_ext(errcode_t code, std::string_view what);

/// close() writes superblocks and bitmaps back; without it nothing of them changes.
class ExtFileSystem {
 public:
  ExtFileSystem(const fs::path& image, std::uint64_t offset);
  ExtFileSystem(const ExtFileSystem&) = delete;
  ExtFileSystem& operator=(const ExtFileSystem&) = delete;
  ~ExtFileSystem();
  [[nodiscard]] ext2_filsys get() const { return fs_; }
  void close();

 private:
  ext2_filsys fs_ = nullptr;
};

}  // namespace hearth::builder
