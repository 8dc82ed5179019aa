#include "builder/store/layer_store.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

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
  for (const std::string& key : RealFileSystem().list(directory_ / k_records)) {
    for (const fs::path& file : record_files(directory_ / k_records / key)) {
      if (std::optional<LayerRecord> record = read_record(file)) found.emplace_back(file, std::move(*record));
    }
  }
  return found;
}

void LayerStore::drop_orphans() const {
  RealFileSystem files;
  for (const std::string& key : files.list(directory_ / k_records)) {
    for (const fs::path& file : record_files(directory_ / k_records / key)) {
      const std::optional<LayerRecord> record = read_record(file);
      if (!record || !blobs_.has(record->blob)) files.remove(file);
    }
    boost::system::error_code not_empty;
    fs::remove(directory_ / k_records / key, not_empty);
  }
}

std::vector<std::string> LayerStore::prune(std::uint64_t limit) const {
  std::vector<std::string> removed = blobs_.prune(limit);
  if (!removed.empty()) drop_orphans();
  return removed;
}

std::vector<std::string> LayerStore::verify(const std::function<void(const std::string&)>& on_blob) const {
  std::vector<std::string> damaged;
  for (const BlobInfo& blob : blobs_.list()) {
    on_blob(blob.digest);
    if (blobs_.verify(blob.digest)) continue;
    blobs_.remove(blob.digest);
    damaged.push_back(blob.digest);
  }
  drop_orphans();
  return damaged;
}

}  // namespace hearth::builder
