// A directory that `hearth metadata compile` made, served: each agent gets its document by the URL or the key that the
// document itself names, and what agents signal is written down. Nothing advances; who wants that makes a live stack.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/path.hpp"
#include "metadata/serve/cfn_api.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata::live {

class CompiledService final : public HttpHandler, private StackView {
 public:
  /// `signals`: a file that gets a line of JSON for each signal. Throws Error: no such directory, an agent polls over
  /// Keystone (that takes a live stack).
  CompiledService(fs::path directory, fs::path signals, const Clock& clock, Logger& log);
  /// For the CFN port and for the objects' port.
  [[nodiscard]] Admission admit(const ServedRequest& head) override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;
  /// Looks whether the directory was compiled anew; what can't be read is logged, and the old one served on.
  void refresh();

 private:
  struct Server {
    std::string path;
    std::string id;
    std::string stack;     ///< of CFN
    std::string resource;  ///< of CFN
    Document document;
  };
  struct Expected {
    std::string server;
    std::string deployment;
    std::string id;  ///< of what is deployed
    std::string method;
  };
  struct Key {
    std::string server;
    std::string secret;
  };

  struct Contents {
    std::map<std::string, Server> servers;                   ///< by path in the stack
    std::unordered_map<std::string, Key> keys;               ///< by access key
    std::unordered_map<std::string, std::string> documents;  ///< digest of a URL's path and query → server
    std::unordered_map<std::string, Expected> signals;       ///< likewise
    std::int64_t former_until = 0;                           ///< when the first former key ends; 0 = there is none
  };

  void load();
  void load_server(const Json& row, Contents& fresh) const;
  void load_former(const Server& server, const Json& metadata, const Json& former, Contents& fresh) const;
  static void expect_signal(Expected expected, const Json& inputs, std::unordered_map<std::string, Expected>& signals);
  [[nodiscard]] std::int64_t seconds() const;
  [[nodiscard]] ServedResponse refuse(const ServedRequest& request) const;
  [[nodiscard]] ServedResponse take_signal(const ServedRequest& request, const Expected& expected);

  // StackView
  [[nodiscard]] std::optional<AccessKey> access_key(const std::string& id) const override;
  [[nodiscard]] std::optional<std::string> stack_id(const std::string& name_or_id, const AccessKey& key) const override;
  [[nodiscard]] std::optional<ResourceDetail> resource(const std::string& stack,
                                                       const std::string& name) const override;
  SignalOutcome signal(const std::string&, const std::string&, const Json&) override {
    return {SignalOutcome::Kind::no_resource, ""};
  }

  fs::path directory_;
  fs::path signals_file_;
  const Clock& clock_;
  Logger& log_;
  CfnApi cfn_;
  std::string loaded_;  ///< which state of the directory
  Contents held_;
};

}  // namespace hearth::metadata::live
