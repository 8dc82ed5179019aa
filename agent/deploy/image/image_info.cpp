#include "agent/deploy/image/image_info.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

Error bad(const std::string& what) { return {ErrorKind::usage, what}; }

bool is_url(std::string_view text) { return text.rfind("http://", 0) == 0 || text.rfind("https://", 0) == 0; }

std::optional<HashKind> hash_named(const std::string& name) {
  if (name == "md5") return HashKind::md5;
  if (name == "sha1") return HashKind::sha1;
  if (name == "sha256") return HashKind::sha256;
  if (name == "sha512") return HashKind::sha512;
  return std::nullopt;
}

void read_checksum(const Json& info, ImageInfo& image) {
  const std::string algorithm = to_lower(text_member(info, "os_hash_algo"));
  const std::string value = text_member(info, "os_hash_value");
  if (algorithm == "hearth-frames" && !value.empty()) {
    image.root = to_lower(value);
    return;
  }
  if (!algorithm.empty() && !value.empty()) {
    const std::optional<HashKind> kind = hash_named(algorithm);
    if (!kind) throw bad(cat("Image ", image.id, ": the hash algorithm ", algorithm, " is not known."));
    image.checksum = Checksum{*kind, is_url(value) ? value : to_lower(value)};
    return;
  }
  const std::string old = text_member(info, "checksum");
  if (old.empty()) throw bad("Image is missing 'checksum' field or the 'os_hash_algo' and 'os_hash_value' fields.");
  const std::optional<HashKind> kind = is_url(old) ? HashKind::md5 : hash_of_length(old.size());
  if (!kind) throw bad(cat("Image ", image.id, ": a checksum of ", old.size(), " digits is of no known kind."));
  image.checksum = Checksum{*kind, is_url(old) ? old : to_lower(old)};
}

void read_credentials(const Json& info, ImageInfo& image) {
  image.authorization = text_member(info, "image_request_authorization");
  const std::string user = text_member(info, "image_server_user");
  if (text_member(info, "image_server_auth_strategy") == "http_basic" && !user.empty()) {
    image.authorization = cat("Basic ", base64_encode(cat(user, ":", text_member(info, "image_server_password"))));
  }
}

/// A number or its digits; what is missing or null is 0.
std::uint64_t mib_of(const Json& info, const char* key, const std::string& id) {
  const auto found = info.find(key);
  if (found == info.end() || found->is_null()) return 0;
  const auto value = parse_number(found->is_string() ? found->get<std::string>() : found->dump());
  if (!value || *value > (std::uint64_t{1} << 40U)) throw bad(cat("Image ", id, ": ", key, " is no number of MiB."));
  return *value;
}

PartitionWish read_partitions(const Json& info, const std::string& id) {
  PartitionWish wish{.root_mib = mib_of(info, "root_mb", id),
                     .swap_mib = mib_of(info, "swap_mb", id),
                     .ephemeral_mib = mib_of(info, "ephemeral_mb", id)};
  if (wish.root_mib == 0)
    throw bad(cat("Image ", id, " is a partition image, so root_mb (root_gb of the node) is needed."));
  const std::string format = text_member(info, "ephemeral_format");
  if (!format.empty()) wish.ephemeral_format = format;
  const auto keep = info.find("preserve_ephemeral");
  wish.preserve_ephemeral = keep != info.end() && keep->is_boolean() && keep->get<bool>();
  wish.uefi = to_lower(text_member(info, "deploy_boot_mode")) == "uefi";
  wish.gpt = wish.uefi || to_lower(text_member(info, "disk_label")) == "gpt";
  return wish;
}

}  // namespace

ImageInfo parse_image_info(const Json& info) {
  if (!info.is_object()) throw bad("Image information is missing.");
  ImageInfo image;
  for (const char* field : {"id", "urls"}) {
    if (!info.contains(field)) throw bad(cat("Image is missing '", field, "' field."));
  }
  image.id = text_member(info, "id");
  const Json& urls = info["urls"];
  if (!urls.is_array() || urls.empty()) throw bad("Image 'urls' must be a list with at least one element.");
  for (const Json& url : urls) {
    if (!url.is_string()) throw bad("Image 'urls' must be a list of strings.");
    image.urls.push_back(url.get<std::string>());
  }
  if (text_member(info, "image_type") == "partition") image.partitions = read_partitions(info, image.id);
  image.disk_format = text_member(info, "disk_format");
  image.signature = to_lower(text_member(info, "signature"));
  read_checksum(info, image);
  read_credentials(info, image);
  image.peers = parse_peers(info.value("peers", Json()));
  return image;
}

std::optional<std::string> find_checksum(std::string_view list, std::string_view file_name) {
  std::optional<std::string> only;
  std::size_t lines = 0;
  for (const std::string& line : split_lines(list)) {
    const std::vector<std::string> words = split_words(line);
    if (words.empty() || words[0].front() == '#') continue;
    ++lines;
    if (words.size() == 1) only = to_lower(words[0]);
    if (words.size() == 2 && words[1].substr(words[1].front() == '*' ? 1 : 0) == file_name) return to_lower(words[0]);
    const bool bsd = words.size() == 4 && words[1] == cat("(", file_name, ")") && words[2] == "=";
    if (bsd) return to_lower(words[3]);
  }
  return lines == 1 && only && is_hex(*only) ? only : std::nullopt;
}

std::optional<HashKind> hash_of_length(std::size_t digits) {
  if (digits == 32) return HashKind::md5;
  if (digits == 64) return HashKind::sha256;
  if (digits == 128) return HashKind::sha512;
  return std::nullopt;
}

}  // namespace hearth::agent::deploy
