#include "builder/output/container_image.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/output/tree_archive.hpp"

namespace hearth::builder {

namespace {

std::string rfc3339(std::int64_t epoch) {
  const auto seconds = static_cast<std::time_t>(epoch);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string sha256_of(const fs::path& path) {
  Hasher hasher(HashKind::sha256);
  const Fd file = Fd::open(path.string(), O_RDONLY);
  std::string buffer(std::size_t{1} << 20U, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0) throw Error::from_errno("reading", path.string());
    if (got == 0) return hasher.hex_digest();
    hasher.update(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
  }
}

}  // namespace

std::string container_config(const ContainerImage& image, const std::string& layer_sha256) {
  const Json config = {{"architecture", image.architecture},
                       {"os", "linux"},
                       {"created", rfc3339(image.epoch)},
                       {"config", Json::object()},
                       {"rootfs", {{"type", "layers"}, {"diff_ids", {cat("sha256:", layer_sha256)}}}}};
  return cat(config.dump(), "\n");
}

void write_container_image(const fs::path& tree, const fs::path& target, const ContainerImage& image,
                           const fs::path& scratch) {
  const TempDir work = TempDir::create(scratch, "container-");
  const fs::path parts = work.path() / "parts";
  RealFileSystem files;
  files.make_directories(parts, 0755);
  const fs::path layer = work.path() / "layer.tar";
  write_tree_archive(tree, layer, Compression::none, image.epoch);
  const std::string sha256 = sha256_of(layer);
  fs::rename(layer, parts / cat(sha256, ".tar"));
  const std::string config = container_config(image, sha256);
  const std::string config_name = cat(hex_digest(HashKind::sha256, config), ".json");
  files.write(parts / config_name, config, {});
  const Json manifest =
      Json::array({{{"Config", config_name}, {"RepoTags", {image.tag}}, {"Layers", {cat(sha256, ".tar")}}}});
  files.write(parts / "manifest.json", cat(manifest.dump(), "\n"), {});
  write_tree_archive(parts, target, Compression::none, image.epoch);
}

}  // namespace hearth::builder
