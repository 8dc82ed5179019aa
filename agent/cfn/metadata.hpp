// The metadata of a stack's resource: from Heat's CFN API, or what is left of the last time on this machine.
#pragma once

#include <optional>
#include <string>

#include "agent/cfn/world.hpp"
#include "base/json.hpp"

namespace hearth::agent {

struct MetadataRequest {
  std::string stack;
  std::string resource;
  std::string access_key;
  std::string secret_key;
  std::string credential_file;  ///< lines AWSAccessKeyId=… and AWSSecretKey=…; wins over the keys
  std::string region;
  std::string url;  ///< of the API; empty = as Heat's user data has left it in /var/lib/heat-cfntools
};

struct Metadata {
  Json content;
  bool changed = false;  ///< since the last retrieval
};

/// With credentials from the API; else, or when that fails, the first of /var/cache/heat-cfntools/last_metadata_<RES>,
/// last_metadata, /var/lib/heat-cfntools/cfn-init-data. What was found is kept as last_metadata (0600, directory 0700)
/// and last_metadata_<RES>. Nothing, with a log record, when there is none.
[[nodiscard]] std::optional<Metadata> retrieve_metadata(const MetadataRequest& request, const CfnWorld& world);

/// The member that a path names: "a.b", and 'a.b' for a name with a dot in it. Null when there is none.
[[nodiscard]] const Json* metadata_member(const Json& metadata, std::string_view path);

/// The base URL of the CFN API: `cfn-metadata-server` (a URL) gives port and, unless cfn-boto-cfg names a
/// cfn_region_endpoint, host. Empty when neither is there.
[[nodiscard]] std::string cfn_api_url(const FileReader& files);

}  // namespace hearth::agent
