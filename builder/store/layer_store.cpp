#include "builder/store/layer_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_records = "records";
constexpr const char* k_suffix = ".json";
constexpr const char* k_key_file = "fact-key";
constexpr const char* k_pins = "pins";

std::int64_t written_at(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return 0;
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::vector<fs::path> record_files(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const std::string& name : RealFileSystem().list(directory)) {
    if (fs::path(name).extension() == k_suffix && name.front() != '.') files.push_back(directory / name);
  }
  if (files.size() < 2) return files;  // most keys: nobody has to be asked when it was written
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(-written_at(a), a) < std::pair(-written_at(b), b);
  });
  return files;
}

/// "blob":"DIGEST", wherever it stands; no name of a blob where there is none.
std::string blob_named_in(const std::string& record) {
  constexpr std::string_view member = "\"blob\":\"";
  constexpr std::size_t digits = 64;
  const std::size_t at = record.find(member);
  std::string digest = at == std::string::npos ? "" : record.substr(at + member.size(), digits);
  return is_digest(digest) ? digest : "none";
}

/// The end of the list of texts that begins at `at`, behind its bracket.
std::size_t end_of_list(const std::string& json, std::size_t at) {
  bool is_text = false;
  for (; at < json.size(); ++at) {
    if (is_text && json[at] == '\\') {
      ++at;
    } else if (json[at] == '"') {
      is_text = !is_text;
    } else if (!is_text && json[at] == ']') {
      return at + 1;
    }
  }
  return std::string::npos;
}

/// Held by who writes a record, and alone by who removes a directory that has none: else it goes between its making and
/// the record's. Nothing where the lock can't be had.
std::optional<Fd> lock_records(const fs::path& records, int kind) {
  Fd fd = Fd::open(records.string(), O_RDONLY | O_DIRECTORY);
  if (::flock(fd.get(), kind) != 0) return std::nullopt;
  return fd;
}

std::optional<LayerRecord> read_record(const fs::path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  return text ? parse_layer_record(*text) : std::nullopt;
}

}  // namespace

std::optional<LayerGlance> glance_at(const std::string& record) {
  constexpr std::string_view member = "\"planned\":[";
  LayerGlance glance{.blob = blob_named_in(record), .first_step = {}, .last_step = {}};
  const std::size_t at = record.find(member);
  if (at == std::string::npos || !is_digest(glance.blob)) return std::nullopt;
  const std::size_t begin = at + member.size() - 1;
  const std::size_t end = end_of_list(record, begin + 1);
  if (end == std::string::npos) return std::nullopt;
  const Result<Json> planned = parse_json(record.substr(begin, end - begin), "planned steps");
  if (!planned.ok() || planned->empty() || !planned->front().is_string() || !planned->back().is_string())
    return std::nullopt;
  glance.first_step = planned->front().get<std::string>();
  if (planned->size() > 1) glance.last_step = planned->back().get<std::string>();
  return glance;
}

std::vector<LayerRecord> LayerStore::find(const std::string& key) const {
  std::vector<LayerRecord> records;
  for (const fs::path& file : record_files(directory_ / k_records / key)) {
    std::optional<LayerRecord> record = read_record(file);
    if (record && is_digest(record->blob) && blobs_.has(record->blob)) records.push_back(std::move(*record));
  }
  return records;
}

void LayerStore::put(const std::string& key, const LayerRecord& record) const {
  check(is_digest(record.blob), "a record names a blob", "key", key, "blob", record.blob);
  RealFileSystem files;
  const fs::path directory = directory_ / k_records / key;
  make_store_directory(directory_ / k_records);
  const std::optional<Fd> lock = lock_records(directory_ / k_records, LOCK_SH);
  make_store_directory(directory);
  files.write(directory / cat(record.id(), k_suffix), format_json(to_json(record)), {.mode = 0644});
}

FactKey LayerStore::fact_key() const {
  fs::path file = directory_ / k_key_file;
  if (::access(file.c_str(), F_OK) == 0 && ::access(file.c_str(), R_OK) != 0) file += cat("-", ::geteuid());
  RealFileSystem files;
  if (!files.read(file)) {
    files.make_directories(directory_, 0777);
    const fs::path mine = directory_ / cat(".", k_key_file, "-", random_hex(8));
    files.write(mine, random_hex(32), {.mode = 0600});
    const bool is_there = ::link(mine.c_str(), file.c_str()) == 0 || errno == EEXIST;  // a build was faster
    const int error = errno;
    files.remove(mine);
    if (!is_there) throw Error::from_errno("writing", file.string(), error);
    sync_directory(directory_);
  }
  FactKey key{read_file(file)};
  if (!key.bytes.empty()) return key;
  throw Error(ErrorKind::io, cat(file.string(), " is empty: the key by which digests of secrets can't be guessed"))
      .hint(
          "A power cut or a full disk may have left it so. Remove it: the next build makes another, and runs anew what "
          "read secrets.");
}

std::vector<std::pair<fs::path, LayerRecord>> LayerStore::records() const {
  std::vector<std::pair<fs::path, LayerRecord>> found;
  visit([&](const fs::path& file, const std::string& text) {
    if (std::optional<LayerRecord> record = parse_layer_record(text)) found.emplace_back(file, std::move(*record));
  });
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first.parent_path(), -written_at(a.first), a.first) <
           std::tuple(b.first.parent_path(), -written_at(b.first), b.first);
  });
  return found;
}

void LayerStore::visit(const std::function<void(const fs::path& file, const std::string& record)>& visitor) const {
  RealFileSystem files;
  boost::system::error_code none;
  for (const fs::directory_entry& key : fs::directory_iterator(directory_ / k_records, none)) {
    for (const fs::path& file : record_files(key.path())) {
      if (const std::optional<std::string> text = files.read(file)) visitor(file, *text);
    }
  }
}

/// A record that can't be read as a whole is a miss, and goes with its blob.
void LayerStore::drop_orphans() const {
  RealFileSystem files;
  boost::system::error_code none;
  for (const fs::directory_entry& key : fs::directory_iterator(directory_ / k_records, none)) {
    bool is_empty = true;
    for (const fs::path& file : record_files(key.path())) {
      const bool is_kept = blobs_.has(blob_named_in(files.read(file).value_or("")));
      is_empty = is_empty && !is_kept;
      if (!is_kept) files.remove(file);
    }
    if (!is_empty) continue;
    boost::system::error_code not_empty;
    const std::optional<Fd> lock = lock_records(directory_ / k_records, LOCK_EX | LOCK_NB);
    if (lock) fs::remove(key.path(), not_empty);  // or next time
  }
}

fs::path LayerStore::pin_file(const fs::path& image) const {
  const std::string digest = hex_digest(HashKind::sha256, image.lexically_normal().string());
  return directory_ / k_pins / cat(digest, k_suffix);
}

void LayerStore::pin(const Pin& pin) const {
  RealFileSystem files;
  make_store_directory(directory_ / k_pins);
  const Json json = {{"image", pin.image.lexically_normal().string()}, {"layers", pin.layers}};
  files.write(pin_file(pin.image), format_json(json), {.mode = 0644});
}

bool LayerStore::is_pinned(const fs::path& image) const { return RealFileSystem().status(pin_file(image)).has_value(); }

bool LayerStore::unpin(const fs::path& image) const {
  const bool was_pinned = is_pinned(image);
  RealFileSystem().remove(pin_file(image));
  return was_pinned;
}

std::vector<Pin> LayerStore::pins() const {
  std::vector<Pin> pins;
  for (const fs::path& file : record_files(directory_ / k_pins)) {
    const Result<Json> json = parse_json(RealFileSystem().read(file).value_or(""), file.string());
    try {
      const Json& read = json.ok() ? json.value() : Json();
      pins.push_back({read.at("image").get<std::string>(), read.at("layers").get<std::vector<std::string>>()});
    } catch (const Json::exception&) {
      throw Error(ErrorKind::input,
                  cat(file.string(), " is damaged: which layers it pins is not known, so none is pruned"))
          .hint("Remove it, and pin its image again.");
    }
  }
  return pins;
}

std::set<std::string> LayerStore::pinned_layers() const {
  std::set<std::string> layers;
  for (const Pin& pin : pins()) layers.insert(pin.layers.begin(), pin.layers.end());
  return layers;
}

std::vector<std::string> LayerStore::prune(std::uint64_t limit, std::int64_t used_before) const {
  std::vector<std::string> removed = blobs_.prune(limit, used_before, pinned_layers());
  if (!removed.empty()) drop_orphans();
  return removed;
}

std::vector<std::string> LayerStore::verify(const std::function<void(const std::string&)>& on_blob) const {
  std::vector<std::string> damaged = blobs_.remove_damaged(on_blob);
  drop_orphans();
  return damaged;
}

}  // namespace hearth::builder
