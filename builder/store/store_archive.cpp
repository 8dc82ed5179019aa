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

std::size_t export_store(const LayerStore& store, const fs::path& file, const std::set<std::string>& only,
                         CommandRunner& runner) {
  AtomicFile out = AtomicFile::create(file, 0644);
  std::string names;  // a command line holds those of some thousands
  std::size_t layers = 0;
  store.visit([&](const fs::path& path, const std::string& record) {
    const std::optional<LayerGlance> glance = glance_at(record);
    if (!glance || !store.blobs().has(glance->blob) || (!only.empty() && only.count(glance->blob) == 0)) return;
    names += cat(path.lexically_relative(store.directory()).string(), "\nblobs/", glance->blob, "\n");
    ++layers;
  });
  if (layers == 0) throw Error(ErrorKind::not_found, cat("there are no layers in ", store.directory().string()));
  const TempDir scratch = TempDir::create(store.directory(), ".export-");
  RealFileSystem files;
  files.write(scratch.path() / k_end, "", {.mode = 0644});
  files.write(scratch.path() / "names", names, {});
  run_checked(runner,
              Command{.argv = {"tar", "-C", store.directory().string(), "-cf", out.proc_path(), "--verbatim-files-from",
                               "-T", (scratch.path() / "names").string(), "-C", scratch.path().string(), k_end}});
  out.commit();
  return layers;
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
