#include "agent/heat_config/log_book.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {

void DirectoryLogBook::open(const std::string& name) {
  name_ = name;
  file_ = Fd();
  RealFileSystem().make_directories(directory_, 0700);
  file_ = Fd::open((directory_ / cat(name, ".log")).string(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
}

void DirectoryLogBook::append(const std::string& name, std::string_view line) noexcept {
  try {
    if (name != name_) open(name);
    if (!file_) return;
    const std::string text = cat(line, "\n");
    [[maybe_unused]] const ssize_t written = ::write(file_.get(), text.data(), text.size());
  } catch (...) {  // the log of a deployment is a help, not a condition
  }
}

}  // namespace hearth::agent
