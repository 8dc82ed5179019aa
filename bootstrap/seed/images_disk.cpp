#include "bootstrap/seed/images_disk.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "bootstrap/handover/handover.hpp"
#include "builder/frames/image_frames.hpp"

namespace hearth::bootstrap {

namespace {

/// By these it is known whether an image was told of as it is.
constexpr std::array k_identity = {"image_os_hash_value", "frames_root"};

const char* disk_format_of(const fs::path& image) { return image.extension() == ".qcow2" ? "qcow2" : "raw"; }

/// What machines give each other of it; its root, or nothing where the file is no disk in itself.
std::string add_frames(const fs::path& image, const fs::path& target, CommandRunner& runner) {
  constexpr int k_fast = 3;  // of zstd; somebody waits for it
  if (!builder::frames::is_whole_disk(image, disk_format_of(image))) return "";
  const TempDir scratch = TempDir::create(target.parent_path(), "frames.");
  const Fd out = Fd::open(target.string(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  return builder::frames::write_image_frames(image, scratch.path(), out, {.level = k_fast}, runner).root;
}

}  // namespace

Json pack_image(const PackedImage& image, const fs::path& target, CommandRunner& runner) {
  const TempDir folder = TempDir::create(target.parent_path(), "images.");
  const auto add = [&](const fs::path& file, const std::string& name) {
    if (!fs::exists(file)) throw Error(ErrorKind::not_found, cat("there is no ", file.string()));
    fs::create_hard_link(file, folder.path() / name);
  };
  const auto add_or_copy = [&](const fs::path& file, const std::string& name) {
    try {
      add(file, name);
    } catch (const fs::filesystem_error&) {  // another file system
      fs::copy_file(file, folder.path() / name);
    }
  };
  add_or_copy(image.file, cat(image.name, image.file.extension().string()));
  add_or_copy(image.deploy.kernel, cat(image.name, ".kernel"));
  add_or_copy(image.deploy.ramdisk, cat(image.name, ".ramdisk"));
  const std::string frames_root = add_frames(image.file, folder.path() / cat(image.name, ".frames"), runner);
  Command command;
  command.argv = {"mksquashfs",
                  folder.path().string(),
                  target.string(),
                  "-noappend",
                  "-no-progress",
                  "-quiet",
                  "-all-root",
                  "-root-mode",
                  "0755",
                  "-action",
                  "chmod(0444)@type(f)",
                  "-noI",
                  "-noD",
                  "-noF",
                  "-noX"};
  run_checked(runner, command);
  const std::string base = cat(k_images_place, "/", image.name);
  Json record = {{"kernel", cat(base, ".kernel")},
                 {"ramdisk", cat(base, ".ramdisk")},
                 {"file", cat(base, image.file.extension().string())},
                 {"image_os_hash_algo", "sha256"},
                 {"image_os_hash_value", digest_file(image.file).sha256},
                 {"image_disk_format", disk_format_of(image.file)}};
  if (!frames_root.empty()) record.update({{"frames", cat(base, ".frames")}, {"frames_root", frames_root}});
  return record;
}

std::vector<std::string> image_names(const SiteFile& site, const Json& record, const Json& known) {
  const auto place_of = [](const Json& image) { return fs::path(text_in(image, "file")).replace_extension(); };
  std::vector<std::string> names = {"site"};
  const std::string own = site.image.stem().string();
  const Json images = list_member(known, "images");
  const bool is_anothers = std::any_of(images.begin(), images.end(), [&](const Json& image) {
    return text_in(image, "name") == own && place_of(image) != place_of(record);
  });
  if (own != names.front() && !is_anothers) names.push_back(own);
  return names;
}

void register_image(const SeedApi& api, const SiteFile& site, const Json& record) {
  const Json known = api.get("/v1/hearth/images");
  const Json images = list_member(known, "images");
  Json told = record;
  told.erase("evidence");  // of what it was made stays with the name by which it was loaded
  for (const std::string& name : image_names(site, record, known)) {
    const bool is_loaded = std::any_of(images.begin(), images.end(), [&](const Json& image) {
      return text_in(image, "name") == name && std::ranges::all_of(k_identity, [&](const char* key) {
               return text_in(image, key) == text_in(record, key);
             });
    });
    if (!is_loaded) api.put(cat("/v1/hearth/images/", percent_encode(name)), told);
  }
}

}  // namespace hearth::bootstrap
