// What logging in by ssh with a key of one test takes of an image: told before it is started, where the record of its
// build (NAME.d/manifest.json) says it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth::builder::vm {

struct SshLack {
  std::string what;         ///< "it has no ssh server: …"; empty: nothing is missing, or the record can't tell
  std::string advice;       ///< what to add
  bool has_server = false;  ///< by the record
};
[[nodiscard]] SshLack ssh_lack(const Json& manifest);

/// Why most probably ssh could not log in, where it said that. An image that is known to have a server lacks none.
[[nodiscard]] std::string ssh_trouble(std::string_view said, bool has_server);

}  // namespace hearth::builder::vm
