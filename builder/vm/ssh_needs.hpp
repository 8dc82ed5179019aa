// What logging in by ssh with a key of one test takes of an image: told before it is started, where the record of its
// build (NAME.d/manifest.json) says it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth::builder::vm {

struct SshLack {
  std::string what;    ///< "it has no ssh server: …"; empty: nothing is missing, or the record can't tell
  std::string advice;  ///< what to add
};
[[nodiscard]] SshLack ssh_lack(const Json& manifest);

/// What most probably is missing, where ssh could not log in and said that.
[[nodiscard]] std::string ssh_trouble(std::string_view said);

}  // namespace hearth::builder::vm
