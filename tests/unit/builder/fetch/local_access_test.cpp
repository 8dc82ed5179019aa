#include "builder/fetch/local_access.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What speaks against a connection to the URL where its host is at `address`.
std::string local_refusal(const std::vector<std::string>& allowed, const std::string& url, const std::string& address) {
  const SystemClock clock;
  return local_access(allowed)(parse_url(url).value_or_throw(), look_up(address, 80, Deadline::never(), clock).front());
}

TEST(LocalAccess, RefusesAnAddressByWhateverName) {
  EXPECT_THAT(local_refusal({}, "http://mirror.example/x", "192.0.2.1"), IsEmpty());
  EXPECT_THAT(local_refusal({}, "http://127.0.0.1:631/", "127.0.0.1"), HasSubstr("(loopback)"));
  EXPECT_THAT(
      local_refusal({}, "http://metadata.example/x", "169.254.169.254"),
      testing::AllOf(HasSubstr("169.254.169.254 (link-local)"), HasSubstr("--allow-local metadata.example:80")));
}

TEST(LocalAccess, LetsPassWhatTheUserNamed) {
  EXPECT_THAT(local_refusal({"127.0.0.1:3142"}, "http://127.0.0.1:3142/debian", "127.0.0.1"), IsEmpty());
  EXPECT_THAT(local_refusal({"127.0.0.1:3142"}, "http://127.0.0.1:631/", "127.0.0.1"), HasSubstr("loopback"));
  EXPECT_THAT(local_refusal({"Mirror.example"}, "https://mirror.example/", "127.0.0.1"), IsEmpty());
  EXPECT_THAT(local_refusal({"mirror.example"}, "http://127.0.0.1/", "127.0.0.1"), HasSubstr("loopback"))
      << "a name that leads here is not the address";
  EXPECT_THAT(local_refusal({"[::1]:80"}, "http://[::1]/", "::1"), IsEmpty());
}

TEST(LocalAccess, WhatIsAskedForHooksIsWhatTheyReach) {
  const SystemClock clock;
  const std::set<LocalPlace> places = {{"127.0.0.1", 3142}};
  const AddressCheck check = as_hooks_reach(places);
  const auto refusal = [&](const std::string& url, const std::string& address) {
    return check(parse_url(url).value_or_throw(), look_up(address, 80, Deadline::never(), clock).front());
  };
  EXPECT_THAT(refusal("http://mirror.example/", "192.0.2.1"), IsEmpty());
  EXPECT_THAT(refusal("http://127.0.0.1:3142/", "127.0.0.1"), IsEmpty());
  EXPECT_THAT(refusal("http://127.0.0.1:631/", "127.0.0.1"), HasSubstr("loopback"));
  EXPECT_THAT(refusal("http://x.example/", "169.254.169.254"), HasSubstr("link-local"));
  EXPECT_TRUE(hooks_reach("git://127.0.0.1:3142/x", places, clock));
  EXPECT_FALSE(hooks_reach("git://127.0.0.1/x", places, clock));
  EXPECT_FALSE(hooks_reach("ssh://me@[::1]/x", places, clock));
  EXPECT_TRUE(hooks_reach("https://192.0.2.1/x", places, clock));
  EXPECT_TRUE(hooks_reach("/srv/git/x", places, clock));
}

TEST(LocalAccess, TakesMirrorsFromVariablesAndAptsSources) {
  fakes::MemoryFileSystem files;
  files.put("/etc/apt/sources.list", "deb [arch=amd64] http://127.0.0.1:3142/debian bookworm main\n");
  files.put("/etc/apt/sources.list.d/x.sources", "URIs: https://Mirror.example/debian\n");
  const Environment environment = {{"DIB_DISTRIBUTION_MIRROR", "http://me:word@127.0.0.1/debian"},
                                   {"DIB_REPOS", "a|git|http://[::1]:8080/a,http://b.example"},
                                   {"ECS_CONTAINER_METADATA_URI", "http://169.254.170.2/v3"},
                                   {"DIB_RELEASE", "https"}};
  EXPECT_THAT(locally_named(environment, files),
              ElementsAre("127.0.0.1:80", "[::1]:8080", "b.example:80", "127.0.0.1:3142", "mirror.example:443"));
}

}  // namespace
}  // namespace hearth::builder::fetch
