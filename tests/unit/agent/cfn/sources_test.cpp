#include "agent/cfn/init.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

class CfnSourcesTest : public CfnTest {
 protected:
  CfnSourcesTest() {
    for (const char* program : {"tar", "unzip"}) runner_.on(program, 0);
    for (const char* program : {"gunzip", "bunzip2"}) runner_.on(program, 0, "unpacked");
  }
  std::string unpack(const std::string& url) {
    http_.on("GET", parse_url(url).value_or_throw().text(), 200, "archive");
    runner_.ran.clear();
    apply_sources(json(R"({"/dest": ")" + url + "\"}"), world());
    return runner_.ran.empty() ? log_.all() : commands().front();
  }
};

TEST_F(CfnSourcesTest, TheNameOfAnArchiveSaysHowItIsUnpacked) {
  EXPECT_EQ(unpack("http://h/a.tar.gz"), "tar -xzf /dest/.cfn-init-a.tar.gz -C /dest");
  EXPECT_EQ(unpack("http://h/a.TGZ?x=1"), "tar -xzf /dest/.cfn-init-a.TGZ -C /dest");
  EXPECT_EQ(unpack("http://h/a.tar.bz2"), "tar -xjf /dest/.cfn-init-a.tar.bz2 -C /dest");
  EXPECT_EQ(unpack("http://h/a.tar"), "tar -xf /dest/.cfn-init-a.tar -C /dest");
  EXPECT_EQ(unpack("http://h/a.zip"), "unzip -o -q /dest/.cfn-init-a.zip -d /dest");
  EXPECT_EQ(unpack("https://github.com/u/p/tarball/main"), "tar -xzf /dest/.cfn-init-main -C /dest");
  EXPECT_EQ(unpack("https://github.com/u/p/zipball/main"), "unzip -o -q /dest/.cfn-init-main -d /dest");
  EXPECT_TRUE(files_.list("/dest").empty()) << "archives are removed";
}

TEST_F(CfnSourcesTest, ASingleFileLosesItsEnding) {
  EXPECT_EQ(unpack("http://h/d/x.conf.gz"), "gunzip -c /dest/.cfn-init-x.conf.gz");
  EXPECT_EQ(files_.files.at("/dest/x.conf").data, "unpacked");
}

TEST_F(CfnSourcesTest, FailuresAreLoggedAndTheRestGoesOn) {
  http_.on("GET", "http://h/b.tar", 200, "archive");
  apply_sources(
      json(R"({"/x": "http://h/a.rar", "/y": "http://h/gone.tar", "/z": "no url", "/dest": "http://h/b.tar"})"),
      world());
  EXPECT_EQ(commands(), Words{"tar -xf /dest/.cfn-init-b.tar -C /dest"});
  for (const char* where : {"sources: /x: ", "sources: /y: ", "sources: /z: "}) EXPECT_TRUE(log_.holds(where)) << where;
}

}  // namespace
}  // namespace hearth::agent
