#include "bootstrap/conductor/image_order.hpp"

#include <algorithm>
#include <array>

#include "base/path.hpp"
#include "base/text.hpp"
#include "bootstrap/node/root_hints.hpp"

namespace hearth::bootstrap {

namespace {

/// A size in instance_info, and as the agent wants it.
struct SizeKey {
  const char* own;
  const char* told;
  std::uint64_t mib;  ///< in one of it
  bool root = false;
};
constexpr std::array k_sizes = {SizeKey{"root_gb", "root_mb", 1024, true}, SizeKey{"swap_mb", "swap_mb", 1},
                                SizeKey{"ephemeral_gb", "ephemeral_mb", 1024}};

/// 0 when it is not there, nothing when it is no number.
std::optional<std::uint64_t> size_in(const Json& info, const char* key) {
  if (!info.contains(key) || info[key].is_null()) return 0;
  const auto size = parse_number(info[key].is_string() ? info[key].get<std::string>() : format_json(info[key]));
  return size && *size < (std::uint64_t{1} << 40U) ? size : std::nullopt;
}

std::string last_part(const std::string& url) {
  const std::string path = split(url, '?').front();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// As the agent takes it: where it stands, or itself, known by its length.
bool is_checksum(const std::string& text) {
  if (text.find("://") != std::string::npos) return true;
  const bool hex = text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  return hex && (text.size() == 32 || text.size() == 64 || text.size() == 128);
}

bool is_known_hash(const std::string& algorithm) {
  static constexpr std::array<std::string_view, 5> known = {"md5", "sha1", "sha256", "sha512", "hearth-frames"};
  return std::ranges::find(known, algorithm) != known.end();
}

std::string disk_format(const Json& info, const std::string& url) {
  const std::string given = text_in(info, "image_disk_format");
  if (!given.empty()) return given;
  const std::string file = to_lower(last_part(url));
  return file.size() > 6 && file.substr(file.size() - 6) == ".qcow2" ? "qcow2" : "raw";
}

void add_partitions(const Node& node, Json& image) {
  const Json& info = node.instance_info;
  image["image_type"] = "partition";
  for (const SizeKey& key : k_sizes) image[key.told] = size_in(info, key.own).value_or(0) * key.mib;
  for (const char* key : {"kernel", "ramdisk", "ephemeral_format", "preserve_ephemeral"}) {
    if (info.contains(key)) image[key] = info[key];
  }
  image["boot_option"] = "local";
  if (const auto label = node.capability("disk_label")) image["disk_label"] = *label;
}

}  // namespace

bool is_partition_image(const Node& node) {
  const Json& info = node.instance_info;
  const std::string type = text_in(info, "image_type");
  if (!type.empty()) return type == "partition";
  return !text_in(info, "kernel").empty() && !text_in(info, "ramdisk").empty();
}

Json image_info(const Node& node) {
  const Json& info = node.instance_info;
  const std::string url = text_in(info, "image_source");
  Json image = {{"id", last_part(url)},
                {"urls", Json::array({url})},
                {"disk_format", disk_format(info, url)},
                {"container_format", text_in(info, "image_container_format", "bare")},
                {"stream_raw_images", true},
                {"node_uuid", node.uuid}};
  static constexpr std::array<std::pair<const char*, const char*>, 5> names = {
      {{"image_checksum", "checksum"},
       {"image_os_hash_algo", "os_hash_algo"},
       {"image_os_hash_value", "os_hash_value"},
       {"image_type", "image_type"},
       {"image_signature", "signature"}}};
  for (const auto& [key, own] : names) {
    if (info.contains(key) && !info[key].is_null()) image[own] = info[key];
  }
  image["deploy_boot_mode"] = node.boots_uefi() ? "uefi" : "bios";
  if (is_partition_image(node)) add_partitions(node, image);
  if (node.properties.contains("root_device")) image["root_device"] = node.properties["root_device"];
  return image;
}

std::optional<ImageFrames> frames_of(const std::vector<Json>& images, const Node& node) {
  const Json& info = node.instance_info;
  const std::string source = text_in(info, "image_source");
  const std::string digest = to_lower(text_in(info, "image_os_hash_value"));
  if (to_lower(text_in(info, "image_os_hash_algo")) != "sha256" || !text_in(info, "image_signature").empty() ||
      text_in(node.internal, "agent_version") != HEARTH_VERSION)
    return std::nullopt;
  for (const Json& image : images) {
    const fs::path frames = text_in(image, "frames");
    const std::string file = fs::path(text_in(image, "file")).filename().string();
    const bool is_it = text_in(image, "image_source") == source && text_in(image, "image_os_hash_value") == digest &&
                       last_part(source) == file;
    if (!is_it || frames.empty() || !fs::exists(frames)) continue;
    return ImageFrames{cat(source.substr(0, source.rfind('/') + 1), frames.filename().string()),
                       text_in(image, "frames_root")};
  }
  return std::nullopt;
}

void order_frames(Json& image, const ImageFrames& frames) {
  image["urls"] = Json::array({frames.url});
  image["disk_format"] = "frames";
  image["os_hash_algo"] = "hearth-frames";
  image["os_hash_value"] = frames.root;
  image.erase("checksum");
}

std::vector<std::string> image_faults(const Node& node) {
  std::vector<std::string> faults;
  const Json& info = node.instance_info;
  const std::string url = text_in(info, "image_source");
  if (url.empty()) {
    faults.emplace_back("no image is named: hearth node deploy NODE --image IMAGE (instance_info has no image_source)");
    return faults;
  }
  if (url.rfind("http://", 0) != 0 && url.rfind("https://", 0) != 0) {
    faults.push_back(cat("image_source ", url, " is no HTTP URL"));
  }
  const bool hash = !text_in(info, "image_os_hash_algo").empty() && !text_in(info, "image_os_hash_value").empty();
  if (!hash && text_in(info, "image_checksum").empty()) {
    faults.emplace_back(
        "instance_info has neither image_os_hash_algo with image_os_hash_value nor image_checksum: "
        "an image is not written unchecked (hearth node deploy NODE --image URL --sha256 HEX)");
  }
  if (const std::string algorithm = to_lower(text_in(info, "image_os_hash_algo")); hash && !is_known_hash(algorithm))
    faults.push_back(cat("image_os_hash_algo ", algorithm, " is none of md5, sha1, sha256 and sha512"));
  if (const std::string old = text_in(info, "image_checksum"); !hash && !old.empty() && !is_checksum(old)) {
    faults.push_back(cat("image_checksum ", old, " is neither a URL nor a checksum: 32 (MD5), 64 (SHA-256) or ",
                         "128 (SHA-512) hexadecimal digits"));
  }
  const std::string type = text_in(info, "image_type", "whole-disk");
  if (type != "whole-disk" && type != "partition") {
    faults.push_back(cat("image_type ", type, " is neither whole-disk nor partition"));
  }
  for (const SizeKey& key : k_sizes) {
    const std::optional<std::uint64_t> size = size_in(info, key.own);
    if (!size) faults.push_back(cat("instance_info/", key.own, " is no whole number"));
    if (size && *size > 0 && !key.root && !is_partition_image(node))
      faults.push_back(cat(key.own, " is for partition images: a whole disk brings its own"));
    if (key.root && is_partition_image(node) && size && *size == 0)
      faults.emplace_back("instance_info has no root_gb: how large the image's partition is to be");
  }
  for (std::string& fault : root_device_faults(node.properties)) faults.push_back(cat("properties: ", fault));
  return faults;
}

}  // namespace hearth::bootstrap
