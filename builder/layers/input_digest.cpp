#include "builder/layers/input_digest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "builder/layers/facts.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_most_read = std::uint64_t{4} << 30U;      // bytes of one input whose contents count
constexpr std::uint64_t k_worth_knowing = std::uint64_t{1} << 20U;  // less is read each time
constexpr std::size_t k_many_files = 64;                            // likewise
constexpr std::int64_t k_stat_second = 1'000'000'000;
constexpr std::int64_t k_settled = 2 * k_stat_second;  // file systems' clocks are coarse: later changes may not show

constexpr std::array<const char*, 10> k_system = {"/usr/",     "/lib/",          "/lib64/",       "/bin/",
                                                  "/sbin/",    "/var/lib/dpkg/", "/var/lib/apt/", "/var/lib/rpm/",
                                                  "/etc/ssl/", "/boot/"};
constexpr const char* k_local = "/usr/local/";
constexpr std::string_view k_link = " -> ";
constexpr std::string_view k_host = "host ";  // before names of what host() was asked for
constexpr unsigned k_nobody = 65534;
constexpr unsigned k_last_id = 65535;  // of the range that builds of root's have

}  // namespace

bool holds(const fs::path& directory, const fs::path& path) {
  const std::string& text = directory.string();
  return path == directory || text == "/" || path.string().starts_with(cat(text, "/"));
}

bool is_filled_by_packages(const fs::path& path) {
  const std::string below = cat(path.string(), "/");
  return !below.starts_with(k_local) &&
         std::any_of(k_system.begin(), k_system.end(), [&](const char* system) { return below.starts_with(system); });
}

bool is_systems_for_programs(const fs::path& directory) {
  return is_filled_by_packages(directory) || holds("/usr/local", directory);
}

namespace {

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * k_stat_second + time.tv_nsec; }

/// Directories that links below an input led to: what hooks read through them is the input, too, each once.
class Followed {
 public:
  /// Whether the directory that the link leads to is to be gone through: not again, and not what packages fill.
  bool take(const fs::path& link) {
    boost::system::error_code failed;
    const fs::path directory = fs::canonical(link, failed);
    return !failed && directory != "/" && !is_filled_by_packages(directory) && seen_.insert(directory.string()).second;
  }

 private:
  std::set<std::string> seen_;
};

/// What stat(2) says that changes when a file or the names in a directory do, but for the same moment's second change.
/// Not the inode: an overlay shows another one.
std::string stamp_of(const struct stat& status) {
  return cat(status.st_mode, " ", status.st_size, " ", nanoseconds(status.st_mtim), " ", nanoseconds(status.st_ctim));
}

/// What stat(2) says of an input and of all below it, without reading it.
struct TreeStat {
  Hasher text{HashKind::sha256};
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  std::int64_t newest = 0;  ///< time of the last change
  Followed followed;

  void add(const fs::path& path, const std::string& name) {
    struct stat own {};
    if (::lstat(path.c_str(), &own) != 0) return text.update(cat(name, " missing\n"));
    add_status(name, own);
    if (S_ISLNK(own.st_mode)) {
      boost::system::error_code none;
      text.update(fs::read_symlink(path, none).string());
      struct stat target {};
      if (::stat(path.c_str(), &target) != 0) return;
      add_status("->", target);
      if (!S_ISDIR(target.st_mode) || !followed.take(path)) return;
    } else if (!S_ISDIR(own.st_mode)) {
      return;
    }
    try {
      for (const std::string& below : RealFileSystem().list(path)) add(path / below, below);
    } catch (const Error&) {  // it may not be looked at, by hooks neither
    }
  }

 private:
  void add_status(const std::string& name, const struct stat& status) {
    text.update(cat(name, " ", stamp_of(status), "\n"));
    newest = std::max({newest, nanoseconds(status.st_ctim), nanoseconds(status.st_mtim)});
    if (S_ISREG(status.st_mode)) bytes += static_cast<std::uint64_t>(status.st_size);
    ++files;
  }
};

/// What a link at the top leads to is the input.
TreeStat stat_tree(const fs::path& path) {
  TreeStat stat;
  boost::system::error_code none;
  const fs::path real = fs::canonical(path, none);
  stat.add(none ? path : real, "");
  return stat;
}

/// Hooks see what is the caller's own as root's, and of an ordinary user what is others' as nobody's.
unsigned seen_id(unsigned id, unsigned own) {
  if (id == own) return 0;
  return own == 0 && id <= k_last_id ? id : k_nobody;
}

/// As hooks see them: whose a file is, nobody's, or that of a copy that is made for them.
enum class Owners { count, nobodys, ignore };

std::string owner_of(Owners owners, unsigned user, unsigned group) {
  if (owners == Owners::ignore) return "";
  const bool is_nobodys = owners == Owners::nobodys;
  return cat(" ", is_nobodys ? k_nobody : seen_id(user, ::geteuid()), ":",
             is_nobodys ? k_nobody : seen_id(group, ::getegid()));
}

/// Of what is neither file, directory nor link.
std::string kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISLNK(status.st_mode)) return "";
  return cat(" ", status.st_mode & S_IFMT, " ", status.st_rdev);
}

std::string describe(const FileStatus& status, const std::string& content) {
  return cat(static_cast<int>(status.type), " ", status.mode, " ", content);
}

std::string link_of(const fs::path& path) {
  boost::system::error_code none;
  const fs::path target = fs::read_symlink(path, none);
  return none ? "" : cat(k_link, target.string());
}

/// In pieces: it may be larger than the memory.
std::string large_content_digest(const fs::path& path) {
  const Fd file = Fd::open(path.string(), O_RDONLY);
  Hasher hasher(HashKind::sha256);
  std::string buffer(k_worth_knowing, '\0');
  while (true) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error::from_errno("reading", path.string());
    if (size == 0) return hasher.hex_digest();
    hasher.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(size)));
  }
}

/// Of one input, which may be read up to `left` bytes.
class ContentDigest {
 public:
  /// Of the machine's own files hooks see the owner, too; those of elements they get as copies.
  ContentDigest(const FileReader& files, Owners owners) : files_(files), owners_(owners) {}

  [[nodiscard]] std::string of_status(const FileStatus& status, const std::string& content) const {
    return cat(describe(status, content), owner_of(owners_, status.uid, status.gid));
  }

  /// What a copy (cp -a) takes over of the entry itself: where a link leads and whose it is, which earlier entry a file
  /// is another name of, what kind of device it is.
  std::string of_entry(const fs::path& path) {
    struct stat own {};
    if (::lstat(path.c_str(), &own) != 0) return "";
    if (S_ISLNK(own.st_mode)) return cat(link_of(path), owner_of(owners_, own.st_uid, own.st_gid));
    if (S_ISREG(own.st_mode) && own.st_nlink > 1) {
      const auto [first, is_new] = files_with_links_.try_emplace({own.st_dev, own.st_ino}, files_with_links_.size());
      return is_new ? "" : cat(" = ", first->second);
    }
    return kind_of(own);
  }

  std::string of_file(const fs::path& path, const FileStatus& status) {
    if (status.size > left_) return stat_tree(path).text.hex_digest();
    left_ -= status.size;
    return status.size > k_worth_knowing ? large_content_digest(path) : fact_digest(files_.read(path).value_or(""));
  }

  std::string of_tree(const fs::path& directory) {
    std::string text;
    add(directory, "", text);
    return fact_digest(text);
  }

 private:
  void add(const fs::path& directory, const std::string& below, std::string& text) {
    for (const std::string& name : files_.list(directory)) {
      const fs::path path = directory / name;
      const std::string entry = of_entry(path);
      text += cat(below, name, entry);
      try {
        const std::optional<FileStatus> status = files_.status(path);
        const bool is_file = status && status->type == FileStatus::Type::regular;
        if (status) text += cat(" ", of_status(*status, is_file ? of_file(path, *status) : ""));
        text += "\n";
        if (status && status->type == FileStatus::Type::directory &&
            (!entry.starts_with(k_link) || followed_.take(path)))
          add(path, cat(below, name, "/"), text);
      } catch (const Error&) {  // it may not be looked at, by hooks neither
        text += " unreadable\n";
      }
    }
  }

  const FileReader& files_;
  Owners owners_;
  Followed followed_;
  std::map<std::pair<dev_t, ino_t>, std::size_t> files_with_links_;  ///< by which of them came first
  std::uint64_t left_ = k_most_read;
};

std::string path_digest(const FileReader& files, const fs::path& path, bool may_be_system, Owners owners) {
  try {
    const std::optional<FileStatus> status = files.status(path);
    if (!status) return k_no_file;
    std::string content;
    ContentDigest digest(files, owners);
    if (status->type == FileStatus::Type::directory) {
      const bool names_only = may_be_system && is_filled_by_packages(path);
      content = names_only ? join(files.list(path), "\n") : digest.of_tree(path);
    }
    if (status->type == FileStatus::Type::regular) content = digest.of_file(path, *status);
    struct stat other {};
    if (status->type == FileStatus::Type::other && ::stat(path.c_str(), &other) == 0) content = kind_of(other);
    return fact_digest(digest.of_status(*status, content));
  } catch (const Error&) {  // it may not be looked at, by hooks neither
    return "unreadable";
  }
}

struct Look {
  std::string text;
  std::int64_t newest = 0;
  bool is_small = true;
};

/// Of `names_only` what is below doesn't count.
Look look_at(const fs::path& path, bool names_only) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {.text = k_no_file};
  const bool is_small_file = S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) < k_worth_knowing;
  if (names_only || is_small_file) return {.text = stamp_of(status)};
  TreeStat stat = stat_tree(path);
  return {.text = stat.text.hex_digest(),
          .newest = stat.newest,
          .is_small = stat.bytes < k_worth_knowing && stat.files < k_many_files};
}

std::int64_t wall_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string tree_digest(const FileReader& files, const fs::path& directory) {
  return ContentDigest(files, Owners::ignore).of_tree(directory);
}

std::string input_stamp(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? stamp_of(status) : k_no_file;
}

std::optional<std::string> asked_look(const fs::path& path, bool is_nobodys) {
  struct stat own {};
  const auto is_told = [](int failed) { return failed == ENOENT || failed == ENOTDIR; };
  if (::lstat(path.c_str(), &own) != 0) return is_told(errno) ? std::optional<std::string>(k_no_file) : std::nullopt;
  std::string text;
  if (S_ISLNK(own.st_mode)) {
    text = cat(link_of(path), " ");
    if (::stat(path.c_str(), &own) != 0) return is_told(errno) ? std::optional(cat(text, k_no_file)) : std::nullopt;
  }
  text += std::to_string(own.st_mode & S_IFMT);
  if (!S_ISREG(own.st_mode)) return text;
  const unsigned user = is_nobodys ? k_nobody : seen_id(own.st_uid, ::geteuid());
  const unsigned group = is_nobodys ? k_nobody : seen_id(own.st_gid, ::getegid());
  return cat(text, " ", own.st_mode & 07777U, " ", own.st_size, " ", user, ":", group);
}

InputDigests::InputDigests(const FileReader& files, fs::path memory, std::function<bool(const fs::path&)> is_nobodys)
    : files_(files), memory_(std::move(memory)), is_nobodys_(std::move(is_nobodys)) {
  if (memory_.empty()) return;
  std::string text;
  try {
    text = files_.read(memory_).value_or("{}");
  } catch (const Error&) {  // another user's, root's mostly: digests are made anew
    return;
  }
  const Result<Json> read = parse_json(text, memory_.string());
  if (!read.ok() || !read.value().is_object()) return;
  for (const auto& [path, known] : read.value().items()) {
    if (known.is_object()) known_[path] = {known.value("look", ""), known.value("digest", "")};
  }
}

InputDigests::Known InputDigests::digest_now(const fs::path& path, bool may_be_system) {
  const FileReader& files = may_be_system ? static_cast<const FileReader&>(system_) : files_;
  const Owners systems = is_nobodys(path) ? Owners::nobodys : Owners::count;
  const Owners owners = may_be_system ? systems : Owners::ignore;
  const std::int64_t began = wall_nanoseconds();
  const Look look = look_at(path, may_be_system && is_filled_by_packages(path));
  if (look.is_small) return {look.text, path_digest(files, path, may_be_system, owners)};
  const char* const seen = owners == Owners::count ? " host" : " nobody";
  const std::string text = cat(look.text, may_be_system ? seen : "");
  const auto found = known_.find(path.string());
  if (found != known_.end() && found->second.look == text) return {look.text, found->second.digest};
  std::string digest = path_digest(files, path, false, owners);
  if (look.newest + k_settled < began) {
    known_[path.string()] = {text, digest};
    learned_ = true;
  }
  return {look.text, digest};
}

const std::string& InputDigests::remembered(const std::string& name, const fs::path& path, bool may_be_system) {
  const auto [known, is_new] = told_.try_emplace(name);
  if (is_new) known->second = digest_now(path, may_be_system);
  return known->second.digest;
}

bool InputDigests::has_changed(const fs::path& path) const {
  const auto told = told_.find(cat(k_host, path.string()));
  return told != told_.end() && look_at(path, is_filled_by_packages(path)).text != told->second.look;
}

std::set<std::string> InputDigests::changed() const {
  std::set<std::string> paths;
  for (const auto& [name, known] : told_) {
    if (name.starts_with(k_host) && has_changed(name.substr(k_host.size()))) paths.insert(name.substr(k_host.size()));
  }
  return paths;
}

void InputDigests::look_again() {
  for (auto& [name, known] : told_) {
    if (!name.starts_with(k_host)) continue;
    const fs::path path = name.substr(k_host.size());
    known.look = look_at(path, is_filled_by_packages(path)).text;
  }
}

const std::string& InputDigests::host(const fs::path& path) {
  return remembered(cat(k_host, path.string()), path, true);
}
std::optional<std::string> InputDigests::asked(const fs::path& path) const {
  return asked_look(path, is_nobodys(path));
}
const std::string& InputDigests::path(const fs::path& path) { return remembered(path.string(), path, false); }

void InputDigests::save() const {
  if (!learned_ || memory_.empty()) return;
  Json json = Json::object();
  for (const auto& [path, known] : known_) {
    boost::system::error_code failed;
    if (is_valid_utf8(path) && fs::exists(path, failed)) json[path] = {{"look", known.look}, {"digest", known.digest}};
  }
  try {
    RealFileSystem files;
    files.make_directories(memory_.parent_path(), 0777);
    files.write(memory_, format_json(json, {.indent = 1}), {.mode = 0600});
  } catch (const Error&) {  // a full disk: see above
  }
}

}  // namespace hearth::builder
