// `hearth backup` and `hearth restore`: what a seed knows in one file, also of one that serves, and wherever its state
// lives: a backup of the one kind can be restored as the other.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sql/database.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "bootstrap/bundle/bundle_file.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/handover/handover.hpp"
#include "bootstrap/store/store.hpp"
#include "metadata/engine/copy_stacks.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_nodes_file = "state.db";
constexpr const char* k_stacks_file = "metadata/state.db";
constexpr const char* k_leases_file = "leases";
constexpr const char* k_lock_name = "lock";
constexpr std::uint64_t k_copied_first = std::uint64_t{64} << 20U;  ///< what is larger (images) nobody writes to

/// Beside databases, of which copies are made by other means.
bool is_of_a_database(const std::string& path) {
  constexpr std::array<std::string_view, 4> k_names = {k_home_file, "state.db", "copy.db", "metadata/state.db"};
  return std::any_of(k_names.begin(), k_names.end(), [&](std::string_view name) {
    return path == name || path == cat(name, "-wal") || path == cat(name, "-shm");
  });
}

/// Where the state of the directory lives: a URL, or nothing for SQLite in it.
std::string database_of(const cli::Arguments& arguments, const fs::path& directory) {
  const std::string url = database_option(arguments);
  const std::optional<std::string> kept = RealFileSystem().read(directory / k_home_file);
  check_is_its_home(directory, url);
  if (!url.empty() || !kept) return url;
  const std::string name(trim(*kept));
  if (name.find("***") == std::string::npos) return name;
  throw Error(ErrorKind::usage, cat("the state of ", directory.string(), " lives in ", name))
      .hint("Give that by --database, with its password, which is kept nowhere.");
}

/// As of one moment, also while it is written to.
void copy_sqlite(const fs::path& from, const fs::path& to) {
  sql::Database(from.string()).prepare("VACUUM INTO ?").bind(1, to.string()).execute();
}

/// Copies of all that may change while it is packed, in `work`; the rest as it lies there.
std::vector<bundle::Source> sources_of(const fs::path& directory, const std::string& url, const fs::path& work) {
  std::vector<bundle::Source> sources;
  const auto into_work = [&](const std::string& name) {
    fs::create_directories((work / name).parent_path());
    sources.push_back({name, work / name});
    return work / name;
  };
  const fs::path nodes = into_work(k_nodes_file);
  const std::string leases = url.empty() ? "" : save_home(url, nodes.string());
  if (url.empty()) copy_sqlite(directory / k_nodes_file, nodes);
  if (!leases.empty()) RealFileSystem().write(into_work(k_leases_file), leases, {.mode = 0640, .uid = {}, .gid = {}});
  if (url.empty() ? fs::exists(directory / k_stacks_file) : fs::exists(directory / "metadata")) {
    const fs::path stacks = into_work(k_stacks_file);
    if (url.empty()) {
      copy_sqlite(directory / k_stacks_file, stacks);
    } else if (!metadata::live::copy_stacks(url, stacks.string())) {
      sources.pop_back();
    }
  }
  StopSignals::check();
  // Keys after what they open: one that is made meanwhile has the former beside it, not the other way round.
  for (const bundle::Source& source : state_sources(directory)) {
    StopSignals::check();
    if (is_of_a_database(source.path) || (source.path == k_leases_file && !leases.empty())) continue;
    const bool is_large = !fs::is_symlink(source.file) && fs::file_size(source.file) > k_copied_first;
    if (is_large || fs::is_symlink(source.file)) {
      sources.push_back(source);
    } else {
      fs::copy_file(source.file, into_work(source.path));
    }
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return sources;
}

/// The next backup would hold this one, and its unfinished parts.
void require_outside(const fs::path& beside, const fs::path& directory) {
  const fs::path state = fs::weakly_canonical(directory);
  for (fs::path at = fs::weakly_canonical(beside); !at.empty(); at = at.parent_path()) {
    if (at != state) continue;
    throw Error(ErrorKind::usage, cat(beside.string(), " is in ", directory.string(), ", of which the backup is made"))
        .hint("Name a file elsewhere, best on another disk.");
  }
}

bool is_backup(const std::optional<bundle::Manifest>& manifest) {
  return manifest && manifest->site.is_object() && manifest->site.value("backup", false);
}

/// An earlier backup may be replaced, another file is somebody's. What is told of the one that was there.
std::string what_was_there(const fs::path& output) {
  boost::system::error_code hidden;
  if (!fs::is_regular_file(output, hidden)) return "";
  const std::optional<bundle::Manifest> earlier = bundle::manifest_of(output);
  if (!is_backup(earlier))
    throw Error(ErrorKind::usage, cat(output.string(), " is there, and is no backup of a seed: it is not overwritten"))
        .hint("Name a file that is not there yet, or an earlier backup, which is replaced.");
  const std::string at = text_of(stamp_json(Stamp{earlier->created_s} * 1'000'000));
  return cat("; the backup of ", replace_all(at.substr(0, 19), "T", " "), " UTC that was there is replaced");
}

/// "360 MiB, of which 340 MiB are of 2 images".
std::string size_text(const bundle::Manifest& made, const fs::path& output) {
  std::uint64_t large = 0;
  std::size_t count = 0;
  for (const bundle::Entry& entry : made.entries) {
    if (entry.size <= k_copied_first) continue;
    large += entry.size;
    ++count;
  }
  return cat(human_bytes(fs::file_size(output)),
             count == 0 ? ""
                        : cat(", of which ", human_bytes(large), " are of ", count,
                              count == 1 ? " large file (an image)" : " large files (images)"));
}

int back_up(const cli::Arguments& arguments) {
  const fs::path directory = state_directory(arguments);
  const fs::path output = arguments.operand(0, "file");
  const std::string url = database_of(arguments, directory);
  if (url.empty() && !fs::exists(directory / k_nodes_file))
    throw Error(ErrorKind::not_found, cat("there is no state in ", directory.string()))
        .hint("--state DIR or HEARTH_NODE_STATE names another.");
  const fs::path beside = fs::absolute(output).parent_path();
  require_outside(beside, directory);
  const std::string earlier = what_was_there(output);
  const ::mode_t before = ::umask(0077);
  const StopSignals signals;  // keys that nobody else has are in what lies there until the end
  const TempDir work = TempDir::create(beside, ".hearth-backup-");
  bundle::Manifest manifest{.name = "state of a seed",
                            .created_s = static_cast<std::int64_t>(std::time(nullptr)),
                            .made_by = cat("hearth ", HEARTH_VERSION),
                            .entries = {},
                            .site = {{"backup", true}}};
  const bundle::Manifest made =
      bundle::write_bundle(output, std::move(manifest), sources_of(directory, url, work.path()), "",
                           [](std::uint64_t) { StopSignals::check(); });
  ::umask(before);
  fs::permissions(output, fs::owner_read | fs::owner_write);  // its keys are in it
  const std::size_t files = made.entries.size();
  cli::print(cat(output.string(), ": ", files, files == 1 ? " file of " : " files of ", directory.string(),
                 url.empty() ? "" : cat(" and ", sql::without_password(url)), ", ", size_text(made, output), earlier,
                 "\n"));
  return 0;
}

/// Where a link leads, for it stays; without slashes at its end.
fs::path place_of(std::string directory) {
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  return fs::is_symlink(directory) ? fs::weakly_canonical(directory) : directory;
}

/// A conductor that could not begin leaves its lock.
bool has_but_a_lock(const fs::path& directory) {
  return std::all_of(fs::directory_iterator(directory), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return entry.path().filename() == k_lock_name; });
}

void require_room(const fs::path& directory) {
  const fs::path above = fs::absolute(directory).parent_path();
  if (!fs::exists(above) && !fs::exists(above.parent_path()))
    throw Error(ErrorKind::not_found, cat("there is no ", above.parent_path().string(), " for ", directory.string()))
        .hint("Is --state mistyped? mkdir -p makes folders.");
  if (!fs::exists(directory) || has_but_a_lock(directory)) return;
  throw Error(ErrorKind::input, cat(directory.string(), " is not empty"))
      .hint("Stop what works on it, and move it away; or name another by --state.");
}

/// What the file has of nodes and stacks goes to the URL, and is no more in the directory.
void move_to(const std::string& url, const fs::path& directory) {
  const bool has_stacks = fs::exists(directory / k_stacks_file);
  if (has_stacks) metadata::live::require_no_stacks(url);  // before the nodes are there
  load_home((directory / k_nodes_file).string(), url);
  if (has_stacks) {
    metadata::live::copy_stacks((directory / k_stacks_file).string(), url);
    fs::remove(directory / k_stacks_file);
  }
  fs::remove(directory / k_nodes_file);
  RealFileSystem().write(directory / k_home_file, cat(sql::without_password(url), "\n"),
                         {.mode = 0600, .uid = {}, .gid = {}});
}

/// Before anything is made for it; what is wrong further on in it is found while it is unpacked.
void require_backup(const fs::path& file) {
  boost::system::error_code hidden;
  if (!fs::exists(file, hidden))
    throw Error(ErrorKind::not_found, cat("there is no backup ", fs::absolute(file).string()))
        .hint("hearth backup makes one.");
  const std::optional<bundle::Manifest> manifest = bundle::manifest_of(file);
  if (is_backup(manifest)) return;
  throw Error(ErrorKind::input, cat(file.string(), manifest ? " is a bundle, but no backup of a seed"
                                                            : " is no backup of a seed, or its beginning is damaged"))
      .hint(manifest ? "hearth backup makes one; hearth bundle unpack is for others." : "hearth backup makes one.");
}

int restore(const cli::Arguments& arguments) {
  const fs::path directory = place_of(state_directory(arguments));
  const fs::path file = arguments.operand(0, "file");
  const std::string url = database_option(arguments);
  require_backup(file);
  require_room(directory);
  const ::mode_t before = ::umask(0077);
  const fs::path parent = fs::absolute(directory).parent_path();
  fs::create_directories(parent);
  const StopSignals signals;  // as for a backup
  const TempDir work = TempDir::create(parent, ".hearth-restore-");
  const fs::path fresh = work.path() / "state";
  const bundle::Checked checked =
      bundle::unpack_bundle(file, fresh, std::nullopt, [](std::uint64_t) { StopSignals::check(); });
  fs::permissions(fresh, fs::owner_all);  // keys and tokens are in it
  if (!is_backup(checked.manifest) || !fs::exists(fresh / k_nodes_file))
    throw Error(ErrorKind::input, cat(file.string(), " has no nodes of a seed"));
  { const Store opens((fresh / k_nodes_file).string()); }  // it can, and seals what an older Hearth kept in the clear
  if (!url.empty()) move_to(url, fresh);
  fs::remove(directory / k_lock_name);
  fs::remove(directory);
  fs::rename(fresh, directory);
  ::umask(before);
  cli::print(cat(directory.string(), url.empty() ? "" : cat(" and ", sql::without_password(url)), ": the state of ",
                 file.string(), "\n"));
  return 0;
}

}  // namespace

std::string database_option(const cli::Arguments& arguments) {
  const std::optional<std::string> url = arguments.value("database");
  if (url) check_database_url(*url);
  return url.value_or("");
}

std::vector<cli::Command> backup_commands() {
  const cli::Option state{"state", 0, "DIR", "where nodes are kept (HEARTH_NODE_STATE, /var/lib/hearth/node)"};
  return {
      {"backup",
       "FILE",
       "put all that a seed knows into one file, also while it serves",
       "Nodes, events, stacks, people, tokens and the keys that open them, each database as of one moment: who has the "
       "file has all secrets of the site (its mode is 0600). Registered images are in it. An earlier backup of that "
       "name "
       "is replaced, another file is not. Where the state lives in PostgreSQL it is read from "
       "there.",
       {state, {"database", 0, "URL", "where the state lives, if DIR does not say it, or the password is needed"}},
       back_up},
      {"restore",
       "FILE",
       "make a seed's state of a backup",
       "The file is checked before anything of it is there. A conductor is started on it then; two of them, the one it "
       "was made of and this one, would give orders to the same machines. What nodes were given away since is to be "
       "given away again first.",
       {state,
        {"database", 0, "URL",
         "where nodes and stacks go, wherever they lived before: a PostgreSQL database that has no state (SQLite in "
         "DIR)"}},
       restore}};
}

}  // namespace hearth::bootstrap
