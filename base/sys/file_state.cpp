#include "base/sys/file_state.hpp"

#include <sys/stat.h>

#include "base/text.hpp"

namespace hearth {

std::string file_state(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "";
  return cat(info.st_ino, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec, " ", info.st_size, " ");
}

std::string file_identity(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "";
  return cat(info.st_dev, " ", info.st_ino);
}

}  // namespace hearth
