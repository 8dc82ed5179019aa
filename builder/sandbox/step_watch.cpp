#include "builder/sandbox/step_watch.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/sandbox/watched_calls.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint16_t k_dns = 53;

/// The operating system's, the sandbox's own, and what no step's result comes of.
constexpr std::array<std::string_view, 19> k_not_told = {
    "/usr/",       "/lib/",     "/lib32/",        "/lib64/",       "/libx32/",     "/bin/",    "/sbin/",
    "/boot/",      "/proc/",    "/sys/",          "/dev/",         "/run/",        "/hearth/", "/.builder/",
    "/var/cache/", "/var/log/", "/var/lib/dpkg/", "/var/lib/apt/", "/var/lib/rpm/"};
/// Of /etc what libraries read whatever a program is about, and what the sandbox covers.
constexpr std::array<std::string_view, 20> k_not_told_of_etc = {
    "ld.so.cache/", "ld.so.preload/", "nsswitch.conf/", "passwd/",    "group/",
    "hosts/",       "host.conf/",     "resolv.conf/",   "gai.conf/",  "services/",
    "protocols/",   "shadow/",        "shadow-/",       "gshadow/",   "gshadow-/",
    "krb5.keytab/", "ssl/",           "ssh/",           "wireguard/", "NetworkManager/system-connections/"};
constexpr const char* k_mounts = "/proc/self/mountinfo";
constexpr std::size_t k_event_bytes = std::size_t{16} << 10U;
constexpr std::size_t k_longest_first_line = 256;  ///< that the kernel looks at
/// Where links of /etc lead to that the kernel and services fill: /etc/mtab is one.
constexpr std::array<std::string_view, 4> k_filled_while_running = {"/proc/", "/sys/", "/dev/", "/run/"};

/// Of the system's places those whose links are the kernel's, a service's, or ours.
constexpr std::array<std::string_view, 6> k_never_links = {"/proc/", "/sys/",    "/dev/",
                                                           "/run/",  "/hearth/", "/.builder/"};

template <std::size_t count>
bool is_below_one_of(const std::array<std::string_view, count>& directories, std::string_view path) {
  const std::string whole = cat(path, "/");
  return std::any_of(directories.begin(), directories.end(),
                     [&](std::string_view directory) { return whole.starts_with(directory); });
}

bool is_of_the_system(const std::string& path) {
  constexpr std::string_view etc = "/etc/";
  if (path == "/" || is_below_one_of(k_not_told, path)) return true;
  if (!path.starts_with(etc)) return false;
  const std::string_view inner = std::string_view(path).substr(etc.size());
  return is_below_one_of(k_not_told_of_etc, inner);
}

/// The program that the kernel runs a script with; empty when this is none. Nobody opens it.
fs::path interpreter_of(const fs::path& program) try {
  const Fd file = Fd::open(program.string(), O_RDONLY | O_NONBLOCK);  // it may be a pipe
  std::string line(k_longest_first_line, '\0');
  const ssize_t got = ::read(file.get(), line.data(), line.size());
  line.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  if (!line.starts_with("#!")) return {};
  const std::vector<std::string> words = split_words(line.substr(2, line.find('\n') - 2));
  return words.empty() ? fs::path() : fs::path(words.front()).lexically_normal();
} catch (const Error&) {  // it is not there, or is only to be run
  return {};
}

/// Where a path below a link of /proc leads (`/proc/self/root/x`): each process has others.
fs::path behind_proc(const fs::path& path, const std::string& proc) {
  auto part = std::next(path.begin(), 2);  // "/", "proc"
  const std::string whose = part->string();
  const bool is_self = whose == "self" || whose == "thread-self";
  const fs::path directory = is_self ? fs::path(proc) : fs::path("/proc") / whose;
  if (!is_self && !parse_number(whose)) return path;
  fs::path link = directory;
  for (++part; part != path.end() && link.filename() != "root" && link.filename() != "cwd" &&
               link.parent_path() != directory / "fd";
       ++part)
    link /= *part;
  boost::system::error_code failed;
  fs::path place = fs::read_symlink(link, failed);
  if (failed || !place.is_absolute()) return path;
  for (; part != path.end(); ++part) place /= *part;
  return place;
}

/// The path without "." and "..". What is above a link's target is not above the link; such links are given to
/// `found`.
fs::path without_dots(const fs::path& path, const std::function<void(const fs::path&)>& found) {
  fs::path plain;
  for (const fs::path& part : path) {
    if (part == ".") continue;
    if (part != "..") {
      plain /= part;
      continue;
    }
    boost::system::error_code failed;
    const fs::path real = fs::canonical(plain, failed);
    if (!failed && real != plain) found(plain);
    plain = failed ? plain.parent_path() : real.parent_path();
  }
  return plain;
}

/// Mounts whose files a program tells of, by the kernel's numbers.
std::set<std::string> served_mounts() {
  std::set<std::string> mounts;
  for (const std::string& line : split_lines(RealFileSystem().read(k_mounts).value_or(""))) {
    if (line.find(" - fuse") != std::string::npos) mounts.insert(line.substr(0, line.find(' ')));
  }
  return mounts;
}

bool has_proc_of_its_own() {
  boost::system::error_code failed;
  return fs::read_symlink("/proc/self", failed) == std::to_string(::getpid());
}

/// Where a /proc that is not ours tells of this process of ours: a container may have forbidden one of our own.
std::string found_in_proc(pid_t pid) {
  boost::system::error_code failed;
  const fs::path mine = fs::read_symlink("/proc/self/ns/pid", failed);
  const RealFileSystem files;
  for (const std::string& name : files.list("/proc")) {
    if (!parse_number(name) || fs::read_symlink(cat("/proc/", name, "/ns/pid"), failed) != mine) continue;
    for (const std::string& line : split_lines(files.read(cat("/proc/", name, "/status")).value_or(""))) {
      if (!line.starts_with("NSpid:")) continue;
      const std::vector<std::string> numbers = split_words(line);
      if (numbers.back() == std::to_string(pid)) return cat("/proc/", name);
    }
  }
  return "/proc/nobody";
}

/// 0 where nobody can tell.
std::uint64_t mount_of(const fs::path& path) {
  struct statx status {};
  const bool is_told = ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &status) == 0;
  return is_told && (status.stx_mask & STATX_MNT_ID) != 0 ? status.stx_mnt_id : 0;
}

/// Its answers are noted: by itself (HEARTH_NOTED), or, of apt's methods, by the lists that it keeps.
bool is_noted(const std::string& proc) {
  boost::system::error_code failed;
  const std::string program = fs::read_symlink(cat(proc, "/exe"), failed).string();
  if (program.ends_with("/lib/apt/methods/http") || program.ends_with("/lib/apt/methods/https")) return true;
  const std::string variables = cat(std::string(1, '\0'), RealFileSystem().read(cat(proc, "/environ")).value_or(""));
  static const std::string noted = cat(std::string(1, '\0'), "HEARTH_NOTED=1", std::string(1, '\0'));
  return variables.find(noted) != std::string::npos;
}

}  // namespace

std::string network_address(std::string_view address) {
  std::uint16_t family = 0;
  std::uint16_t port = 0;
  if (address.size() < sizeof(sockaddr_in)) return "";
  std::memcpy(&family, address.data(), sizeof family);
  std::memcpy(&port, address.data() + offsetof(sockaddr_in, sin_port), sizeof port);
  port = ntohs(port);
  if (port == 0 || port == k_dns) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family == AF_INET) {
    ::inet_ntop(AF_INET, address.data() + offsetof(sockaddr_in, sin_addr), text.data(), text.size());
    return cat(text.data(), ":", port);
  }
  if (family != AF_INET6 || address.size() < offsetof(sockaddr_in6, sin6_addr) + sizeof(in6_addr)) return "";
  ::inet_ntop(AF_INET6, address.data() + offsetof(sockaddr_in6, sin6_addr), text.data(), text.size());
  return cat("[", text.data(), "]:", port);
}

std::vector<StepWatch::KnownCopy> StepWatch::looked_at(const std::vector<Copy>& copies) {
  std::vector<KnownCopy> known;
  for (const auto& [directory, written] : copies) {
    KnownCopy copy{.directory = directory, .written = written, .machines = {}};
    boost::system::error_code failed;
    for (fs::directory_iterator entry(directory, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
      copy.machines.insert(entry->path().filename().string());
    }
    known.push_back(std::move(copy));
  }
  return known;
}

StepWatch::Listings::Listings(const std::vector<Copy>& copies) : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  for (const auto& [directory, written] : copies) {
    all_.insert(directory.string());
    const int number = ::inotify_add_watch(events_.get(), directory.c_str(), IN_ACCESS | IN_ONLYDIR);
    if (number >= 0) watched_[number] = directory.string();
  }
}

std::set<std::string> StepWatch::Listings::take() {
  std::set<std::string> listed = all_;
  for (const auto& [number, directory] : watched_) listed.erase(directory);
  alignas(inotify_event) std::array<char, k_event_bytes> buffer{};
  while (true) {
    const ssize_t size = ::read(events_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return listed;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      if ((event->mask & IN_Q_OVERFLOW) != 0) listed = all_;
      if (event->len == 0 && watched_.count(event->wd) > 0) listed.insert(watched_.at(event->wd));  // else of an entry
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

StepWatch::StepWatch(Network network, const std::vector<Copy>& copies, Look look, Stamp stamp,
                     std::vector<fs::path> inputs)
    : network_(network),
      copies_(looked_at(copies)),
      listings_(copies),
      look_(std::move(look)),
      stamp_(std::move(stamp)),
      inputs_(std::move(inputs)),
      has_own_proc_(has_proc_of_its_own()),
      mounts_(Fd::open(k_mounts, O_RDONLY)),
      served_before_(served_mounts()),
      news_(Pipe::create()),
      thread_([this] { serve(); }) {}

StepWatch::~StepWatch() {
  news_.write = Fd();
  thread_.join();
}

void StepWatch::watch_this_thread() {
  const bool network = network_ == Network::watched;
  if (!network && !watches_reads_) return;
  Fd listener = watch_calls(network, watches_reads_);
  const std::lock_guard lock(mutex_);
  if (!listener) {
    why_not_ = cat("nobody can tell on this machine what it read and whether it used the network (seccomp: ",
                   std::strerror(errno), ")");
    return;
  }
  new_listeners_.push_back(std::move(listener));
  write_all(news_.write, "l", "the pipe to the watch");
}

void StepWatch::serve() {
  std::vector<Fd> listeners;
  while (true) {
    std::vector<pollfd> waited = {{news_.read.get(), POLLIN, 0}};
    for (const Fd& listener : listeners) waited.push_back({listener.get(), POLLIN, 0});
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;  // EINTR
    for (std::size_t i = listeners.size(); i > 0; --i) {
      if ((waited[i].revents & POLLIN) != 0) {
        answer(listeners[i - 1]);
      } else if (waited[i].revents != 0) {  // nobody is left
        listeners.erase(listeners.begin() + static_cast<std::ptrdiff_t>(i - 1));
      }
    }
    if (waited[0].revents == 0) continue;
    char news = 0;
    if (::read(news_.read.get(), &news, 1) != 1) return;
    const std::lock_guard lock(mutex_);
    for (Fd& listener : new_listeners_) listeners.push_back(std::move(listener));
    new_listeners_.clear();
  }
}

void StepWatch::answer(const Fd& listener) {
  seccomp_notif call{};
  if (::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // it died meanwhile
  try {
    look_at(call);
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    found_.insert(cat("a program did what nobody could see (", error.what(), ")"));
  }
  seccomp_notif_resp answer{};
  answer.id = call.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  (void)::ioctl(listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

void StepWatch::look_at(const seccomp_notif& call) {
  const std::string address = network_address(named_address(call));
  if (address.empty()) return look_at_path(call);
  const std::string proc = proc_of(call);
  const std::string own = cat("\nTgid:\t", ::getpid(), "\n");
  if (RealFileSystem().read(cat(proc, "/status")).value_or("").find(own) != std::string::npos || is_noted(proc)) return;
  const std::string name(trim(RealFileSystem().read(cat(proc, "/comm")).value_or("a program")));
  const std::lock_guard lock(mutex_);
  found_.insert(cat(name, " reached ", address));
}

std::string StepWatch::proc_of(const seccomp_notif& call) const {
  return has_own_proc_ ? cat("/proc/", call.pid) : found_in_proc(static_cast<pid_t>(call.pid));
}

/// What hooks wrote to a copy of a directory of the machine, and all that is below a directory that they made there.
/// An input is none, whatever they do to it: of what they add to one the rest is still there.
bool StepWatch::is_hooks_own(const fs::path& path) const {
  if (is_input(path.string())) return false;
  return std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) {
    const fs::path inner = path.lexically_relative(copy.directory);
    if (inner.empty() || inner == "." || *inner.begin() == "..") return false;
    const fs::path first = *inner.begin();
    const bool is_made = copy.machines.count(first.string()) == 0;
    return fs::exists(fs::symlink_status(copy.written / (is_made ? first : inner)));
  });
}

bool StepWatch::is_input(const std::string& path) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const fs::path& input) {
    return path == input.string() || path.starts_with(cat(input.string(), "/"));
  });
}

/// A hook that gives such a file another name reads it by one that looks like the hook's own. (Of a directory programs
/// make a copy, for which they open its files: the kernel renames none there.)
bool StepWatch::is_machines_in_copy(const fs::path& path) const {
  if (is_hooks_own(path) || !fs::is_regular_file(fs::symlink_status(path))) return false;
  // A clone of a repository links its objects, which are called by what is in them.
  if (path.string().find(".git/objects/") != std::string::npos) return false;
  return std::any_of(copies_.begin(), copies_.end(), [&](const KnownCopy& copy) {
    if (!path.string().starts_with(cat(copy.directory.string(), "/"))) return false;
    const std::uint64_t mount = mount_of(path);
    return mount != 0 && mount == mount_of(copy.directory);  // 0: an older kernel does not tell
  });
}

/// Of a path of the operating system the input that a link in it leads to; empty where none does. Nobody changes links
/// there while steps run.
std::string StepWatch::input_behind(const fs::path& path) {
  if (inputs_.empty() || is_below_one_of(k_never_links, path.string())) return "";
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = behind_.try_emplace(path.string());
  if (is_new) {
    boost::system::error_code failed;
    const std::string real = fs::weakly_canonical(path, failed).string();
    if (!failed && is_input(real)) known->second = real;
  }
  return known->second;
}

bool StepWatch::is_told(const std::string& path) const { return !is_of_the_system(path) || is_input(path); }

bool StepWatch::tells_reads() {
  const std::lock_guard lock(mutex_);
  return watches_reads_ && why_not_.empty();
}

bool StepWatch::is_known_look(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  return looks_.count(path.string()) > 0;
}

void StepWatch::look_at_path(const seccomp_notif& call) {
  if (serves_files()) {
    const std::lock_guard lock(mutex_);
    found_.insert("while a program of it served a file system (FUSE), nobody could tell what it read");
    return;
  }
  for (FileRequest& request : requests_of(call)) look_at_request(call, std::move(request));
}

void StepWatch::look_at_request(const seccomp_notif& call, FileRequest request) {
  const bool is_absolute = request.path.starts_with('/');
  if (is_absolute) request.path.erase(0, request.path.find_first_not_of('/') - 1);  // "//a" is a name of its own to fs
  const bool is_of_proc = request.path.starts_with("/proc/");
  if (request.path.empty()) return;
  const bool is_shown = request.what == FileRequest::For::elsewhere;
  if (is_absolute && !is_of_proc && !is_shown && !is_told(fs::path(request.path).lexically_normal().string())) {
    request.path = input_behind(fs::path(request.path).lexically_normal());
    if (request.path.empty()) return;
  }
  const std::string proc = proc_of(call);
  boost::system::error_code failed;
  const fs::path base = request.directory == AT_FDCWD ? cat(proc, "/cwd") : cat(proc, "/fd/", request.directory);
  const fs::path begin = is_absolute ? fs::path() : fs::read_symlink(base, failed);
  if (failed) return;
  const auto is_ours = [&] {
    return fs::read_symlink(cat(proc, "/root"), failed) != "/" || fs::exists(cat("/proc/self/task/", call.pid));
  };
  const fs::path given = begin / request.path;
  std::vector<fs::path> links;
  fs::path path = without_dots(given.string().starts_with("/proc/") ? behind_proc(given, proc) : given,
                               [&](const fs::path& link) { links.push_back(link); });
  if (path.filename().empty()) path = path.parent_path();
  if (is_hooks_own(path)) {  // a link that they made may lead to what is the machine's
    const fs::path real = fs::weakly_canonical(path, failed);
    if (!failed) path = real;
  }
  if (is_shown) return is_ours() ? void() : note_shown_elsewhere(path);
  if (request.what == FileRequest::For::name && !is_input(path.string())) {
    if (is_machines_in_copy(path) && !is_ours()) note_renamed(path);
    return;  // what hooks wrote to a cache, say
  }
  const bool is_known = request.what == FileRequest::For::look && is_known_look(path);
  if (!is_told(path.string()) || is_known || is_ours()) return;
  for (const fs::path& link : links) note_look(link);
  if (request.what == FileRequest::For::look) return note_look(path);
  note_content(path);
  const fs::path interpreter = request.what == FileRequest::For::run ? interpreter_of(path) : fs::path();
  if (interpreter.is_absolute() && is_told(interpreter.string())) note_content(interpreter);
}

/// Whoever asks in such a file system waits for its program, and that, for its own questions, for this watch, which
/// must not ask there, then.
bool StepWatch::serves_files() {
  pollfd changed{mounts_.get(), POLLPRI, 0};
  if (::poll(&changed, 1, 0) > 0) {
    const std::set<std::string> now = served_mounts();
    serves_files_ = !std::includes(served_before_.begin(), served_before_.end(), now.begin(), now.end());
  }
  return serves_files_;
}

bool StepWatch::counts(const fs::path& path) const {
  boost::system::error_code failed;
  const std::string real = fs::weakly_canonical(path, failed).string();
  return is_input(path.string()) || is_input(real) ||
         (!is_hooks_own(path) && !is_below_one_of(k_filled_while_running, real));
}

void StepWatch::note_content(const fs::path& path) {
  boost::system::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::is_regular_file(status) && !fs::is_directory(status)) return note_look(path);
  if (!counts(path)) return;
  const bool is_written =
      fs::is_directory(status) && std::any_of(copies_.begin(), copies_.end(), [&](const auto& copy) {
        return path == copy.directory || path.string().starts_with(cat(copy.directory.string(), "/"));
      });
  const std::lock_guard lock(mutex_);
  if (const auto [read, is_new] = reads_.try_emplace(path.string()); is_new && stamp_ && !is_written)
    read->second = stamp_(path);
}

/// A bind mount of the machine's whole tree shows all.
void StepWatch::note_shown_elsewhere(const fs::path& path) {
  boost::system::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  if (failed || (real != "/" && !is_told(real.string())) || !counts(path)) return;
  const std::lock_guard lock(mutex_);
  shown_.insert(real.string());
}

void StepWatch::note_look(const fs::path& path) {
  if (is_known_look(path) || !counts(path)) return;
  const std::optional<std::string> look = look_ ? look_(path) : std::nullopt;
  const std::lock_guard lock(mutex_);
  if (look) looks_.try_emplace(path.string(), *look);
}

void StepWatch::note_renamed(const fs::path& path) {
  const std::lock_guard lock(mutex_);
  found_.insert(cat("it gave the machine's ", path.string(), " another name: nobody could tell what it read of it"));
}

std::vector<std::string> StepWatch::take() {
  const std::lock_guard lock(mutex_);
  if (!why_not_.empty()) return {why_not_};
  std::vector<std::string> found(found_.begin(), found_.end());
  found_.clear();
  return found;
}

std::map<std::string, std::string> StepWatch::take_reads() {
  const std::lock_guard lock(mutex_);
  const std::set<std::string> listed = listings_.take();
  for (const KnownCopy& copy : copies_) {
    if (listed.count(copy.directory.string()) == 0) reads_.erase(copy.directory.string());
  }
  return std::exchange(reads_, {});
}

std::set<std::string> StepWatch::take_shown_elsewhere() {
  const std::lock_guard lock(mutex_);
  return std::exchange(shown_, {});
}

std::map<std::string, std::string> StepWatch::take_looks() {
  const std::lock_guard lock(mutex_);
  return std::exchange(looks_, {});
}

}  // namespace hearth::builder
