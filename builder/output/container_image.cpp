#include "builder/output/container_image.hpp"

#include <fcntl.h>

#include <array>
#include <ctime>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/output/container_layers.hpp"
#include "builder/packing/output_file.hpp"
#include "builder/packing/pipe_stage.hpp"
#include "builder/packing/tree_archive.hpp"

namespace hearth::builder {

namespace {

const std::vector<HashKind> k_sha256 = {HashKind::sha256};

std::string rfc3339(std::int64_t epoch) {
  const auto seconds = static_cast<std::time_t>(epoch);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// GOARCH and its variant, by Debian's name.
std::pair<std::string, std::string> platform(const std::string& debian) {
  if (debian == "i386") return {"386", ""};
  if (debian == "armhf") return {"arm", "v7"};
  if (debian == "ppc64el") return {"ppc64le", ""};
  if (debian == "arm64") return {"arm64", "v8"};
  return {debian, ""};
}

/// Whatever the umask: these modes become part of an archive.
void set_mode(const fs::path& path, int mode = 0755) { fs::permissions(path, static_cast<fs::perms>(mode)); }

void set_file_modes(const fs::path& directory) {
  for (const std::string& name : RealFileSystem().list(directory)) {
    if (fs::is_regular_file(directory / name)) set_mode(directory / name, 0644);
  }
}

/// A blob's place in a layout, by its digest.
struct Blob {
  std::string sha256;
  std::uint64_t bytes = 0;
  [[nodiscard]] Json descriptor(const char* media_type) const {
    return {{"mediaType", media_type}, {"digest", cat("sha256:", sha256)}, {"size", bytes}};
  }
};

Blob add_blob(const fs::path& blobs, const std::string& text) {
  const Blob blob{hex_digest(HashKind::sha256, text), text.size()};
  RealFileSystem().write(blobs / blob.sha256, text, {});
  return blob;
}

/// What the image's configuration says of a layer.
struct LayerFacts {
  std::string what;
  std::string tar_sha256;
};

void stream_layer(const fs::path& tree, const ContainerLayer& layer, int fd, const ContainerImage& image) {
  stream_tree_archive(tree, fd,
                      {.epoch = image.epoch,
                       .holds = [&](const std::string& name) { return layer.holds(name); },
                       .bare_directories = !layer.is_last});
}

/// The configuration of the image: its JSON document.
std::string image_config(const ContainerImage& image, const fs::path& tree, const std::vector<LayerFacts>& layers) {
  const auto [architecture, variant] = platform(image.architecture);
  const std::string created = rfc3339(image.epoch);
  const std::string config = config_json(with_defaults(image.config, TreeReader(tree)));
  Json json = {{"architecture", architecture},
               {"os", "linux"},
               {"created", created},
               {"config", parse_json(config, "container configuration").value_or_throw()},
               {"rootfs", {{"type", "layers"}, {"diff_ids", Json::array()}}},
               {"history", Json::array()}};
  for (const LayerFacts& layer : layers) {
    json["rootfs"]["diff_ids"].push_back(cat("sha256:", layer.tar_sha256));
    json["history"].push_back({{"created", created}, {"created_by", cat("hearth: ", layer.what)}});
  }
  if (!variant.empty()) json["variant"] = variant;
  return cat(format_json(json), "\n");
}

/// tar, its digest, gzip, the blob's digest: side by side, in one pass.
std::pair<Blob, LayerFacts> add_layer(const fs::path& blobs, const fs::path& tree, const ContainerLayer& layer,
                                      const ContainerImage& image) {
  const fs::path file = blobs / "layer";
  Blob blob;
  LayerFacts facts{layer.what, ""};
  const auto write = [&](int fd) {
    PipeStage gzip([&](const Fd& in) { gzip_stream(in, fd); });
    PipeStage digest([&](const Fd& in) { facts.tar_sha256 = copy_hashing(in, gzip.input(), k_sha256).front(); });
    stream_layer(tree, layer, digest.input(), image);
    digest.finish();
    gzip.finish();
  };
  const Fd out = Fd::open(file.string(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
  PipeStage store([&](const Fd& in) { blob.sha256 = copy_hashing(in, out.get(), k_sha256).front(); });
  write(store.input());
  store.finish();
  sync_to_disk(out, file);
  blob.bytes = fs::file_size(file);
  set_mode(file, 0644);
  fs::rename(file, blobs / blob.sha256);
  return {blob, facts};
}

void fill_layout(const fs::path& directory, const fs::path& tree, const ContainerImage& image) {
  const fs::path blobs = directory / "blobs/sha256";
  RealFileSystem files;
  files.make_directories(blobs, 0755);
  for (const fs::path& made : {directory, directory / "blobs", blobs}) set_mode(made);
  std::vector<LayerFacts> layers;
  Json descriptors = Json::array();
  for (const ContainerLayer& layer : plan_container_layers(tree)) {
    const auto [blob, facts] = add_layer(blobs, tree, layer, image);
    layers.push_back(facts);
    descriptors.push_back(blob.descriptor("application/vnd.oci.image.layer.v1.tar+gzip"));
  }
  const Blob config = add_blob(blobs, image_config(image, tree, layers));
  const Json manifest = {{"schemaVersion", 2},
                         {"mediaType", "application/vnd.oci.image.manifest.v1+json"},
                         {"config", config.descriptor("application/vnd.oci.image.config.v1+json")},
                         {"layers", descriptors}};
  Json entry =
      add_blob(blobs, cat(format_json(manifest), "\n")).descriptor("application/vnd.oci.image.manifest.v1+json");
  const auto [architecture, variant] = platform(image.architecture);
  entry["platform"] = {{"architecture", architecture}, {"os", "linux"}};
  if (!variant.empty()) entry["platform"]["variant"] = variant;
  if (!image.tag.empty()) entry["annotations"] = {{"org.opencontainers.image.ref.name", image.tag}};
  files.write(directory / "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}\n", {});
  files.write(directory / "index.json", cat(format_json(Json{{"schemaVersion", 2}, {"manifests", {entry}}}), "\n"), {});
  set_file_modes(blobs);
  set_file_modes(directory);
}

/// Of a build that was killed: what TempDir makes with this prefix, and nothing else.
void remove_leftovers(const fs::path& parent, const std::string& prefix) {
  constexpr std::size_t random_characters = 6;
  for (const std::string& name : RealFileSystem().list(parent)) {
    const bool ours = name.starts_with(prefix) && name.size() == prefix.size() + random_characters;
    if (ours && fs::is_directory(fs::symlink_status(parent / name / "layout"))) fs::remove_all(parent / name);
  }
}

}  // namespace

void write_container_image(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                           const fs::path& scratch) {
  const TempDir work = TempDir::create(scratch, "container-");
  const fs::path parts = work.path() / "parts";
  RealFileSystem files;
  files.make_directories(parts, 0755);
  set_mode(parts);
  std::vector<LayerFacts> layers;
  Json names = Json::array();
  for (const ContainerLayer& layer : plan_container_layers(tree)) {
    const fs::path file = work.path() / "layer.tar";
    const Fd out = Fd::open(file.string(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    LayerFacts facts{layer.what, ""};
    PipeStage store([&](const Fd& in) { facts.tar_sha256 = copy_hashing(in, out.get(), k_sha256).front(); });
    stream_layer(tree, layer, store.input(), image);
    store.finish();
    names.push_back(cat(facts.tar_sha256, ".tar"));
    fs::rename(file, parts / cat(facts.tar_sha256, ".tar"));
    layers.push_back(facts);
  }
  const std::string config = image_config(image, tree, layers);
  const std::string config_name = cat(hex_digest(HashKind::sha256, config), ".json");
  files.write(parts / config_name, config, {});
  const Json manifest = Json::array({{{"Config", config_name}, {"RepoTags", {image.tag}}, {"Layers", names}}});
  files.write(parts / "manifest.json", cat(format_json(manifest), "\n"), {});
  set_file_modes(parts);
  write_streamed(target, image.checksums, [&](int fd) { stream_tree_archive(parts, fd, {.epoch = image.epoch}); });
}

void write_oci_layout(const fs::path& tree, const fs::path& target, const ContainerImage& image, const fs::path& kept) {
  const std::string prefix = cat(".", target.filename().string(), ".");
  remove_leftovers(target.parent_path(), prefix);
  const TempDir work = TempDir::create(target.parent_path(), prefix);
  const fs::path layout = work.path() / "layout";
  fill_layout(layout, tree, image);
  place_directory(layout, target, kept);
}

void write_oci_archive(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                       const fs::path& scratch) {
  const TempDir work = TempDir::create(scratch, "container-");
  fill_layout(work.path() / "layout", tree, image);
  write_streamed(target, image.checksums,
                 [&](int fd) { stream_tree_archive(work.path() / "layout", fd, {.epoch = image.epoch}); });
}

}  // namespace hearth::builder
