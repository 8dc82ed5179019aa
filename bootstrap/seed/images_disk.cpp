#include "bootstrap/seed/images_disk.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"
#include "bootstrap/handover/handover.hpp"

namespace hearth::bootstrap {

void pack_images(const std::vector<PackedImage>& images, const fs::path& target, CommandRunner& runner) {
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
  for (const PackedImage& image : images) {
    add_or_copy(image.file, cat(image.name, image.file.extension().string()));
    add_or_copy(image.deploy.kernel, cat(image.name, ".kernel"));
    add_or_copy(image.deploy.ramdisk, cat(image.name, ".ramdisk"));
  }
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
}

Json image_record(const std::string& name, const fs::path& file) {
  const std::string base = cat(k_images_place, "/", name);
  return {{"kernel", cat(base, ".kernel")},
          {"ramdisk", cat(base, ".ramdisk")},
          {"file", cat(base, file.extension().string())},
          {"image_os_hash_algo", "sha256"},
          {"image_os_hash_value", digest_file(file).sha256},
          {"image_disk_format", file.extension() == ".qcow2" ? "qcow2" : "raw"}};
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
      return text_in(image, "name") == name &&
             text_in(image, "image_os_hash_value") == text_in(record, "image_os_hash_value");
    });
    if (!is_loaded) api.put(cat("/v1/hearth/images/", percent_encode(name)), told);
  }
}

}  // namespace hearth::bootstrap
