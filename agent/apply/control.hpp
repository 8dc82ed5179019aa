// The control file of a template (NAME.oac): a YAML mapping of mode, owner, group and allow_empty for the file made.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent {

struct FileControl {
  std::optional<std::uint32_t> mode;  ///< 01 to 0777
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  bool allow_empty = true;  ///< false: an empty file is removed, or not made
  bool operator==(const FileControl&) const = default;
};

/// Names and ids as in /etc/passwd and /etc/group, whose texts these are. Read as files, not through the name service,
/// because the agent is a static program.
struct Accounts {
  std::string passwd;
  std::string group;
};

/// `yaml` is the text of the control file, `template_path` names its template in errors.
/// Throws Error(input) with the message in the form that os-apply-config prints: ("mode '600' …", 'TEMPLATE').
[[nodiscard]] FileControl parse_control(const std::string& yaml, const std::string& template_path,
                                        const Accounts& accounts);

/// An error about one template, in that form.
[[nodiscard]] Error template_error(const std::string& message, const std::string& template_path);

}  // namespace hearth::agent
