#include "pxe/serve/content.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

Fd open_beneath(const Fd& directory, const std::string& name) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // a FIFO in the tree must not stop the server
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return Fd(static_cast<int>(::syscall(SYS_openat2, directory.get(), name.c_str(), &how, sizeof how)));
}

/// Where a path leads, without links; empty, and errno, when it leads nowhere.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> found(::realpath(path.c_str(), nullptr), std::free);
  return found == nullptr ? std::string() : std::string(found.get());
}

/// The same by two looks. Between them, who may write in the directory could put a link in place; a client can not.
Fd open_checked(const Fd& directory, const std::string& name) {
  const std::string self = cat("/proc/self/fd/", directory.get());
  const std::string root = real_path(self);
  const std::string file = name.starts_with('/') ? "/" : real_path(cat(self, "/", name));
  if (root.empty() || file.empty()) return {};
  if (file != root && !file.starts_with(root.ends_with('/') ? root : root + "/")) {
    errno = EXDEV;
    return {};
  }
  try {
    return Fd::open(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (const Error&) {  // it went away, or may not be read
    errno = EACCES;
    return {};
  }
}

bool kernel_looks_up(const Fd& directory) { return open_beneath(directory, ".") || errno != ENOSYS; }

/// The content of an open regular file; nothing for anything else.
std::optional<Content> content_of(Fd file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Content::of_file(std::move(file), static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec);
}

Refusal refusal_for(int error_number) {
  if (error_number == ENOENT || error_number == ENOTDIR) return {Refusal::Kind::not_found, "File not found"};
  if (error_number == EMFILE || error_number == ENFILE) return {Refusal::Kind::denied, "Server is busy"};
  return {Refusal::Kind::denied, "Access denied"};
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

Content Content::of_bytes(std::string bytes) {
  Content content;
  content.size_ = bytes.size();
  content.bytes_ = std::move(bytes);
  return content;
}

Content Content::of_file(Fd file, std::uint64_t size, std::int64_t modified_s) {
  Content content;
  content.file_ = std::move(file);
  content.size_ = size;
  content.modified_s_ = modified_s;
  return content;
}

std::size_t Content::read(std::uint64_t offset, std::span<char> out) const {
  if (offset >= size_) return 0;
  const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
  if (!file_) {
    std::memcpy(out.data(), bytes_.data() + offset, wanted);
    return wanted;
  }
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(file_.get(), out.data() + done, wanted - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::optional<std::string> normalise_name(std::string_view asked) {
  if (std::any_of(asked.begin(), asked.end(), is_control)) return std::nullopt;
  std::vector<std::string> parts;
  for (std::string& part : split(replace_all(std::string(asked), "\\", "/"), '/')) {
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
  }
  if (parts.empty()) return std::nullopt;
  return join(parts, "/");
}

FileRoot::FileRoot(const std::string& directory, LookUp look_up)
    : directory_(Fd::open(directory, O_PATH | O_DIRECTORY)),
      by_kernel_(look_up == LookUp::by_kernel_if_possible && kernel_looks_up(directory_)) {}

std::variant<Content, Refusal> FileRoot::open(const std::string& name) const {
  Fd file = by_kernel_ ? open_beneath(directory_, name) : open_checked(directory_, name);
  if (!file) return refusal_for(errno);
  std::optional<Content> content = content_of(std::move(file));
  if (!content) return Refusal{Refusal::Kind::not_found, "Not a file"};
  return std::move(*content);
}

Content open_content(const std::string& path) {
  std::optional<Content> content = content_of(Fd::open(path, O_RDONLY));
  if (!content) throw Error(ErrorKind::input, cat(path, " is not a regular file"));
  return std::move(*content);
}

}  // namespace hearth::pxe
