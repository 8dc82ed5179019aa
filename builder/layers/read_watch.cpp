#include "builder/layers/read_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <boost/filesystem/directory.hpp>
#include <cstring>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/layers/input_digest.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_buffer = std::size_t{64} << 10U;

std::string below(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : cat(directory, "/", name);
}

void note(Reads& reads, const std::string& directory, const inotify_event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) reads.everything = true;
  if ((event.mask & IN_OPEN) == 0) return;
  const std::string path = event.len > 0 ? below(directory, event.name) : directory;
  if ((event.mask & IN_ISDIR) != 0) {
    reads.directories.insert(path);
  } else {
    reads.files.insert(path);
  }
}

}  // namespace

void Reads::add_copy(const fs::path& place) {
  boost::system::error_code failed;
  const fs::path copy = fs::weakly_canonical(place, failed);
  if (failed) return;
  copies.insert(copy.string());
  const auto is_of_it = [&](const std::string& path) {
    const fs::path real = fs::weakly_canonical(path, failed);
    return !failed && holds(copy, real);
  };
  std::erase_if(machine, [&](const auto& read) { return is_of_it(read.first); });
  std::erase_if(asked, [&](const auto& look) { return is_of_it(look.first); });
  std::erase_if(shown, is_of_it);
}

ReadWatch::ReadWatch(fs::path root) : root_(std::move(root)), events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  const bool has_none = !events_ && (errno == EMFILE || errno == ENFILE || errno == ENOSYS);
  if (!events_ && !has_none) throw Error::from_errno("watching", root_.string());
  if (has_none || !watch("")) events_ = Fd();
}

/// False when there are no more watches to have.
bool ReadWatch::watch(const std::string& directory) {
  const fs::path path = root_ / directory;
  const int number = ::inotify_add_watch(events_.get(), path.c_str(), IN_OPEN | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (number < 0 && errno == ENOSPC) return false;
  if (number < 0) throw Error::from_errno("watching", path.string());
  directories_[number] = directory;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const bool is_directory = fs::symlink_status(entry.path()).type() == fs::directory_file;
    if (is_directory && !watch(below(directory, entry.path().filename().string()))) return false;
  }
  return true;
}

Reads ReadWatch::take() {
  Reads reads;
  reads.everything = !events_;
  if (!events_) return reads;
  alignas(inotify_event) std::array<char, k_buffer> buffer{};
  while (true) {
    const ssize_t size = ::read(events_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return reads;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      const auto directory = directories_.find(event->wd);
      note(reads, directory == directories_.end() ? std::string() : directory->second, *event);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

}  // namespace hearth::builder
