// A FileSystem in memory. fail_write_after(n) makes the (n+1)-th write fail as a full disk would, fail_writes_below(D)
// all writes in a directory.
#pragma once

#include <cerrno>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::fakes {

class MemoryFileSystem final : public FileSystem {
 public:
  struct File {
    std::string data;
    FileAttributes attributes;
  };
  std::map<std::string, File> files;
  std::set<std::string> directories = {"/"};

  void put(const std::string& path, std::string data, std::uint32_t mode = 0644) {
    make_directories(fs::path(path).parent_path(), 0755);
    files[path] = {std::move(data), {.mode = mode}};
  }
  void fail_write_after(int writes) { writes_left_ = writes; }
  /// From now on the file system of that directory is full.
  void fail_writes_below(std::string directory) { full_ = std::move(directory); }

  [[nodiscard]] std::optional<std::string> read(const fs::path& path) const override {
    const auto found = files.find(path.string());
    if (found != files.end()) return found->second.data;
    if (is_directory(path)) throw Error::from_errno("reading", path.string(), EISDIR);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<FileStatus> status(const fs::path& path) const override {
    if (directories.count(path.string()) > 0) return FileStatus{FileStatus::Type::directory, 0755, 0, 0, 0};
    const auto found = files.find(path.string());
    if (found == files.end()) return std::nullopt;
    const FileAttributes& attributes = found->second.attributes;
    return FileStatus{FileStatus::Type::regular, attributes.mode, attributes.uid.value_or(0),
                      attributes.gid.value_or(0), found->second.data.size()};
  }

  [[nodiscard]] std::vector<std::string> list(const fs::path& directory) const override {
    std::set<std::string> names;
    for (const auto& [path, file] : files) add_name(names, directory, path);
    for (const std::string& path : directories) add_name(names, directory, path);
    return {names.begin(), names.end()};
  }

  void write(const fs::path& path, std::string_view data, const FileAttributes& attributes) override {
    const bool full = !full_.empty() && path.string().compare(0, full_.size() + 1, full_ + "/") == 0;
    if (writes_left_ == 0 || full) throw Error::from_errno("writing", path.string(), ENOSPC);
    if (writes_left_ > 0) --writes_left_;
    if (is_directory(path)) throw Error::from_errno("renaming to", path.string(), EISDIR);
    if (!is_directory(path.parent_path())) {
      throw Error::from_errno("creating a file in", path.parent_path().string(), ENOENT);
    }
    files[path.string()] = {std::string(data), attributes};
  }

  void make_directories(const fs::path& path, std::uint32_t mode) override {
    if (path.empty() || is_directory(path)) return;
    if (files.count(path.string()) > 0) throw Error::from_errno("creating the directory", path.string(), EEXIST);
    if (files.count(path.parent_path().string()) > 0) {
      throw Error::from_errno("creating the directory", path.string(), ENOTDIR);
    }
    make_directories(path.parent_path(), mode);
    directories.insert(path.string());
  }

  void remove(const fs::path& path) override {
    if (is_directory(path) && !list(path).empty()) throw Error::from_errno("removing", path.string(), ENOTEMPTY);
    files.erase(path.string());
    directories.erase(path.string());
  }

 private:
  [[nodiscard]] bool is_directory(const fs::path& path) const { return directories.count(path.string()) > 0; }
  static void add_name(std::set<std::string>& names, const fs::path& directory, const std::string& path) {
    if (path != "/" && fs::path(path).parent_path() == directory) names.insert(fs::path(path).filename().string());
  }
  int writes_left_ = -1;
  std::string full_;
};

}  // namespace hearth::fakes
