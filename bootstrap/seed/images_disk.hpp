// Images for the machines of a site, as a disk of its seed: a squashfs that nothing is copied from, however large.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/seed/seed_api.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {

struct PackedImage {
  std::string name;
  fs::path file;
  DeployRamdisk deploy;
};

/// Where the element boot-stack mounts that disk in the seed.
constexpr const char* k_images_place = "/var/lib/hearth/node/files/images";

/// Writes NAME.qcow2 (or .raw, as the image is), NAME.kernel and NAME.ramdisk into a squashfs, and NAME.frames, which
/// machines give each other, where the image is a disk in itself. What the seed's conductor is to know of it, for PUT
/// /v1/hearth/images/NAME. Throws Error.
[[nodiscard]] Json pack_image(const PackedImage& image, const fs::path& target, CommandRunner& runner);

/// By which names a site's image is known, whose record is this: "site", and as `hearth image load FILE` calls it,
/// where of `known` (GET /v1/hearth/images) no other image has that name.
[[nodiscard]] std::vector<std::string> image_names(const SiteFile& site, const Json& record, const Json& known);

/// Tells the seed's conductor of it by these names.
void register_image(const SeedApi& api, const SiteFile& site, const Json& record);

}  // namespace hearth::bootstrap
