#include "builder/sandbox/missing_right.hpp"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

using Engine = Container::Engine;
using What = NamespaceRefusal::What;
using testing::HasSubstr;

class ContainerTest : public testing::Test {
 protected:
  Container of(const Environment& environment = {}) { return container_of(files_, environment, true); }
  void write(const fs::path& path, const std::string& text) {
    files_.make_directories(path.parent_path(), 0755);
    files_.write(path, text, {});
  }
  fakes::MemoryFileSystem files_;
};

TEST_F(ContainerTest, IsKnownByWhatEnginesLeaveInIt) {
  EXPECT_EQ(of().engine, Engine::none);
  EXPECT_EQ(of({{"container", "oci"}}).engine, Engine::other);
  EXPECT_EQ(of({{"container", "podman"}}).engine, Engine::podman);
  write("/.dockerenv", "");
  EXPECT_EQ(of().engine, Engine::docker);
  write("/run/.containerenv", "");
  EXPECT_EQ(of().engine, Engine::podman);
  EXPECT_EQ(of({{"KUBERNETES_SERVICE_HOST", "192.0.2.1"}}).engine, Engine::kubernetes);
}

TEST_F(ContainerTest, WhatConfinesItIsRead) {
  write("/proc/self/status", "CapEff:\t00000000800405fb\nNoNewPrivs:\t1\nSeccomp:\t2\n");
  write("/proc/self/attr/current", "docker-default (enforce)\n");
  Container container = of();
  EXPECT_TRUE(container.has_seccomp);
  EXPECT_TRUE(container.has_no_new_privs);
  EXPECT_TRUE(container.can_map_ids);
  EXPECT_EQ(container.profile, "docker-default (enforce)");
  write("/proc/self/status", "CapEff:\t0000000000000000\nNoNewPrivs:\t0\nSeccomp:\t0\n");
  write("/proc/self/attr/current", "unconfined\n");
  container = of();
  EXPECT_FALSE(container.has_seccomp);
  EXPECT_FALSE(container.has_no_new_privs);
  EXPECT_FALSE(container.can_map_ids);
  EXPECT_EQ(container.profile, "");
}

TEST(MissingRightTest, IsToldWithTheFlagOfEachEngine) {
  const NamespaceRefusal refused{What::namespaces, ENOSYS};  // docker's answer to clone3
  Container container{.engine = Engine::docker, .has_seccomp = true};
  EXPECT_THAT(missing_right(refused, container).what, HasSubstr("seccomp"));
  EXPECT_EQ(missing_right(refused, container).remedy, "docker run --security-opt seccomp=unconfined");
  container.engine = Engine::podman;
  EXPECT_EQ(missing_right(refused, container).remedy, "podman run --security-opt seccomp=unconfined");
  container.engine = Engine::kubernetes;
  EXPECT_THAT(missing_right(refused, container).remedy,
              HasSubstr("securityContext: {seccompProfile: {type: Unconfined}}"));
  container.engine = Engine::other;
  EXPECT_THAT(missing_right(refused, container).remedy,
              testing::AllOf(HasSubstr("docker or podman run --security-opt seccomp"), HasSubstr("Kubernetes")));
}

TEST(MissingRightTest, WhoForbidsMountsIsTold) {
  Container container{.engine = Engine::docker, .has_seccomp = true, .profile = "docker-default (enforce)"};
  EXPECT_EQ(missing_right({What::mounts, EACCES}, container).remedy, "docker run --security-opt apparmor=unconfined");
  container.profile = "system_u:system_r:container_t:s0:c1,c2";
  EXPECT_EQ(missing_right({What::mounts, EACCES}, container).remedy, "docker run --security-opt label=disable");
  EXPECT_EQ(missing_right({What::mounts, EPERM}, container).remedy, "docker run --security-opt seccomp=unconfined");
}

TEST(MissingRightTest, TooFewNamespacesAndIdsAreToldApart) {
  Container container{.engine = Engine::podman, .has_seccomp = true};
  EXPECT_THAT(missing_right({What::namespaces, ENOSPC}, container).remedy,
              HasSubstr("sysctl user.max_user_namespaces"));
  EXPECT_THAT(missing_right({What::ids, EPERM}, container).what, HasSubstr("fewer than 65536 ids"));
  container.can_map_ids = false;
  EXPECT_EQ(missing_right({What::ids, EPERM}, container).remedy, "podman run --cap-add SETUID,SETGID,SETFCAP");
  container.is_root = false;
  EXPECT_EQ(
      missing_right({What::ids, 0}, container).remedy,
      "podman run --user 0; or there, as root: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER");
}

}  // namespace
}  // namespace hearth::builder
