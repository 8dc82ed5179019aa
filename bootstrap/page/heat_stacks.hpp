// The stacks of a Heat orchestration API (v1), such as `hearth metadata serve` has it.
#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/net/http.hpp"
#include "bootstrap/conductor/workers.hpp"
#include "bootstrap/page/stack_source.hpp"

namespace hearth::bootstrap {

/// Everything that the page shows of stacks; waits for the answers. `url`: "http://HOST:8004/v1/PROJECT"; `ca_file`: as
/// HttpRequest's.
[[nodiscard]] Json ask_heat(HttpClient& http, const Clock& clock, const std::string& url, const std::string& token,
                            const std::string& ca_file = "");

class HeatStacks final : public StackSource {
 public:
  HeatStacks(Workers& workers, const Clock& clock, std::string url, std::string token, std::string ca_file)
      : workers_(workers),
        clock_(clock),
        url_(std::move(url)),
        token_(std::move(token)),
        ca_file_(std::move(ca_file)) {}
  void look(std::function<void(const Json&)> tell) override;

 private:
  Workers& workers_;
  const Clock& clock_;
  std::string url_;
  std::string token_;
  std::string ca_file_;
};

}  // namespace hearth::bootstrap
