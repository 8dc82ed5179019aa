// The user data of a machine as Heat makes it for OS::Nova::Server, from the property user_data_format: RAW as it is;
// else multipart MIME of a cloud-config, a boothook, a part handler, the user data and the parts of type
// text/x-cfninitdata that the handler writes to /var/lib/heat-cfntools and /var/lib/cloud/data. Ignition's JSON gets
// the same files as entries of its storage section.
#pragma once

#include <string>

#include "metadata/graph/server_metadata.hpp"

namespace hearth::metadata {

/// The text; waiting while something in it does; null for a server that is no OS::Nova::Server. `document` is the
/// server's whole metadata. Other than with Heat, the deployments that are known are in cfn-init-data already.
[[nodiscard]] Value server_user_data(Resource& server, const Value& document, const Endpoints& endpoints);

}  // namespace hearth::metadata
