#include "builder/channels/channels.hpp"

#include <boost/filesystem/directory.hpp>
#include <boost/filesystem/operations.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/evidence/policy.hpp"
#include "builder/evidence/verification.hpp"

namespace hearth::builder::channels {

namespace {

constexpr const char* k_scratch = ".hearth-fetch.";  ///< what is fetched lies there until all of it was checked

void add_file(LocalImage& image, const std::string& path, const fs::path& source) {
  const FileDigest digest = digest_file(source);
  image.files.push_back({path, digest.sha256, digest.size});
  image.sources.push_back(source);
}

/// NAME.d under the name that the image's own name leads to, whatever it is called here.
std::string directory_beside(const fs::path& image) { return image.stem().string() + ".d"; }

void add_evidence(LocalImage& image, const fs::path& file, const evidence::Statement& statement) {
  const std::string folder = directory_beside(file);
  std::vector<std::string> names = {k_provenance_file, k_signed_file};
  names.insert(names.end(), evidence::k_evidence_files.begin(), evidence::k_evidence_files.end());
  for (const std::string& answer : RealFileSystem().list(statement.directory / k_lock_answers))
    names.push_back(cat(k_lock_answers, "/", answer));
  for (const std::string& name : names) {
    const fs::path source = statement.directory / name;
    if (fs::is_regular_file(source)) add_file(image, cat(folder, "/", name), source);
  }
}

/// The pointer that stands there, as far as it can be read. Whose it is was checked.
std::optional<Opened> standing(const World& world, const PublishWish& wish) {
  const std::optional<std::string> text = world.place.pointer(wish.reference);
  if (!text) return std::nullopt;
  std::vector<std::string> keys = wish.other_keys;
  keys.push_back(frames::public_key_of(wish.key_pem));
  try {
    return open_pointer(*text, wish.reference, keys, world.place.text());
  } catch (Error& error) {
    if (wish.older == Older::is_taken) return std::nullopt;
    throw error.hint(
        "Nothing was published. Another key that may sign this channel is named by --key; --older replaces what stands "
        "there, whatever it is.");
  }
}

/// Larger than all before it, also where what stands there is an old backup, or can't be read: at least the time.
std::uint64_t next_serial(const World& world, const PublishWish& wish, const std::optional<Opened>& now) {
  const std::uint64_t seen = world.seen.serial(frames::public_key_of(wish.key_pem), wish.reference);
  const std::uint64_t last = std::max(seen, now ? now->pointer.serial : 0);
  return std::max(last + 1, static_cast<std::uint64_t>(std::max<std::int64_t>(world.now_s, 0)));
}

void require_not_older(const Pointer& next, const std::optional<Opened>& now, Older older) {
  if (!now || older == Older::is_taken) return;
  const std::string why = older_than(next, now->pointer);
  if (why.empty()) return;
  throw Error(ErrorKind::input, cat(next.reference.text(), " would go back: ", why))
      .hint("Nothing was published. To go back on purpose: --older.");
}

/// The same image, signed by the same key, and nothing about expiring to be changed.
bool is_there_already(const Pointer& next, const std::optional<Opened>& now, const PublishWish& wish) {
  if (!now || wish.expires_s || now->pointer.expires_s || now->key_id != frames::public_key_of(wish.key_pem))
    return false;
  const std::vector<NamedFile>& there = now->pointer.files;
  return std::equal(next.files.begin(), next.files.end(), there.begin(), there.end(),
                    [](const NamedFile& a, const NamedFile& b) { return a.path == b.path && a.sha256 == b.sha256; });
}

/// Signs `next` and sets it, all of whose files are there. Two that publish at once to a server are told apart by
/// reading what stands there afterwards: one of them is told that it is not his.
Pointer set(const World& world, const PublishWish& wish, Pointer next, const std::optional<Opened>& now) {
  next.serial = next_serial(world, wish, now);
  next.published_s = world.now_s;
  next.expires_s = wish.expires_s;
  const std::string envelope = sealed(next, wish.key_pem);
  const Opened opened = open_pointer(envelope, next.reference, {}, "what is to be published");
  StopSignals::check();
  world.place.set_pointer(next, envelope);
  if (world.place.pointer(next.reference) != envelope) {
    throw Error(ErrorKind::io, cat(next.reference.text(), ": something else stands at ", world.place.text(),
                                   " than was published there"))
        .hint(
            "Somebody else has published at the same time, or the server keeps old answers. Look (hearth image channel "
            "list), and publish again.");
  }
  world.seen.accept(opened, Older::is_taken);
  return next;
}

/// Writes a file as it comes; never more than it is to have.
class FetchedFile {
 public:
  FetchedFile(const NamedFile& file, const fs::path& target)
      : file_(file), out_(AtomicFile::create(target)), target_(target) {}

  void take(std::string_view bytes) {
    StopSignals::check();
    size_ += bytes.size();
    if (size_ > file_.size) throw wrong("longer than it is to be");
    hasher_.update(bytes);
    write_all(out_.fd(), bytes, target_.string());
  }
  void finish() {
    if (size_ != file_.size) throw wrong(cat("cut short: ", size_, " of ", file_.size, " bytes"));
    if (const std::string digest = hasher_.hex_digest(); digest != file_.sha256)
      throw wrong(cat("sha256:", digest, " in place of sha256:", file_.sha256));
    out_.commit();
  }

 private:
  [[nodiscard]] Error wrong(const std::string& what) const {
    Error error(ErrorKind::input, cat(file_.path, " is refused: what is served is ", what));
    error.hint(
        "Nothing was kept of it. Where it stays so, it has to be published again (hearth image publish --again).");
    return error;
  }
  const NamedFile& file_;
  AtomicFile out_;
  fs::path target_;
  Hasher hasher_{HashKind::sha256};
  std::uint64_t size_ = 0;
};

void put_files(const World& world, const std::string& name, const LocalImage& image, bool again) {
  for (std::size_t at = 0; at < image.files.size(); ++at) {
    StopSignals::check();
    const NamedFile& file = image.files[at];
    if (!again && world.place.has(name, file)) continue;
    world.place.put(name, file, pieces_of(image.sources[at], file));
    world.note(cat(file.path, ": ", human_bytes(file.size)));
  }
}

/// The image last, so that no image is there without what lies beside it; of what lay there before nothing stays among
/// it.
void place_together(const std::vector<NamedFile>& files, const fs::path& from, const fs::path& directory) {
  std::vector<std::string> names;
  for (const NamedFile& file : files) {
    const std::string name = file.path.substr(0, file.path.find('/'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (fs::is_directory(fs::symlink_status(directory / *name))) fs::rename(directory / *name, from / cat(".", *name));
    fs::rename(from / *name, directory / *name);
  }
  sync_directory(directory);
}

/// An image takes an image's place, and its evidence that of other evidence; whatever else is there is not ours.
void require_own_places(const std::vector<NamedFile>& files, const fs::path& directory) {
  for (const NamedFile& file : files) {
    const std::size_t slash = file.path.find('/');
    const fs::path place = directory / file.path.substr(0, slash);
    const fs::file_type type = fs::symlink_status(place).type();
    if (type == fs::file_not_found || (type == fs::directory_file) == (slash != std::string::npos)) continue;
    throw Error(ErrorKind::input, cat(place.string(), " is in the way: it is ",
                                      type == fs::directory_file ? "a directory" : "no directory", ", and ", file.path,
                                      " is to be there"))
        .hint("Nothing was fetched. Move it away, or fetch to another place (-o DIR).");
  }
}

/// What fetches that were killed have left in `directory`, whose lock is held.
void drop_left_behind(const fs::path& directory) {
  for (const std::string& name : RealFileSystem().list(directory))
    if (name.starts_with(k_scratch)) fs::remove_all(directory / name);
}

bool holds(const fs::path& directory, const std::vector<NamedFile>& files) {
  return std::all_of(files.begin(), files.end(), [&](const NamedFile& file) {
    const fs::path path = directory / file.path;
    if (!fs::is_regular_file(path) || fs::file_size(path) != file.size) return false;
    return digest_file(path).sha256 == file.sha256;
  });
}

/// What stands there, by one of `keys`, and not older than what was seen. Where somebody here published since it was
/// read, it is read again.
Opened newest(const World& world, const Reference& reference, const std::vector<std::string>& keys, Older older) {
  std::optional<std::string> before;
  for (int more = 3;; --more) {
    const std::optional<std::string> text = world.place.pointer(reference);
    if (!text) {
      throw Error(ErrorKind::not_found, cat("there is no ", reference.text(), " at ", world.place.text()))
          .hint("hearth image channel list shows what there is.");
    }
    Opened opened = open_pointer(*text, reference, keys, world.place.text());
    try {
      world.seen.accept(opened, older);
      return opened;
    } catch (const Error&) {
      if (more == 0 || text == before) throw;
    }
    before = text;
  }
}

}  // namespace

LocalImage local_image(const fs::path& image, Evidence needed) {
  if (fs::is_directory(image)) {
    throw Error(ErrorKind::input, cat(image.string(), " is a directory, and what is published is a file"))
        .hint("Make a container image as one file (-t docker); skopeo copies an OCI layout into a registry.");
  }
  LocalImage found{.name = image.stem().string()};
  if (needed == Evidence::may_be_missing) {
    add_file(found, image.filename().string(), image);
    return found;
  }
  const evidence::Statement statement = evidence::checked_statement(image, {});
  evidence::require_image(statement, image);
  const auto identity = evidence::identity_in(statement.content);
  if (!identity.at("name").empty()) found.name = identity.at("name");
  found.version = identity.at("version");
  found.built_s = evidence::parse_time(identity.at("finished")).value_or(0);
  add_file(found, image.filename().string(), image);
  if (found.files.front().sha256 != *statement.digest)
    throw Error(ErrorKind::input, cat(image.string(), " changed while it was published")).hint("Try again.");
  add_evidence(found, image, statement);
  return found;
}

Pointer publish(const World& world, const PublishWish& wish, const LocalImage& image) {
  world.seen.require_kept();
  const auto held = world.place.hold(wish.reference.name);
  const std::optional<Opened> now = standing(world, wish);
  Pointer next{.reference = wish.reference,
               .expires_s = {},
               .version = image.version,
               .built_s = image.built_s,
               .files = image.files};
  require_not_older(next, now, wish.older);
  put_files(world, wish.reference.name, image, wish.again);
  return is_there_already(next, now, wish) ? now->pointer : set(world, wish, std::move(next), now);
}

Pointer promote(const World& world, const PublishWish& wish, const Reference& from) {
  std::vector<std::string> keys = wish.other_keys;
  keys.push_back(frames::public_key_of(wish.key_pem));
  Pointer next = newest(world, from, keys, Older::is_refused).pointer;
  if (from != wish.reference) require_unexpired(next, world.now_s);  // else it is renewed
  for (const NamedFile& file : next.files) {
    if (world.place.has(from.name, file)) continue;
    throw Error(ErrorKind::input, cat(from.text(), ": ", file.path, " is not at ", world.place.text(), " any more"))
        .hint("Nothing was promoted. Publish the image again.");
  }
  const auto held = world.place.hold(wish.reference.name);
  next.reference = wish.reference;
  const std::optional<Opened> now = standing(world, wish);
  require_not_older(next, now, wish.older);
  return is_there_already(next, now, wish) ? now->pointer : set(world, wish, std::move(next), now);
}

Opened current(const World& world, const Reference& reference, const std::vector<std::string>& keys, Older older) {
  Opened opened = newest(world, reference, keys, older);
  require_unexpired(opened.pointer, world.now_s);
  return opened;
}

fs::path fetch_into(const World& world, const Pointer& pointer, const fs::path& directory) {
  fs::path image = directory / pointer.image().path;
  RealFileSystem files;
  files.make_directories(directory, 0755);
  const FileLock lock = FileLock::acquire(directory);  // another may fetch the same one now
  drop_left_behind(directory);
  if (holds(directory, pointer.files)) return image;
  require_own_places(pointer.files, directory);
  const TempDir scratch = TempDir::create(directory, k_scratch);
  for (const NamedFile& file : pointer.files) {
    const fs::path target = scratch.path() / file.path;
    files.make_directories(target.parent_path(), 0755);
    FetchedFile fetched(file, target);
    world.place.get(pointer.reference.name, file, [&](std::string_view bytes) { fetched.take(bytes); });
    fetched.finish();
    world.note(cat(file.path, ": ", human_bytes(file.size)));
  }
  place_together(pointer.files, scratch.path(), directory);
  return image;
}

}  // namespace hearth::builder::channels
