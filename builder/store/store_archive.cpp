#include "builder/store/store_archive.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_end = "complete";  // the last member: what is cut before it is noticed

/// A copy in the store; the blob gets its own name only if its bytes are those of the name.
void take_blob(const LayerStore& store, const LayerStore& from, const std::string& digest) {
  if (store.blobs().has(digest)) return;
  const std::optional<Blob> blob = from.blobs().open(digest);
  if (!blob || !from.blobs().verify(digest)) {
    throw Error(ErrorKind::input, cat("the layer ", digest, " is missing in the file, or damaged"))
        .hint("Nothing of it was taken; export it again where it comes from.");
  }
  BlobStore::Writer writer = store.blobs().begin();
  writer.write(blob->bytes());
  (void)writer.commit();
}

}  // namespace

std::size_t export_store(const LayerStore& store, const fs::path& file, CommandRunner& runner) {
  AtomicFile out = AtomicFile::create(file, 0644);
  std::vector<std::string> argv = {"tar", "-C", store.directory().string(), "-cf", out.proc_path()};
  const std::vector<std::pair<fs::path, LayerRecord>> records = store.records();
  for (const auto& [path, record] : records) {
    if (!store.blobs().has(record.blob)) continue;
    argv.push_back(fs::relative(path, store.directory()).string());
    argv.push_back(cat("blobs/", record.blob));
  }
  if (records.empty()) throw Error(ErrorKind::not_found, cat("there are no layers in ", store.directory().string()));
  const TempDir scratch = TempDir::create(store.directory(), ".export-");
  RealFileSystem().write(scratch.path() / k_end, "", {.mode = 0644});
  argv.insert(argv.end(), {"-C", scratch.path().string(), k_end});
  run_checked(runner, Command{.argv = argv});
  out.commit();
  return records.size();
}

std::size_t import_store(const LayerStore& store, const fs::path& file, CommandRunner& runner) {
  RealFileSystem().make_directories(store.directory(), 0777);
  const TempDir scratch = TempDir::create(store.directory(), ".import-");
  run_checked(runner, Command{.argv = {"tar", "-C", scratch.path().string(), "--no-same-owner", "-xf", file.string()}});
  if (!fs::exists(scratch.path() / k_end)) {
    throw Error(ErrorKind::input, cat(file.string(), " ends too soon")).hint("Export it again where it comes from.");
  }
  const LayerStore given(scratch.path());
  std::size_t taken = 0;
  for (const auto& [path, record] : given.records()) {
    if (record.planned.empty() || !is_digest(record.blob)) continue;
    take_blob(store, given, record.blob);
    store.put(lookup_key(record.parent, record.planned.front(), record.is_copy), record);
    ++taken;
  }
  return taken;
}

}  // namespace hearth::builder
