#include "builder/hooks/hook_network.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> named(const ImageRequest& request) {
  std::vector<std::string> all;
  for (const fetch::LocalPlace& place : named_places(request)) all.push_back(cat(place.address, ":", place.port));
  return all;
}

TEST(HookNetwork, HooksReachOfLoopbackWhatTheCallerNamedAndNothingElse) {
  ImageRequest request;
  EXPECT_THAT(named(request), Not(Contains(HasSubstr(":4001"))));
  request.environment = {{"http_proxy", "http://127.0.0.1:4001"}, {"SITE_SERVER", "http://127.0.0.1:4002"}};
  request.fetching.local = {"127.0.0.1:4003"};
  request.remote_cache = parse_url("http://127.0.0.1:4004/layers").value_or_throw();
  EXPECT_THAT(named(request), testing::IsSupersetOf({"127.0.0.1:4001", "127.0.0.1:4003", "127.0.0.1:4004"}));
  EXPECT_THAT(named(request), Not(Contains("127.0.0.1:4002"))) << "no word for it";
}

TEST(HookNetwork, WhoGetsTheMachinesNetworkIsTold) {
  ImageRequest request;
  request.environment = {{"HEARTH_NETWORK", "host"}};
  std::vector<std::string> notes;
  EXPECT_EQ(private_network(request, {}, notes), nullptr);
  EXPECT_THAT(notes,
              ElementsAre("hooks reach all of this machine's network, its loopback, too: HEARTH_NETWORK says so"));
  notes.clear();
  request.fetching.mode = fetch::FetchMode::record;
  EXPECT_EQ(private_network(request, {}, notes), nullptr);
  EXPECT_THAT(notes, IsEmpty()) << "a proxy stands between";
}

}  // namespace
}  // namespace hearth::builder
