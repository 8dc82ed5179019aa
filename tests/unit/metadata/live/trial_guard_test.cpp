#include "metadata/live/trial_guard.hpp"

#include <gtest/gtest.h>

#include "base/net/served.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {
namespace {

ServedRequest asked(const std::string& method, const std::string& path) {
  ServedRequest request;
  request.method = method;
  request.target = request.raw_path = request.path = path;
  return request;
}

TEST(TrialGuard, TriesWhatBringsOrAsksForSomethingThatIsEvaluated) {
  const auto heat = [](const std::string& method, const std::string& path) {
    return tried_of_heat(asked(method, cat("/v1/p/", path)));
  };
  for (const char* changing : {"stacks", "stacks/n/i/actions", "stacks/n/i/resources/r/machine", "software_configs",
                               "software_deployments", "stacks/n/i/snapshots/s/restore"})
    EXPECT_EQ(heat("POST", changing), Trying::changes) << changing;
  EXPECT_EQ(heat("POST", "stacks/n/i/resources/r/signal"), Trying::signals) << "machines wait for no person's template";
  for (const char* method : {"PUT", "PATCH", "DELETE"}) EXPECT_EQ(heat(method, "stacks/n/i"), Trying::changes);
  EXPECT_EQ(heat("PATCH", "stacks/n/i/resources/preview"), Trying::changes) << "a resource may have that name";
  EXPECT_EQ(heat("POST", "stacks/n/i/resources/r/run"), Trying::not_at_all) << "no agent's report waits for a template";
  EXPECT_EQ(heat("POST", "validate"), Trying::asks);
  EXPECT_EQ(heat("POST", "stacks/preview"), Trying::asks);
  EXPECT_EQ(heat("PUT", "stacks/n/i/preview"), Trying::asks);
  for (const char* reading :
       {"stacks/n/i", "stacks/n/i/outputs", "stacks/n/i/outputs/o", "stacks/n/i/resources/r", "stacks/n/i/template",
        "stacks/n/i/environment", "stacks/n/i/export", "stacks/n/i/servers", "stacks/n/i/files",
        "stacks/n/i/resources/r/", "stacks/n/i/resources/r/other", "stacks/n/i/resources/%72", "%73tacks/n/i",
        "stacks/n/i/%6futputs", "stacks/n/i/o%75tputs/o", "stacks/n/i/resources%2F/r"})
    EXPECT_EQ(heat("GET", reading), Trying::asks) << reading;
  for (const char* row : {"stacks/n", "stacks/n/i/events", "software_configs/c", "stacks/n/i/resources/r/metadata",
                          "stacks/n/i/resources/r/events", "stacks/n/i/snapshots", "resource_types"})
    EXPECT_EQ(heat("GET", row), Trying::not_at_all) << row;
  for (const char* rows : {"stacks", "stacks/", "stacks/n/i/resources", "stacks/n/i/resources/", "software_configs",
                           "software_deployments"})
    EXPECT_EQ(heat("GET", rows), Trying::lists) << rows << " may be many";
  EXPECT_EQ(tried_of_heat(asked("GET", "/")), Trying::not_at_all);
}

TEST(TrialGuard, TriesSignalsButNoPolls) {
  EXPECT_EQ(tried_of_cfn(asked("POST", "/v1/signal/arn")), Trying::signals);
  EXPECT_EQ(tried_of_cfn(asked("PUT", "/v1/waitcondition/arn")), Trying::signals);
  EXPECT_EQ(tried_of_cfn(asked("GET", "/v1/")), Trying::not_at_all);
  EXPECT_EQ(tried_of_objects(asked("PUT", "/v1/AUTH_p/c/o")), Trying::signals);
  EXPECT_EQ(tried_of_objects(asked("GET", "/v1/AUTH_p/c/o")), Trying::not_at_all);
}

}  // namespace
}  // namespace hearth::metadata::live
