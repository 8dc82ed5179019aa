#include "builder/output/container_config.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

std::string json_of(const std::vector<std::string>& instructions) {
  return config_json(parse_container_config(instructions, "--container-config"));
}

std::string refused(const std::string& instruction) {
  try {
    return json_of({instruction});
  } catch (const Error& error) {
    return error.story();
  }
}

TEST(ContainerConfigTest, EveryInstructionHasItsKey) {
  EXPECT_EQ(json_of({"CMD [\"-g\", \"daemon off;\"]", "ENTRYPOINT [\"nginx\"]", "ENV A=1", "EXPOSE 80 53/udp",
                     "LABEL org.x=y", "STOPSIGNAL SIGQUIT", "USER www-data", "VOLUME /data", "WORKDIR /srv"}),
            R"({"User":"www-data","ExposedPorts":{"53/udp":{},"80/tcp":{}},"Env":["A=1"],"Entrypoint":["nginx"],)"
            R"("Cmd":["-g","daemon off;"],"Volumes":{"/data":{}},"WorkingDir":"/srv","Labels":{"org.x":"y"},)"
            R"("StopSignal":"SIGQUIT"})");
}

TEST(ContainerConfigTest, WordsAreADockerfiles) {
  EXPECT_EQ(json_of({"env A=\"two words\" B='$HOME' C=a\\ b", "ENV D all the rest"}),
            R"({"Env":["A=two words","B=$HOME","C=a b","D=all the rest"]})");
  EXPECT_EQ(json_of({"CMD echo $HOME"}), R"({"Cmd":["/bin/sh","-c","echo $HOME"]})");
}

TEST(ContainerConfigTest, LaterOnesWin) {
  EXPECT_EQ(json_of({"ENV A=1 B=2", "ENV A=3", "CMD [\"a\"]", "CMD [\"b\"]"}), R"({"Env":["A=3","B=2"],"Cmd":["b"]})");
}

TEST(ContainerConfigTest, WhatIsWrongIsNamed) {
  EXPECT_THAT(refused("LABELS a=b"),
              HasSubstr("--container-config: 'LABELS' configures no container, did you mean LABEL"));
  EXPECT_THAT(refused("RUN apt-get update"), HasSubstr("'RUN' configures no container"));
  EXPECT_THAT(refused("CMD [\"x\""), HasSubstr("no JSON list of strings"));
  EXPECT_THAT(refused("CMD [1]"), HasSubstr("no JSON list of strings"));
  EXPECT_THAT(refused("CMD"), HasSubstr("a value is missing"));
  EXPECT_THAT(refused("ENV PATH=/opt:$PATH"), HasSubstr("variables are not expanded"));
  EXPECT_THAT(refused("ENV A"), HasSubstr("'A' is not NAME=VALUE"));
  EXPECT_THAT(refused("ENV =1"), HasSubstr("'=1' is not NAME=VALUE"));
  EXPECT_THAT(refused("ENV A='1"), HasSubstr("a quotation mark is missing"));
  EXPECT_THAT(refused("EXPOSE 99999"), HasSubstr("'99999' is not PORT"));
  EXPECT_THAT(refused("EXPOSE 80/tpc"), HasSubstr("'80/tpc' is not PORT"));
  EXPECT_THAT(refused("WORKDIR srv"), HasSubstr("no absolute path"));
  EXPECT_THAT(refused("USER a b"), HasSubstr("one word"));
}

TEST(ContainerConfigTest, AContainerHasAPathAndSomethingToStart) {
  fakes::MemoryFileSystem tree;
  tree.put("/bin/sh", "");
  EXPECT_EQ(config_json(with_defaults({}, tree)),
            R"({"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Cmd":["/bin/sh"]})");
  tree.put("/bin/bash", "");
  EXPECT_THAT(config_json(with_defaults({}, tree)), HasSubstr(R"("Cmd":["/bin/bash"])"));
  const ContainerConfig given = parse_container_config({"ENV PATH=/x", "ENTRYPOINT [\"/x/run\"]"}, "");
  EXPECT_EQ(with_defaults(given, tree), given);
}

}  // namespace
}  // namespace hearth::builder
