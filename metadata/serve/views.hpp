// What the served protocols need to know, as interfaces: a directory of compiled metadata answers them, and so does the
// engine with its live stacks. All calls come from the server's one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "metadata/credentials/temp_url.hpp"
#include "metadata/serve/run_report.hpp"

namespace hearth::metadata {

/// A text under a version: the tag changes whenever the text does, `modified` (Unix seconds) then grows by at least 1.
struct Document {
  std::shared_ptr<const std::string> text;
  std::string tag;
  std::int64_t modified = 0;
  std::string content_type = "application/json";
};

/// A key pair that was given to one resource: a server, to read its metadata, or a deployment, to signal.
struct AccessKey {
  std::string secret;
  std::string stack_id;
  std::string resource;
  std::string id{};
};

/// One resource as CFN's DescribeStackResource shows it.
struct ResourceDetail {
  std::string description;
  std::string updated;  ///< "2026-11-21T00:12:44Z"
  std::string logical_id;
  Document metadata;
  std::string physical_id;
  std::string status;  ///< "CREATE_COMPLETE"
  std::string status_reason;
  std::string type;
  std::string project;
  std::string stack_name;
  std::string stack_id;
};

/// How a signal was taken.
struct SignalOutcome {
  enum class Kind {
    taken,  ///< or ignored, because nothing waits for it any more
    no_stack,
    no_resource,
    bad,  ///< the body is not what this resource takes; `message` says why
  };
  Kind kind = Kind::taken;
  std::string message;
};

class StackView {
 public:
  virtual ~StackView() = default;
  [[nodiscard]] virtual std::optional<AccessKey> access_key(const std::string& id) const = 0;
  /// Whether what that key opens is as it is kept, so that it can be read while another answer is being made.
  [[nodiscard]] virtual bool is_steady(const std::string& key_id) const {
    (void)key_id;
    return false;
  }
  /// The UUID of the stack of that UUID, or of that name where the key's own stack is; nothing when there is none.
  [[nodiscard]] virtual std::optional<std::string> stack_id(const std::string& name_or_id,
                                                            const AccessKey& key) const = 0;
  [[nodiscard]] virtual std::optional<ResourceDetail> resource(const std::string& stack_id,
                                                               const std::string& name) const = 0;
  virtual SignalOutcome signal(const std::string& stack_id, const std::string& resource, const Json& body) = 0;
  /// What the server's agent says of its run. May come while another answer is being made.
  virtual void note_run(const std::string& stack_id, const std::string& resource, const RunReport& report) {
    (void)stack_id, (void)resource, (void)report;
  }
};

/// Objects behind TempURLs.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  /// Keys that may have signed a TempURL of this account; none = there is no such account.
  [[nodiscard]] virtual std::vector<std::string> temp_url_keys(const std::string& account,
                                                               const std::string& container) const = 0;
  [[nodiscard]] virtual std::optional<Document> object(const ObjectPath& path) const = 0;
  /// Whether it is a document that can be read while another answer is being made.
  [[nodiscard]] virtual bool is_steady(const ObjectPath& path) const {
    (void)path;
    return false;
  }
  /// Whether it is a server's document, whose agent may say how its runs go.
  [[nodiscard]] virtual bool takes_runs(const ObjectPath& path) const {
    (void)path;
    return false;
  }
  virtual void note_object_run(const ObjectPath& path, const RunReport& report) { (void)path, (void)report; }
  /// The stored object; nothing when it may not be written (a server's own metadata, a decommissioned server's signal).
  virtual std::optional<Document> put_object(const ObjectPath& path, const std::string& body,
                                             const std::string& content_type) = 0;
  /// False when there was none.
  virtual bool remove_object(const ObjectPath& path) = 0;
};

/// What a machine learns about itself at 169.254.169.254.
struct Machine {
  Json meta_data;  ///< the tree below /latest/meta-data: objects are directories
  std::string user_data;
  Json openstack;  ///< file name below /openstack/latest → value: meta_data.json, network_data.json, …
};

class MachineView {
 public:
  virtual ~MachineView() = default;
  [[nodiscard]] virtual std::optional<Machine> machine_at(const std::string& address) = 0;
  [[nodiscard]] virtual std::optional<Machine> machine_named(const std::string& instance_id) = 0;
  /// Of the machine at that address; empty where there is none, or nothing has to be evaluated for it.
  [[nodiscard]] virtual std::string instance_at(const std::string& address) const {
    (void)address;
    return {};
  }
};

}  // namespace hearth::metadata
