// `hearth image load`: the field's load-image: kernel and ramdisk out of an image, all three registered for nodes;
// `image unload` takes them away again.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/cli/working.hpp"
#include "base/error.hpp"
#include "base/frames/frame_map.hpp"
#include "base/hash.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/stoppable_runner.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "bootstrap/api/image_evidence.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/node/node.hpp"
#include "builder/boot/kernel_extract.hpp"
#include "builder/channels/commands.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/frames/image_frames.hpp"

namespace hearth::bootstrap {

namespace {

/// A folder below DIR. Root may write there, where DIR is another user's: by none of that user's links, and as that
/// user's.
class StateFolder {
 public:
  StateFolder(const fs::path& state, const std::vector<const char*>& names)
      : folder_(Fd::open(state.string(), O_RDONLY | O_DIRECTORY)) {
    if (::fstat(folder_.get(), &owner_) != 0) throw Error::from_errno("looking at", state.string());
    for (const char* name : names) {
      const bool is_new = ::mkdirat(folder_.get(), name, 0755) == 0;
      folder_ = open_beneath(folder_, name, O_RDONLY | O_DIRECTORY);
      if (is_new) give(folder_, name);
    }
  }
  /// Copies a file there, which appears when it is complete; its SHA-256.
  [[nodiscard]] std::string keep(const fs::path& source, const std::string& name) const {
    const Fd from = Fd::open(source.string(), O_RDONLY);
    AtomicFile to = begun(name);
    Hasher hasher(HashKind::sha256);
    std::string part(std::size_t{1} << 20U, '\0');
    while (true) {
      StopSignals::check();
      const ssize_t got = ::read(from.get(), part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error::from_errno("reading", source.string());
      if (got == 0) break;
      const std::string_view bytes(part.data(), static_cast<std::size_t>(got));
      hasher.update(bytes);
      write_all(to.fd(), bytes, name);
    }
    give(to.fd(), name);
    to.commit();
    return hasher.hex_digest();
  }

  /// The frames of an image, likewise; their root. Each root has a file of its own (frames_name()): machines that get
  /// the image of before go on with theirs. One that is there with the same bytes stays as it is.
  [[nodiscard]] std::string keep_frames(const fs::path& image, const fs::path& scratch, const std::string& name,
                                        CommandRunner& runner) const {
    constexpr int k_fast = 3;                            // of zstd; somebody waits for it
    const std::string first = cat(name, ".frames.new");  // no record's: NAME.frames is one of an older Hearth
    AtomicFile to = begun(first);
    const std::string root =
        builder::frames::write_image_frames(image, scratch, to.fd(), {.level = k_fast}, runner).root;
    give(to.fd(), first);
    to.commit();
    const std::string own = frames_name(name, root);
    if (is_same(first, own))
      drop(first);
    else if (::renameat(folder_.get(), first.c_str(), folder_.get(), own.c_str()) != 0)
      throw Error::from_errno("renaming", first);
    return root;
  }
  [[nodiscard]] static std::string frames_name(const std::string& name, const std::string& root) {
    constexpr std::size_t k_of_root = 16;
    return cat(name, ".", root.substr(0, k_of_root), ".frames");
  }

  void keep_text(const std::string& text, const std::string& name) const {
    AtomicFile to = begun(name);
    write_all(to.fd(), text, name);
    give(to.fd(), name);
    to.commit();
  }

  /// A file that is gone already is none to complain of.
  void drop(const std::string& name) const {
    if (::unlinkat(folder_.get(), name.c_str(), 0) != 0 && errno != ENOENT) throw Error::from_errno("removing", name);
  }

 private:
  [[nodiscard]] fs::path path_of(const std::string& name) const {
    return fs::path(cat("/proc/self/fd/", folder_.get())) / name;
  }
  [[nodiscard]] bool is_same(const std::string& name, const std::string& other) const {
    const fs::path place = path_of(other);
    return fs::is_regular_file(fs::symlink_status(place)) &&
           digest_file(path_of(name)).sha256 == digest_file(place).sha256;
  }
  [[nodiscard]] AtomicFile begun(const std::string& name) const { return AtomicFile::create(path_of(name)); }
  void give(const Fd& made, const std::string& name) const {
    if (::geteuid() == 0 && owner_.st_uid != 0 && ::fchown(made.get(), owner_.st_uid, owner_.st_gid) != 0)
      throw Error::from_errno(cat("giving to user ", owner_.st_uid), name);
  }
  Fd folder_;
  struct stat owner_ {};
};

/// What an agent takes the image for, by its file's name.
const char* registered_format(const fs::path& image) { return image.extension() == ".qcow2" ? "qcow2" : "raw"; }

struct TakenIn {
  std::string sha256;
  std::string root;  ///< of the image's frames; empty: there are none
};

/// The image's own kernel and ramdisk, or those that were named, the image beside them, and its frames, which machines
/// give to each other where they fetch it from here.
TakenIn take_in(const fs::path& image, const StateFolder& folder, const std::string& name,
                const cli::Arguments& arguments) {
  const SystemClock clock;
  StoppableRunner runner(clock);  // to find the kernel, the disk is unpacked
  const TempDir found = TempDir::create(fs::temp_directory_path(), "hearth-image");
  builder::KernelOutput boot{found.path() / "kernel", found.path() / "ramdisk"};
  if (arguments.has("kernel") && arguments.has("ramdisk"))
    boot = {*arguments.value("kernel"), *arguments.value("ramdisk")};
  else
    builder::extract_kernel(image, boot, runner);
  static_cast<void>(folder.keep(boot.kernel, cat(name, ".kernel")));
  static_cast<void>(folder.keep(boot.ramdisk, cat(name, ".ramdisk")));
  TakenIn taken{folder.keep(image, cat(name, image.extension().string())), ""};
  const bool has_frames = !arguments.has("image-url") && image.extension() != ".frames" &&
                          builder::frames::is_whole_disk(image, registered_format(image));
  if (has_frames) taken.root = folder.keep_frames(image, found.path(), name, runner);
  return taken;
}

constexpr std::size_t k_largest_evidence = std::size_t{64} << 20U;  // the parts list of a whole desktop has 30 MB

/// What stands beside an image and tells of what it was made. An image may come from anybody, and all who log in may
/// read this: a link there, which could lead to any file of this machine, is refused. Each file is read once, so that
/// what is told of it is what is kept.
class Evidence {
 public:
  explicit Evidence(const fs::path& image) : beside_(builder::records_directory(image.string())) {
    const std::optional<Fd> folder = folder_of(beside_);
    if (!folder) return;
    for (const char* file : k_evidence_shown) {
      if (std::optional<std::string> text = text_of(*folder, file)) files_.emplace_back(file, std::move(*text));
    }
    manifest_ = json_of(builder::k_manifest_file);
    statement_ = json_of(builder::k_provenance_file);
  }

  /// Keeps it in the folder of that state, where the conductor gives it out (api/image_evidence.hpp), and tells what it
  /// says; null where there is none.
  [[nodiscard]] Json kept(const fs::path& state, const std::string& name, const std::string& digest) const {
    if (manifest_.is_null()) return nullptr;
    Json shown = evidence_summary(manifest_, statement_, digest);
    const StateFolder folder(state, {k_evidence_folder});
    shown["files"] = Json::array();
    for (const auto& [file, text] : files_) {
      folder.keep_text(text, evidence_name(name, file));
      shown["files"].push_back(file);
    }
    return shown;
  }

 private:
  static Error link_error(const fs::path& file) {
    Error error(ErrorKind::input, cat(file.string(), " is a link: all who log in could read where it leads"));
    error.hint("put the file itself there, or take the link away: the image is then loaded without it");
    return error;
  }
  /// Nothing where there is no such folder.
  static std::optional<Fd> folder_of(const fs::path& folder) try {
    return Fd::open(folder.string(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (const Error& error) {
    if (error.system_error() == ENOENT) return std::nullopt;
    if (fs::is_symlink(fs::symlink_status(folder))) throw link_error(folder);
    throw;
  }
  /// Nothing where there is no such file.
  [[nodiscard]] std::optional<Fd> open_in(const Fd& folder, const char* name) const try {
    return open_beneath(folder, name, O_RDONLY | O_NONBLOCK);
  } catch (const Error& error) {
    if (error.system_error() == ENOENT) return std::nullopt;
    if (error.kind() == ErrorKind::input) throw link_error(beside_ / name);
    throw;
  }
  /// Nothing where there is no such file.
  [[nodiscard]] std::optional<std::string> text_of(const Fd& folder, const char* name) const {
    const std::string path = (beside_ / name).string();
    const std::optional<Fd> file = open_in(folder, name);
    if (!file) return std::nullopt;
    struct stat status {};
    if (::fstat(file->get(), &status) != 0) throw Error::from_errno("looking at", path);
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::input, cat(path, " is no regular file"));
    std::string text;
    std::array<char, 65536> part;
    while (true) {
      const ssize_t got = ::read(file->get(), part.data(), part.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error::from_errno("reading", path);
      if (got == 0) return text;
      text.append(part.data(), static_cast<std::size_t>(got));
      if (text.size() > k_largest_evidence)
        throw Error(ErrorKind::input, cat(path, " has more than ", human_bytes(k_largest_evidence)))
            .hint("evidence is no larger; take it away: the image is then loaded without it");
    }
  }
  [[nodiscard]] Json json_of(std::string_view name) const {
    for (const auto& [file, text] : files_) {
      if (file != name) continue;
      const Result<Json> parsed = parse_json(text, (beside_ / file).string());
      if (parsed) return *parsed;
      throw Error(ErrorKind::input, cat("what tells of the image is no JSON: ", parsed.error().text()))
          .hint("take that file away: the image is then loaded without it");
    }
    return nullptr;
  }

  fs::path beside_;
  std::vector<std::pair<std::string, std::string>> files_;
  Json manifest_;
  Json statement_;
};

/// They are written to machines block by block; no kernel can be taken out of them.
void require_no_frames(const fs::path& image) {
  if (!fs::is_regular_file(image)) return;
  std::string head(frames::k_magic.size(), '\0');
  const Fd file = Fd::open(image.string(), O_RDONLY);
  if (::read(file.get(), head.data(), head.size()) < 0) throw Error::from_errno("reading", image.string());
  if (head != frames::k_magic) return;
  throw Error(ErrorKind::input, cat(image.string(), " is what hearth image publish made of an image, and no disk"))
      .hint(cat("Load the image that it was made of: hearth image load ", image.stem().string(), ".qcow2, say."));
}

/// A conductor that is reached by a URL may be another machine's, whose paths are the same as those of a seed here: its
/// folder is this machine's where somebody says so.
bool is_folder_here(const cli::Arguments& arguments) {
  return conductor_url(arguments).empty() || arguments.has("state") ||
         current_environment().contains("HEARTH_NODE_STATE");
}

/// What is copied here is nothing to a seed that is another machine.
void require_folder_here(const cli::Arguments& arguments) {
  if (is_folder_here(arguments)) return;
  throw Error(ErrorKind::usage, cat("image load copies the image into the seed's folder, and the conductor at ",
                                    conductor_url(arguments), " may be another machine's"))
      .hint("Run it on the seed, without --url; where the seed's folder is at hand here, name it: --state DIR");
}

/// Of an image, frames that the one before had of this name: machines may be at them.
constexpr const char* k_former_frames = "frames_before";

/// Null where there is none.
Json image_record(ConductorClient& conductor, const std::string& name) try {
  return conductor.call("GET", cat("/v1/hearth/images/", percent_encode(name)));
} catch (const Error& error) {
  if (error.kind() != ErrorKind::not_found) throw;
  return nullptr;
}

/// Those of the record before that are to stay beside `frames`; empty: none.
std::string former_frames(const Json& before, const std::string& frames) {
  const std::string last = text_in(before, "frames");
  return last == frames ? text_in(before, k_former_frames) : last;
}

/// What the record before had of that folder, and that of now has not.
void drop_others(const StateFolder& images, const fs::path& folder, const Json& before, const Json& now) {
  for (const char* key : {"frames", k_former_frames}) {
    const fs::path file = text_in(before, key);
    const bool is_here = fs::weakly_canonical(file.parent_path()) == fs::weakly_canonical(folder);
    if (is_here && file != text_in(now, "frames") && file != text_in(now, k_former_frames))
      images.drop(file.filename().string());
  }
}

int load(const cli::Arguments& arguments) {
  require_folder_here(arguments);
  const fs::path image = builder::channels::image_named(arguments.operand(0, "image"), arguments);
  if (!fs::exists(image)) throw Error(ErrorKind::not_found, cat("there is no ", image.string()));
  require_no_frames(image);
  const std::string name = arguments.value_or("name", image.stem().string());
  const Evidence evidence(image);
  const auto conductor = ConductorClient::open(arguments, ConductorClient::NewState::made);
  const fs::path folder = fs::path(state_directory(arguments)) / "files" / "images";
  std::optional<cli::Working> working(std::in_place, cat("taking in ", image.filename().string()));
  const StateFolder images(state_directory(arguments), {"files", "images"});
  const auto [digest, root] = take_in(image, images, name, arguments);
  const Json before = image_record(*conductor, name);
  Json record = {{"kernel", (folder / cat(name, ".kernel")).string()},
                 {"ramdisk", (folder / cat(name, ".ramdisk")).string()},
                 {"file", (folder / cat(name, image.extension().string())).string()},
                 {"image_os_hash_algo", "sha256"},
                 {"image_os_hash_value", digest},
                 {"image_disk_format", registered_format(image)}};
  if (!root.empty())
    record.update({{"frames", (folder / StateFolder::frames_name(name, root)).string()}, {"frames_root", root}});
  if (const std::string former = former_frames(before, text_in(record, "frames")); !former.empty())
    record[k_former_frames] = former;
  working.reset();
  record["evidence"] = evidence.kept(state_directory(arguments), name, digest);
  if (const auto url = arguments.value("image-url")) record["image_source"] = *url;
  conductor->call("PUT", cat("/v1/hearth/images/", percent_encode(name)), record);
  drop_others(images, folder, before, record);
  cli::print(cat(name, " sha256:", digest, "\n"));
  if (!conductor->lasts()) tell_where_kept(arguments);
  return 0;
}

/// The files of a registered image.
std::vector<fs::path> files_of(const Json& image) {
  std::vector<fs::path> files;
  for (const char* key : {"file", "frames", k_former_frames, "kernel", "ramdisk"}) {
    if (const std::string file = text_in(image, key); !file.empty()) files.emplace_back(file);
  }
  return files;
}

Json loaded_images(ConductorClient& conductor) { return conductor.call("GET", "/v1/hearth/images")["images"]; }

/// The record first: an image of which a file is missing is one that can't be given. What another image has as well, or
/// lies elsewhere, stays.
int unload(const cli::Arguments& arguments) {
  const std::string& name = arguments.operand(0, "image");
  const auto conductor = ConductorClient::open(arguments);
  const std::string path = cat("/v1/hearth/images/", percent_encode(name));
  std::vector<fs::path> files;
  try {
    files = files_of(conductor->call("GET", path));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::not_found) throw;
    std::vector<std::string> names;
    for (const Json& each : loaded_images(*conductor)) names.push_back(text_in(each, "name"));
    const std::optional<std::string> near = nearest(name, names);
    throw Error(ErrorKind::not_found, cat("there is no image ", name, " for machines"))
        .hint(near ? cat("Did you mean ", *near, "?") : "hearth image list names those that there are.");
  }
  conductor->call("DELETE", path);
  for (const Json& other : loaded_images(*conductor)) {
    for (const fs::path& file : files_of(other)) std::erase(files, file);
  }
  const bool is_here = is_folder_here(arguments);
  const fs::path folder = fs::path(state_directory(arguments)) / "files" / "images";
  std::erase_if(files, [&](const fs::path& file) {
    if (!is_here) return true;
    return fs::weakly_canonical(file.parent_path()) != fs::weakly_canonical(folder) || !fs::exists(file);
  });
  if (!files.empty()) {
    const StateFolder kept(state_directory(arguments), {"files", "images"});
    for (const fs::path& file : files) kept.drop(file.filename().string());
  }
  cli::print(cat(name, " is unloaded; ", files.size(), files.size() == 1 ? " file" : " files", " removed",
                 is_here ? "" : " (they lie with the seed; --state DIR names its folder where that is here)", "\n"));
  return 0;
}

/// A path or a URL is one word, which a table leaves whole: in the last column of a terminal's it goes on below.
void break_places(const cli::Row& head, std::vector<cli::Row>& rows, std::size_t room) {
  constexpr std::size_t k_border = 3;  // "| " and a blank
  constexpr std::size_t k_least = 16;
  std::size_t taken = 1 + k_border;
  for (std::size_t x = 0; x + 1 < head.size(); ++x) {
    std::size_t width = cli::columns(head[x]);
    for (const cli::Row& row : rows) width = std::max(width, cli::columns(row[x]));
    taken += width + k_border;
  }
  if (room < taken + k_least) return;
  for (cli::Row& row : rows) row.back() = cli::fitted(row.back(), room - taken);
}

int list_images(const cli::Arguments& arguments) {
  const Json images = loaded_images(*ConductorClient::open(arguments));
  if (arguments.has("json")) {
    cli::print(json_document(images));
    return 0;
  }
  if (images.empty()) {
    cli::print("There are no images for machines yet; hearth image load makes one.\n");
    return 0;
  }
  std::vector<cli::Row> rows;
  for (const Json& image : images) {
    const std::string digest = text_in(image, "image_os_hash_value");
    rows.push_back({text_in(image, "name"), text_in(image, "image_disk_format"),
                    cat(digest.substr(0, 12), digest.size() > 12 ? "…" : ""),
                    text_in(image, "image_source", text_in(image, "file"))});
  }
  const cli::Row head = {"Name", "Format", "SHA-256", "Where it is"};
  const std::size_t room = cli::table_room();
  break_places(head, rows, room);
  cli::print(cli::table(head, rows, room));
  return 0;
}

}  // namespace

std::vector<cli::Command> image_commands() {
  std::vector<cli::Option> options = {{"name", 0, "NAME", "its name (the file's)"},
                                      {"kernel", 0, "FILE", "this kernel, in place of the image's own"},
                                      {"ramdisk", 0, "FILE", "and this ramdisk"},
                                      {"image-url", 0, "URL", "where machines fetch it, if not from the seed"}};
  for (cli::Option& option : builder::channels::source_options()) options.push_back(std::move(option));
  return {
      {"image load", "IMAGE|NAME@CHANNEL", "take an image, its kernel and its ramdisk into the seed",
       "The three are copied to DIR/files/images, on the seed itself (with --url: where --state says), and registered "
       "under one name: hearth node deploy --image NAME "
       "writes the "
       "image, as frames that are made of it and that machines give to each other (not with --image-url); hearth "
       "baremetal configure boot --deploy-kernel NAME --deploy-ramdisk NAME boots its kernel and "
       "ramdisk. What the image was made of (FILE.d beside it, as hearth image create leaves it) is taken along: the "
       "status page shows it.",
       with_client(std::move(options)), load},
      {"image unload", "LOADED-IMAGE", "take an image away from the seed again",
       "The image is forgotten, and what hearth image load copied is removed (with --url: where --state says). It is "
       "refused while a node has the "
       "image, "
       "or boots its kernel and ramdisk.",
       with_client({}), unload},
      {"image list", "", "the images that machines can be given", "What hearth image load has registered.",
       with_client({{"json", 0, "", "as JSON"}}), list_images}};
}

}  // namespace hearth::bootstrap
