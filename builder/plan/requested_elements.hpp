// The elements that a command line asks for, before their dependencies are looked at. Pure.
#pragma once

#include <string>
#include <vector>

#include "builder/elements/catalog.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Those that it names, and the disk layout that `vm` means by itself: with our own vm the one for every firmware, with
/// upstream's what upstream's builder adds. Throws Error for what stands among them by mistake: an image type, a
/// package, an image that a file describes, a file of images that is not there.
[[nodiscard]] std::vector<std::string> requested_elements(const ImageRequest& request, const Catalog& catalog);

}  // namespace hearth::builder
