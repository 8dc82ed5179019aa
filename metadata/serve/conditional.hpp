// Conditional requests (RFC 9110 section 13): whoever holds the current version gets 304 and no body.
#pragma once

#include <cstdint>
#include <string>

#include "base/net/served.hpp"

namespace hearth::metadata {

/// Whether a GET or HEAD says that it holds this version. If-None-Match decides alone where it is given; tags compare
/// weakly, quoted or (as Swift writes them) bare.
[[nodiscard]] bool holds_current(const ServedRequest& request, const std::string& tag, std::int64_t modified);

/// The answer 304 with its validators.
[[nodiscard]] ServedResponse not_modified(const std::string& etag_header, std::int64_t modified);

}  // namespace hearth::metadata
