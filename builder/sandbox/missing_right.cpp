#include "builder/sandbox/missing_right.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_add_ranges = "usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER";

using Engine = Container::Engine;

constexpr const char* k_few_ids = "this container has fewer than 65536 ids, and images hold owners up to 65534";

Engine engine_of(const FileReader& files, const Environment& environment) {
  if (environment.count("KUBERNETES_SERVICE_HOST") > 0) return Engine::kubernetes;
  if (files.status("/run/.containerenv")) return Engine::podman;
  if (files.status("/.dockerenv")) return Engine::docker;
  const auto word = environment.find("container");  // systemd.io/CONTAINER_INTERFACE
  if (word == environment.end()) return Engine::none;
  if (word->second == "podman") return Engine::podman;
  return word->second == "docker" ? Engine::docker : Engine::other;
}

/// CapEff of /proc/self/status (proc(5)), capabilities by their numbers (capabilities(7)).
bool may_map_ids(const std::string& status) {
  constexpr std::string_view k_line = "CapEff:\t";
  constexpr unsigned long long k_needed = (1ULL << 6U) | (1ULL << 7U) | (1ULL << 31U);
  const std::size_t at = status.find(k_line);
  if (at == std::string::npos) return true;
  return (std::strtoull(status.c_str() + at + k_line.size(), nullptr, 16) & k_needed) == k_needed;
}

bool says(const std::string& status, std::string_view line) { return status.find(line) != std::string::npos; }

/// A setting of an engine's: how podman and docker take it, and Kubernetes in a container's securityContext.
std::string flag(Engine engine, const std::string& option, const std::string& context) {
  switch (engine) {
    case Engine::docker: return cat("docker run ", option);
    case Engine::podman: return cat("podman run ", option);
    case Engine::kubernetes: return cat("In the container's specification: securityContext: {", context, "}");
    default: return cat("docker or podman run ", option, "; in Kubernetes: securityContext: {", context, "}");
  }
}

MissingRight of_namespaces(int error_number, const Container& container) {
  if (error_number == ENOSPC || error_number == EUSERS) {
    return {"no more user namespaces can be made here (user.max_user_namespaces)",
            "On the machine that runs the container, as root: sysctl user.max_user_namespaces=65536"};
  }
  if (container.has_seccomp) {
    return {"the seccomp profile of this container allows no user namespaces",
            flag(container.engine, "--security-opt seccomp=unconfined", "seccompProfile: {type: Unconfined}")};
  }
  return {"this container may make no user namespaces",
          "On the machine that runs the container, as root: sysctl kernel.unprivileged_userns_clone=1 "
          "kernel.apparmor_restrict_unprivileged_userns=0 (those that it has)"};
}

MissingRight of_ids(const Container& container) {
  if (!container.is_root) {
    return {
        container.has_no_new_privs
            ? "this container gives programs no new rights (no_new_privs), which newuidmap needs for an ordinary user"
            : "this container gives its user no range of 65536 ids",
        cat(flag(container.engine, "--user 0", "runAsUser: 0"), "; or there, as root: ", k_add_ranges)};
  }
  if (!container.can_map_ids) {
    return {
        "root of this container may not map ids (its capabilities were dropped)",
        flag(container.engine, "--cap-add SETUID,SETGID,SETFCAP", "capabilities: {add: [SETUID, SETGID, SETFCAP]}")};
  }
  const std::string ranges = k_add_ranges;
  switch (container.engine) {
    case Engine::docker: return {k_few_ids, "docker run --userns=host"};
    case Engine::kubernetes: return {k_few_ids, "In the pod's specification: hostUsers: true"};
    default:
      return {k_few_ids,
              cat("podman run --userns=host gives all that its user has; where these are too few, for that user: ",
                  ranges, " && podman system migrate")};
  }
}

MissingRight of_mounts(int error_number, const Container& container) {
  if (error_number == EACCES && !container.profile.empty()) {
    const bool is_label = container.profile.find(':') != std::string::npos;  // user:role:type:level
    return {cat(is_label ? "SELinux" : "AppArmor", " (", container.profile, ") forbids this container to mount"),
            is_label
                ? flag(container.engine, "--security-opt label=disable", "seLinuxOptions: {type: spc_t}")
                : flag(container.engine, "--security-opt apparmor=unconfined", "appArmorProfile: {type: Unconfined}")};
  }
  if (container.has_seccomp) {
    return {"the seccomp profile of this container forbids mounts, also in a user namespace of one's own",
            flag(container.engine, "--security-opt seccomp=unconfined", "seccompProfile: {type: Unconfined}")};
  }
  return {cat("this container may mount nothing in a user namespace of its own (", std::strerror(error_number), ")"),
          flag(container.engine, "--privileged", "privileged: true")};
}

/// Without such a module reading it is an error.
std::string security_profile(const FileReader& files) try {
  std::string profile(trim(files.read("/proc/self/attr/current").value_or("")));
  while (!profile.empty() && profile.back() == '\0') profile.pop_back();
  return profile.starts_with("unconfined") ? "" : profile;
} catch (const Error&) {
  return "";
}

}  // namespace

Container container_of(const FileReader& files, const Environment& environment, bool is_root) {
  const std::string status = files.read("/proc/self/status").value_or("");
  return {.engine = engine_of(files, environment),
          .has_seccomp = says(status, "Seccomp:\t2"),
          .has_no_new_privs = says(status, "NoNewPrivs:\t1"),
          .can_map_ids = may_map_ids(status),
          .is_root = is_root,
          .profile = security_profile(files)};
}

MissingRight missing_right(const NamespaceRefusal& refusal, const Container& container) {
  switch (refusal.what) {
    case NamespaceRefusal::What::namespaces: return of_namespaces(refusal.error_number, container);
    case NamespaceRefusal::What::ids: return of_ids(container);
    default: return of_mounts(refusal.error_number, container);
  }
}

void require_rights(const Environment& environment) {
  const Container container = container_of(RealFileSystem(), environment, ::geteuid() == 0);
  if (container.engine == Engine::none) return;
  std::optional<NamespaceRefusal> refusal;
  try {
    refusal = refused_namespaces(callers_id_maps());
  } catch (const Error&) {  // an ordinary user without a range
    refusal = NamespaceRefusal{NamespaceRefusal::What::ids};
  }
  if (!refusal) return;
  const MissingRight right = missing_right(*refusal, container);
  throw Error(ErrorKind::unsupported, cat("hooks can't have their sandbox: ", right.what)).hint(right.remedy);
}

}  // namespace hearth::builder
