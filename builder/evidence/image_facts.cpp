#include "builder/evidence/image_facts.hpp"

#include <boost/filesystem/directory.hpp>

#include <fcntl.h>
#include <sys/stat.h>
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
constexpr std::size_t k_largest_text = std::size_t{256} << 20U;

/// Besides DIB_*.
constexpr std::array<std::string_view, 11> k_telling = {
    "ARCH",      "FS_TYPE",          "IMAGE_ELEMENT", "INSTALL_PACKAGES", "MAX_ONLINE_RESIZE", "ROOT_LABEL",
    "SKIP_BASE", "QEMU_IMG_OPTIONS", "DOCKER_TARGET", "RAMDISK_ELEMENT",  "SOURCE_DATE_EPOCH"};
/// Of DIB_*: places and programs of the machine, and what the builder makes of all others.
constexpr std::array<std::string_view, 9> k_of_the_machine = {"DIB_IMAGE_CACHE", "DIB_LOCKFILES", "DIB_PYTHON_EXEC",
                                                              "DIB_ENV",         "DIB_ARGS",      "DIB_OFFLINE",
                                                              "DIB_NO_TMPFS",    "DIB_MIN_TMPFS", "DIB_GZIP_BIN"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What came from elsewhere may be a pipe, which nobody ever ends, or a device.
Fd open_regular(const fs::path& file) {
  Fd opened = Fd::open(file.string(), O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) throw Error::from_errno("looking at", file.string());
  if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
    throw Error(ErrorKind::input, cat(file.string(), " is no regular file"));
  return opened;
}

std::string file_digest(const fs::path& file, std::uint64_t& size) {
  const Fd opened = open_regular(file);
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
  std::uint64_t size = 0;
  if (fs::is_regular_file(led)) return cat(" ", file_digest(led, size));
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
  std::uint64_t size = 0;
  return cat(executable ? "x " : "- ", name, " ", file_digest(entry, size));
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

bool tells_what_is_built(const std::string& name) {
  const bool is_named = is_among(k_telling, name) || (name.starts_with("DIB_") && !is_among(k_of_the_machine, name));
  return is_named && !names_secret(name);
}

std::vector<fs::path> paths_in(const std::string& value) {
  std::vector<fs::path> paths;
  if (value.starts_with('/') && value.find(' ') != std::string::npos) paths.emplace_back(value);
  std::string words = replace_all(value, "file://", " ");
  words = replace_all(words, "://", " url");  // another machine's path
  std::replace_if(
      words.begin(), words.end(), [](char c) { return std::string_view(":,;=\t\n").find(c) != std::string_view::npos; },
      ' ');
  for (const std::string& word : split_words(words)) {
    if (word.starts_with('/') && word.size() > 1) paths.emplace_back(word);
  }
  return paths;
}

Environment telling_variables(const Environment& environment) {
  Environment telling;
  for (const auto& [name, value] : environment) {
    if (tells_what_is_built(name)) telling[name] = without_credentials(value);
  }
  return telling;
}

std::string read_regular(const fs::path& file) { return read_all(open_regular(file), file.string(), k_largest_text); }

std::string directory_digest(const fs::path& directory) { return digest_of(directory, Links::followed_out); }

OutputFile describe_output(const fs::path& file) {
  if (fs::is_directory(file)) return {file, directory_digest(file), 0};  // an OCI layout
  OutputFile output{file, "", 0};
  output.sha256 = file_digest(file, output.size);
  return output;
}

}  // namespace hearth::builder::evidence
