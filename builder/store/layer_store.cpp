#include "builder/store/layer_store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "base/sys/random.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_records = "records";
constexpr const char* k_suffix = ".json";
constexpr const char* k_key_file = "fact-key";

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
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(-written_at(a), a) < std::pair(-written_at(b), b);
  });
  return files;
}

/// "blob":"DIGEST", wherever it stands; no name of a blob where there is none. Reading whole records took ten times as
/// long where there are a million.
std::string blob_named_in(const std::string& record) {
  constexpr std::string_view member = "\"blob\":\"";
  constexpr std::size_t digits = 64;
  const std::size_t at = record.find(member);
  std::string digest = at == std::string::npos ? "" : record.substr(at + member.size(), digits);
  return is_digest(digest) ? digest : "none";
}

std::optional<LayerRecord> read_record(const fs::path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  return text ? parse_layer_record(*text) : std::nullopt;
}

}  // namespace

std::vector<LayerRecord> LayerStore::find(const std::string& key) const {
  std::vector<LayerRecord> records;
  for (const fs::path& file : record_files(directory_ / k_records / key)) {
    std::optional<LayerRecord> record = read_record(file);
    if (record && is_digest(record->blob) && blobs_.has(record->blob)) records.push_back(std::move(*record));
  }
  return records;
}

void LayerStore::put(const std::string& key, const LayerRecord& record) const {
  RealFileSystem files;
  const fs::path directory = directory_ / k_records / key;
  files.make_directories(directory, 0777);
  files.write(directory / cat(record.id(), k_suffix), format_json(to_json(record)), {.mode = 0644});
}

FactKey LayerStore::fact_key() const {
  const fs::path file = directory_ / k_key_file;
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
  return {read_file(file)};
}

std::vector<std::pair<fs::path, LayerRecord>> LayerStore::records() const {
  std::vector<std::pair<fs::path, LayerRecord>> found;
  visit([&](const fs::path& file, LayerRecord record) { found.emplace_back(file, std::move(record)); });
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first.parent_path(), -written_at(a.first), a.first) <
           std::tuple(b.first.parent_path(), -written_at(b.first), b.first);
  });
  return found;
}

void LayerStore::visit(const std::function<void(const fs::path& file, LayerRecord record)>& visitor) const {
  boost::system::error_code none;
  for (const fs::directory_entry& key : fs::directory_iterator(directory_ / k_records, none)) {
    for (const fs::path& file : record_files(key.path())) {
      if (std::optional<LayerRecord> record = read_record(file)) visitor(file, std::move(*record));
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
    boost::system::error_code not_empty;
    if (is_empty) fs::remove(key.path(), not_empty);
  }
}

std::vector<std::string> LayerStore::prune(std::uint64_t limit, std::int64_t used_before) const {
  std::vector<std::string> removed = blobs_.prune(limit, used_before);
  if (!removed.empty()) drop_orphans();
  return removed;
}

std::vector<std::string> LayerStore::verify(const std::function<void(const std::string&)>& on_blob) const {
  std::vector<std::string> damaged;
  for (const BlobInfo& blob : blobs_.list()) {
    const std::string digest = blob.digest();
    on_blob(digest);
    if (blobs_.verify(digest)) continue;
    blobs_.remove(digest);
    damaged.push_back(digest);
  }
  drop_orphans();
  return damaged;
}

}  // namespace hearth::builder
