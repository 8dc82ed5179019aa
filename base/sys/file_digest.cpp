#include "base/sys/file_digest.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_piece = std::size_t{256} << 10U;

/// So that no name or target looks like an end of it, or of its line.
std::string name_in_line(const std::string& name) {
  std::string escaped;
  for (const char c : name)
    escaped += c == '\n' ? std::string("\\n") : c == '\\' || c == ' ' ? cat("\\", c) : std::string(1, c);
  return escaped;
}

enum class Links { followed_out, as_they_are };

std::string digest_of(const fs::path& directory, Links links);

/// What a link runs that leads out of the directory: nothing else speaks for it.
std::string beyond(const fs::path& directory, const fs::path& link) {
  boost::system::error_code failed;
  const fs::path led = fs::canonical(link, failed);
  const bool is_around = link.string().starts_with(cat(led.string(), "/")) || led == led.root_path();
  if (failed || is_around || led.string().starts_with(cat(fs::canonical(directory).string(), "/"))) return "";
  if (fs::is_regular_file(led)) return cat(" ", digest_file(led).sha256);
  return fs::is_directory(led) ? cat(" ", digest_of(led, Links::as_they_are)) : "";
}

/// "x run.sh DIGEST", "- data DIGEST", "l link TARGET", "d empty" for one entry.
std::string entry_line(const fs::path& directory, const fs::path& entry, Links links) {
  const std::string name = name_in_line(entry.lexically_relative(directory).string());
  const fs::file_status status = fs::symlink_status(entry);
  if (fs::is_symlink(status))
    return cat("l ", name, " ", name_in_line(fs::read_symlink(entry).string()),
               links == Links::followed_out ? beyond(directory, entry) : "");
  if (fs::is_directory(status)) return cat("d ", name);
  if (!fs::is_regular_file(status)) return cat("o ", name);
  const bool executable = (status.permissions() & fs::owner_exe) != 0;
  return cat(executable ? "x " : "- ", name, " ", digest_file(entry).sha256);
}

std::string digest_of(const fs::path& directory, Links links) {
  std::vector<std::string> lines;
  for (fs::recursive_directory_iterator at(directory), end; at != end; ++at) {
    const fs::path& entry = at->path();
    if (fs::is_directory(fs::symlink_status(entry)) && !fs::is_empty(entry)) continue;
    lines.push_back(entry_line(directory, entry, links));
  }
  std::sort(lines.begin(), lines.end());
  return hex_digest(HashKind::sha256, join(lines, "\n"));
}

}  // namespace

Fd open_regular(const fs::path& file) {
  Fd opened = Fd::open(file.string(), O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) throw Error::from_errno("looking at", file.string());
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
    throw Error(ErrorKind::input, cat(file.string(), " is no regular file"));
  return opened;
}

FileDigest digest_file(const fs::path& file) {
  const Fd opened = open_regular(file);
  FileDigest digest;
  Hasher hasher(HashKind::sha256);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) throw Error::from_errno("reading", file.string());
  const auto size = static_cast<std::size_t>(status.st_size);  // of most files little, of a device nothing
  std::string piece(size == 0 ? k_piece : std::min(k_piece, size + 1), '\0');
  while (true) {
    const ssize_t got = ::read(opened.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", file.string());
    if (got == 0) break;
    hasher.update({piece.data(), static_cast<std::size_t>(got)});
    digest.size += static_cast<std::uint64_t>(got);
  }
  digest.sha256 = hasher.hex_digest();
  return digest;
}

std::string directory_digest(const fs::path& directory) try {
  return digest_of(directory, Links::followed_out);
} catch (const fs::filesystem_error& error) {
  const fs::path& path = error.path1().empty() ? directory : error.path1();
  throw Error::from_errno("reading", path.string(), error.code().value());
}

}  // namespace hearth
