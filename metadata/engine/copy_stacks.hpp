// All that a database of stacks holds, copied into another one, sealed as it is.
#pragma once

#include <string>

namespace hearth::metadata::live {

/// Places are files or URLs (base/sql/database.hpp). `from` may be served meanwhile: what is copied is as of one
/// moment. `to` must hold no stacks yet, and be used by nobody. False where there are none in `from`, and never were.
/// Throws Error.
bool copy_stacks(const std::string& from, const std::string& to);

/// Throws Error where there are stacks: copy_stacks() to it would be refused.
void require_no_stacks(const std::string& place);

}  // namespace hearth::metadata::live
