// Heat's CFN API (port 8000) as far as agents use it: the version document, DescribeStackResource, signals and wait
// conditions. Every request but the first kind must be signed with the key of the resource that it concerns; a key
// opens nothing else, so that no server reads another's metadata or signals in its name.
#pragma once

#include <map>

#include "base/log.hpp"
#include "metadata/credentials/aws_signature.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::metadata {

class CfnApi final : public HttpHandler {
 public:
  /// Refusals are logged as warnings.
  CfnApi(StackView& stacks, Logger& log) : stacks_(stacks), log_(log) {}
  [[nodiscard]] Admission admit(const ServedRequest& head) override;
  [[nodiscard]] bool admits_at_once(const ServedRequest& head) const override;
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override;
  [[nodiscard]] ServedResponse answer(const ServedRequest& request) override;

 private:
  struct Rendered {
    std::string tag;
    std::shared_ptr<const std::string> xml;
  };

  [[nodiscard]] ServedResponse act(const ServedRequest& request);
  [[nodiscard]] ServedResponse describe(const ServedRequest& request, const Parameters& parameters,
                                        const AccessKey& key);
  ServedResponse take_report(const ServedRequest& request, const Parameters& parameters, const AccessKey& key);
  [[nodiscard]] ServedResponse rendered(const ServedRequest& request, const Parameters& parameters,
                                        const ResourceDetail& detail);
  [[nodiscard]] ServedResponse signal(const ServedRequest& request, const std::string& arn, bool is_wait_condition);
  /// The key that signed the request, or the error to answer.
  [[nodiscard]] Result<AccessKey, ServedResponse> authenticate(const ServedRequest& request,
                                                               const Parameters& parameters);
  [[nodiscard]] ServedResponse refuse(const ServedRequest& request, int status, const std::string& code,
                                      const std::string& message, const std::string& why);

  StackView& stacks_;
  Logger& log_;
  std::map<std::string, Rendered> cache_;  ///< by "STACK/RESOURCE": a server's answer is made once a version
};

}  // namespace hearth::metadata
