// What agents need to reach us: signed URLs and key pairs. Secrets are not stored, they follow from one master secret
// and the key's id; whoever revokes a key forgets its id.
#pragma once

#include <string>

#include "metadata/credentials/agent_access.hpp"
#include "metadata/engine/records.hpp"

namespace hearth::metadata::live {

/// "agent.KEY.EXPIRES.MAC": opens the resource that the key belongs to.
[[nodiscard]] std::string agent_token(const std::string& key_id, const std::string& secret, std::int64_t expires);

class Credentials {
 public:
  Credentials(std::string master, PublicUrls urls);

  [[nodiscard]] std::string secret_of(const std::string& key_id) const;
  /// The account key that signs TempURLs.
  [[nodiscard]] const std::string& temp_url_key() const { return temp_url_key_; }
  [[nodiscard]] const PublicUrls& urls() const { return urls_; }

  /// A resource's way in by that key. It refers to this.
  [[nodiscard]] AgentAccess access(const std::string& project, const StackRecord& stack, const ResourceRecord& resource,
                                   const std::string& key_id) const;

  /// The attributes of a wait condition's handle; resource.data holds its key. Throws Error(unsupported).
  [[nodiscard]] Json handle_attributes(const PlannedHandle& plan, const std::string& project, const StackRecord& stack,
                                       const ResourceRecord& handle, std::int64_t now) const;

  /// The fixed inputs of a deployment. Throws Error(unsupported) for a transport that we don't speak.
  [[nodiscard]] Parameters signal_inputs(const std::string& transport, const std::string& project,
                                         const StackRecord& stack, const ResourceRecord& deployment,
                                         std::int64_t now) const;
  /// The section os-collect-config of a server's metadata; resource.data holds its key, container and object.
  [[nodiscard]] Json collect_section(const std::string& project, const StackRecord& stack,
                                     const ResourceRecord& server) const;

 private:
  std::string master_;
  PublicUrls urls_;
  std::string temp_url_key_;
};

}  // namespace hearth::metadata::live
