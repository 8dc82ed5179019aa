// A file of checks for `hearth image test`: what must be true of a machine once it runs, in goss's words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "builder/vm/guest_checks.hpp"
#include "builder/vm/guest_resources.hpp"
#include "builder/yaml/parse_faults.hpp"

namespace hearth::builder::vm {

struct CheckFile {
  std::vector<ResourceCheck> inside;  ///< asked in the guest, by ssh
  std::vector<HttpWish> pages;        ///< asked from outside
};

/// Everything that is not known is refused with its place and the nearest right word, all of it at once: a check that
/// is passed over would be a lie.
[[nodiscard]] Result<CheckFile, builder::ParseFaults> parse_check_file(std::string_view text, std::string_view source);

/// For editors (JSON schema, draft 7), from the reader's own tables.
[[nodiscard]] std::string check_file_schema();

}  // namespace hearth::builder::vm
