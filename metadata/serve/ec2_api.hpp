// The metadata service of a cloud (169.254.169.254): /latest/meta-data and /latest/user-data as EC2 has them,
// /openstack/latest as Nova has it. A machine is known by its address; behind a proxy, by X-Instance-ID with
// X-Instance-ID-Signature, the hex HMAC-SHA256 of the id, as Nova takes it from Neutron's metadata agent.
#pragma once

#include "base/log.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata {

class Ec2Api final : public HttpHandler {
 public:
  /// `proxy_secret` signs X-Instance-ID; empty = the header is not accepted.
  Ec2Api(MachineView& machines, std::string proxy_secret, Logger& log)
      : machines_(machines), proxy_secret_(std::move(proxy_secret)), log_(log) {}
  [[nodiscard]] Admission admit(const ServedRequest& head) override {
    (void)head;
    return {.refusal = {}, .body_bytes = 1024};  // nobody has anything to say here
  }
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;
  /// Id of the machine that asks; empty where nothing has to be evaluated for an answer.
  [[nodiscard]] std::string instance_of(const ServedRequest& request) const;

 private:
  /// What the proxy says, if it is the proxy that says it; nothing where no proxy is between.
  [[nodiscard]] std::optional<std::string> proxied_instance(const ServedRequest& request) const;
  [[nodiscard]] std::optional<Machine> machine_of(const ServedRequest& request) const;

  MachineView& machines_;
  std::string proxy_secret_;
  Logger& log_;
};

/// What stands at `path` in a tree: a directory's listing (names joined by newlines, directories with a slash behind,
/// "0=name" for keys), or a leaf's text. No newline at the end: agents would take it for an empty name.
[[nodiscard]] std::optional<std::string> tree_answer(const Json& tree, const std::string& path);

}  // namespace hearth::metadata
