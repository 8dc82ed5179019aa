// What the conductor says of an image: ironic-python-agent's image_info, and ours besides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/deploy/disk/layout.hpp"
#include "agent/deploy/spread/peers.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"

namespace hearth::agent::deploy {

/// What must come out when the image's file is hashed.
struct Checksum {
  HashKind kind = HashKind::sha256;
  std::string value;  ///< lower-case hexadecimal, or the URL of a list of checksums
};

struct ImageInfo {
  std::string id;
  std::vector<std::string> urls;
  std::string disk_format;           ///< "raw", "qcow2", "frames" or empty: whatever it is
  std::optional<Checksum> checksum;  ///< of the file
  std::string root;                  ///< ours (os_hash_algo "hearth-frames"): the root of a frames file
  PeerPlan peers;                    ///< ours: whom to ask for frames, before the URLs
  std::string signature;             ///< ours: hexadecimal Ed25519 signature over the checksum's or root's digits
  std::string authorization;         ///< value of the Authorization header
  std::string ca_file;
  bool verify_tls = true;
  std::optional<PartitionWish> partitions;  ///< the image is a file system (image_type "partition"), for these
};

/// Reads params.image_info. Throws Error(usage) with the words that ironic-python-agent uses, for they end up in front
/// of people.
[[nodiscard]] ImageInfo parse_image_info(const Json& info);

/// The checksum of `file_name` in a list as sha256sum and the like write it (or the file's only word); nothing when it
/// is not in there.
[[nodiscard]] std::optional<std::string> find_checksum(std::string_view list, std::string_view file_name);

/// By the number of digits: 32 md5, 64 sha256, 128 sha512.
[[nodiscard]] std::optional<HashKind> hash_of_length(std::size_t digits);

}  // namespace hearth::agent::deploy
