#include "builder/target/settled_clones.hpp"

#include <boost/filesystem/directory.hpp>
#include <boost/filesystem/operations.hpp>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_order.hpp"
#include "base/hash.hpp"
#include "base/hex.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {

namespace {

// gitformat-index(5): "DIRC", version, count; then entries, each with 40 bytes of which all but the mode are stat(2)'s.
constexpr std::size_t k_index_head = 12;
constexpr std::size_t k_stat_bytes = 40;
constexpr std::size_t k_mode_at = 24;
constexpr std::uint64_t k_is_extended = 0x4000;  // of the flags: two bytes more follow

/// How many bytes a digest of the repository has, by the one that ends the index; 0 where it is none of what stands
/// before.
std::size_t hash_bytes(std::string_view index) {
  for (const auto& [kind, size] :
       {std::pair{HashKind::sha1, std::size_t{20}}, std::pair{HashKind::sha256, std::size_t{32}}}) {
    if (index.size() < k_index_head + size) continue;
    const std::string_view content = index.substr(0, index.size() - size);
    if (to_hex(index.substr(content.size())) == hex_digest(kind, content)) return size;
  }
  return 0;
}

/// The entry's end, or nothing where it is not whole.
std::optional<std::size_t> entry_end(std::string_view index, std::size_t entry, std::uint64_t version,
                                     std::size_t hash) {
  const std::size_t flags = entry + k_stat_bytes + hash;
  std::size_t name = flags + 2;
  if (version >= 3 && (get_be(index, flags, 2) & k_is_extended) != 0) name += 2;
  if (version == 4) {  // how much of the name before it is left, in bytes of seven bits
    while (name < index.size() && (static_cast<unsigned char>(index[name]) & 0x80U) != 0) ++name;
    ++name;
  }
  const std::size_t end = index.find('\0', std::min(name, index.size()));
  if (end == std::string_view::npos) return std::nullopt;
  return version == 4 ? end + 1 : entry + ((end - entry) / 8 + 1) * 8;
}

/// The same without what the file system said; nothing where it is not what git writes.
std::optional<std::string> settled_index(std::string index) {
  const std::size_t hash = hash_bytes(index);
  const std::uint64_t version = get_be(index, 4, 4);
  if (hash == 0 || !index.starts_with("DIRC") || version < 2 || version > 4) return std::nullopt;
  const std::size_t content = index.size() - hash;
  std::size_t at = k_index_head;
  for (std::uint64_t left = get_be(index, 8, 4); left > 0; --left) {
    const auto end = entry_end(std::string_view(index).substr(0, content), at, version, hash);
    if (!end || *end > content) return std::nullopt;
    const std::string mode = index.substr(at + k_mode_at, 4);
    index.replace(at, k_stat_bytes, k_stat_bytes, '\0').replace(at + k_mode_at, 4, mode);
    at = *end;
  }
  const HashKind kind = hash == 20 ? HashKind::sha1 : HashKind::sha256;
  return index.replace(content, hash, from_hex(hex_digest(kind, std::string_view(index).substr(0, content))));
}

bool is_itself(const fs::path& path, fs::file_type type) { return fs::symlink_status(path).type() == type; }

/// Of gitrepository-layout(5), what each of them has.
bool is_git_directory(const fs::path& path) {
  return is_itself(path / "HEAD", fs::regular_file) && is_itself(path / "objects", fs::directory_file) &&
         is_itself(path / "refs", fs::directory_file);
}

void settle_clone(const fs::path& directory) {
  if (is_itself(directory / "logs", fs::directory_file)) fs::remove_all(directory / "logs");
  const fs::path index = directory / "index";
  if (!is_itself(index, fs::regular_file)) return;
  const auto settled = settled_index(RealFileSystem().read(index).value_or(""));
  if (!settled) return;
  write_all(Fd::open(index.string(), O_WRONLY | O_NOFOLLOW), *settled,
            index.string());  // of the same size; owner and mode stay
}

}  // namespace

void settle_clones(const fs::path& root) {
  std::vector<fs::path> found;
  fs::recursive_directory_iterator at(root);
  for (const fs::recursive_directory_iterator end; at != end; ++at) {
    if (at->path().filename() == "HEAD" && is_git_directory(at->path().parent_path()))
      found.push_back(at->path().parent_path());
  }
  for (const fs::path& directory : found) settle_clone(directory);
}

}  // namespace hearth::builder
