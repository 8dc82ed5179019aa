// In a container: which right of the sandbox's is missing there, and the one flag that gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/environment.hpp"
#include "base/sys/file.hpp"
#include "base/sys/namespace_trial.hpp"

namespace hearth::builder {

/// What contains this process.
struct Container {
  enum class Engine : std::uint8_t { none, docker, podman, kubernetes, other };
  Engine engine = Engine::none;
  bool has_seccomp = false;       ///< system calls are filtered
  bool has_no_new_privs = false;  ///< programs with more rights (newuidmap) have none here
  bool can_map_ids = true;        ///< root's capabilities SETUID, SETGID and SETFCAP
  bool is_root = true;
  std::string profile;  ///< of AppArmor, or SELinux's label; empty = none confines it
};
[[nodiscard]] Container container_of(const FileReader& files, const Environment& environment, bool is_root);

struct MissingRight {
  std::string what;
  std::string remedy;  ///< the flag of this engine
};
[[nodiscard]] MissingRight missing_right(const NamespaceRefusal& refusal, const Container& container);

/// Throws Error(unsupported) in a container that withholds what the sandbox needs. On a machine it tries nothing: there
/// the sandbox tells itself.
void require_rights(const Environment& environment);

}  // namespace hearth::builder
