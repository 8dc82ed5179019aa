// Whom this machine trusts beside its system's authorities: the one that signs for the site that set it up. The site
// says so on the machine's own disk, under "hearth-authority" (PEM) in its config drive or in the metadata of its
// image; what comes over the network names none.
#pragma once

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// Where it is kept for all applets (HEARTH_SITE_AUTHORITY names another file).
inline constexpr const char* k_site_authority_file = "/etc/hearth/authority.pem";

/// Keeps what `document` names, which was read at `place`. One that is no certificate is refused, in the log.
void keep_site_authority(const Json& document, const std::string& place, const SourceContext& context);

}  // namespace hearth::agent
