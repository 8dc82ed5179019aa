// What a machine is seeded with before it has a network: a config-drive or a NoCloud seed with its metadata.
#pragma once

#include <string>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

struct SeedFile {
  std::string name;  ///< "openstack/latest/meta_data.json"
  std::string data;
};

struct SeedRequest {
  std::string name;  ///< host name
  std::string id;    ///< instance id
  Value metadata{};  ///< the server's whole document
  std::string user_data{};
};

/// openstack/latest and ec2/latest, as cloud-init and os-collect-config read them from a drive labelled config-2.
[[nodiscard]] std::vector<SeedFile> config_drive_files(const SeedRequest& request);
/// meta-data, user-data, vendor-data, as cloud-init reads them from a drive labelled cidata.
[[nodiscard]] std::vector<SeedFile> no_cloud_files(const SeedRequest& request);

}  // namespace hearth::metadata
