#include "builder/fetch/local_places.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// "127.0.0.1:80", "127.0.0.53:53/udp".
std::vector<std::string> places_of(const Environment& environment, const fakes::MemoryFileSystem& files,
                                   const std::vector<std::string>& allowed = {}) {
  std::vector<std::string> texts;
  for (const LocalPlace& place : local_places(environment, files, allowed))
    texts.push_back(cat(place.address, ":", place.port, place.datagrams ? "/udp" : ""));
  return texts;
}

fakes::MemoryFileSystem machine() {
  fakes::MemoryFileSystem files;
  files.put("/etc/resolv.conf", "nameserver 192.0.2.53\n");
  return files;
}

TEST(LocalPlaces, AreThoseOfLoopbackThatUrlsName) {
  EXPECT_THAT(places_of({{"PIP_INDEX_URL", "https://me:pw@127.0.0.1:3141/simple http://pypi.example/"},
                         {"http_proxy", "localhost:3128"},
                         {"no_proxy", "127.0.0.1,localhost"},
                         {"GIT_MIRROR", "git://[::1]/x"},
                         {"PATH", "/bin:/usr/bin"}},
                        machine()),
              UnorderedElementsAre("127.0.0.1:3141", "127.0.0.1:3128", "::1:3128", "::1:9418"));
}

TEST(LocalPlaces, AreNamedByTheMachinesConfigurationToo) {
  fakes::MemoryFileSystem files = machine();
  files.put("/etc/hosts", "127.0.1.1 laptop laptop.example # mine\n192.0.2.7 far\n");
  files.put("/etc/apt/apt.conf.d/01proxy", "Acquire::http::Proxy \"http://laptop:3142\";\n");
  files.put("/etc/gitconfig", "[http]\nproxy = http://far:1\n");
  EXPECT_THAT(places_of({}, files), ElementsAre("127.0.1.1:3142"));
}

TEST(LocalPlaces, AreWhatTheUserAllows) {
  EXPECT_THAT(places_of({}, machine(),
                        {"127.0.0.1:8080", "169.254.169.254:80", "[::ffff:127.0.0.9]:1", "192.0.2.1:80", "0.0.0.0:9"}),
              UnorderedElementsAre("127.0.0.1:8080", "127.0.0.1:9", "127.0.0.9:1", "169.254.169.254:80"));
}

TEST(LocalPlaces, AreResolversOfTheMachinesOwn) {
  fakes::MemoryFileSystem files;
  files.put("/etc/resolv.conf", "# stub\nnameserver 127.0.0.53\nnameserver fe80::1%eth0\noptions edns0\n");
  EXPECT_THAT(places_of({}, files), ElementsAre("127.0.0.53:53", "127.0.0.53:53/udp"));
  files.put("/etc/resolv.conf", "search example\n");
  EXPECT_THAT(places_of({}, files), ElementsAre("127.0.0.1:53", "127.0.0.1:53/udp", "::1:53", "::1:53/udp"));
}

TEST(LocalPlaces, AreNoneWhereNothingIsMeantForLoopback) {
  EXPECT_THAT(places_of({{"DIB_RELEASE", "://"}, {"X", "http://127.0.0.1:x/ http://[::1"}}, machine()), IsEmpty());
}

TEST(ServersNamed, AreHostsAndPortsOfUrls) {
  EXPECT_THAT(servers_named("deb http://127.0.0.1:3142/debian x, https://Mirror.example/ ftp://[::1]/ qemu+tcp://h/"),
              ElementsAre("127.0.0.1:3142", "mirror.example:443", "[::1]:21"));
}

}  // namespace
}  // namespace hearth::builder::fetch
