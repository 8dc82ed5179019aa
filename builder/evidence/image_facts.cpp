#include "builder/evidence/image_facts.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder::evidence {

namespace {

constexpr std::size_t k_piece = std::size_t{1} << 20U;

/// Besides DIB_*.
constexpr std::array<std::string_view, 11> k_telling = {
    "ARCH",      "FS_TYPE",          "IMAGE_ELEMENT", "INSTALL_PACKAGES", "MAX_ONLINE_RESIZE", "ROOT_LABEL",
    "SKIP_BASE", "QEMU_IMG_OPTIONS", "DOCKER_TARGET", "RAMDISK_ELEMENT",  "SOURCE_DATE_EPOCH"};
/// Of DIB_*: places and programs of the machine, and what the builder makes of all others.
constexpr std::array<std::string_view, 8> k_of_the_machine = {"DIB_IMAGE_CACHE", "DIB_LOCKFILES", "DIB_PYTHON_EXEC",
                                                              "DIB_ENV",         "DIB_ARGS",      "DIB_OFFLINE",
                                                              "DIB_NO_TMPFS",    "DIB_MIN_TMPFS"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string file_digest(const fs::path& file, std::uint64_t& size) {
  const Fd opened = Fd::open(file.string(), O_RDONLY);
  Hasher hasher(HashKind::sha256);
  std::string piece(k_piece, '\0');
  while (true) {
    const ssize_t got = ::read(opened.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error::from_errno("reading", file.string());
    if (got == 0) break;
    hasher.update({piece.data(), static_cast<std::size_t>(got)});
    size += static_cast<std::uint64_t>(got);
  }
  return hasher.hex_digest();
}

/// "x run.sh DIGEST", "- data DIGEST", "l link TARGET" for one entry.
std::string entry_line(const fs::path& directory, const fs::path& entry) {
  const std::string name = entry.lexically_relative(directory).string();
  const fs::file_status status = fs::symlink_status(entry);
  if (fs::is_symlink(status)) return cat("l ", name, " ", fs::read_symlink(entry).string());
  if (!fs::is_regular_file(status)) return cat("o ", name);
  const bool executable = (status.permissions() & fs::owner_exe) != 0;
  std::uint64_t size = 0;
  return cat(executable ? "x " : "- ", name, " ", file_digest(entry, size));
}

}  // namespace

bool tells_what_is_built(const std::string& name) {
  const bool is_named = is_among(k_telling, name) || (name.starts_with("DIB_") && !is_among(k_of_the_machine, name));
  return is_named && !names_secret(name);
}

Environment telling_variables(const Environment& environment) {
  Environment telling;
  for (const auto& [name, value] : environment) {
    if (tells_what_is_built(name)) telling[name] = without_credentials(value);
  }
  return telling;
}

std::string directory_digest(const fs::path& directory) {
  std::vector<std::string> lines;
  for (fs::recursive_directory_iterator at(directory), end; at != end; ++at) {
    const fs::path& entry = at->path();
    if (!fs::is_symlink(fs::symlink_status(entry)) && fs::is_directory(entry)) continue;
    lines.push_back(entry_line(directory, entry));
  }
  std::sort(lines.begin(), lines.end());
  return hex_digest(HashKind::sha256, join(lines, "\n"));
}

OutputFile describe_output(const fs::path& file) {
  if (fs::is_directory(file)) return {file, directory_digest(file), 0};  // an OCI layout
  OutputFile output{file, "", 0};
  output.sha256 = file_digest(file, output.size);
  return output;
}

}  // namespace hearth::builder::evidence
