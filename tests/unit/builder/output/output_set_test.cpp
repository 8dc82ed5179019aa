#include "builder/output/output_set.hpp"

#include <gmock/gmock.h>

#include <atomic>

#include "base/error.hpp"
#include "base/json.hpp"
#include "tests/unit/builder/disk/disk_fixture.hpp"

namespace hearth::builder {
namespace {

class OutputSetTest : public DiskFixture {
 protected:
  void SetUp() override {
    make_tree(source_.tree);
    files_.write(source_.tree / "boot/vmlinuz-6.1", "kernel", {});
    files_.write(source_.tree / "boot/initrd.img-6.1", "ramdisk", {});
    files_.write(source_.raw.file, std::string(100'000, 'd'), {});
    fs::resize_file(source_.raw.file, 2 * k_mib);
  }
  std::vector<Output> outputs(const std::string& types) {
    std::vector<Output> all;
    for (const OutputFormat& format : parse_formats(types)) {
      all.push_back({format, work_.path() / "out" / cat("image.", format.extension())});
    }
    files_.make_directories(work_.path() / "out", 0755);
    return all;
  }
  OutputSource source_{
      .tree = work_.path() / "tree", .raw = work_.path() / "raw", .scratch = work_.path(), .epoch = k_epoch};
  OutputSettings settings_{.container_tag = "me:1", .architecture = "amd64", .checksums = {HashKind::sha256}};
};

TEST_F(OutputSetTest, ManyFormatsAtOnceAreTheSameAsOneByOne) {
  const std::string types = "tar,tgz,tar.zst,aci,docker,oci-archive,raw,qcow2,kernel";
  const auto all = outputs(types);
  write_outputs(all, source_, settings_, runner_, 4);
  std::vector<std::string> first;
  for (const Output& output : all) first.push_back(read_file(output.target));
  write_outputs(all, source_, settings_, runner_, 1);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(read_file(all[i].target) == first[i]) << all[i].format.name;
  EXPECT_EQ(read_file(work_.path() / "out/image.vmlinuz"), "kernel");
  EXPECT_EQ(read_file(work_.path() / "out/image.initrd"), "ramdisk");
  for (const char* name : {"image.tgz", "image.oci.tar", "image.initrd"}) {
    EXPECT_TRUE(fs::exists(work_.path() / "out" / cat(name, ".sha256"))) << name;
  }
  EXPECT_THAT(tool({"tar", "-tzf", (work_.path() / "out/image.tgz").string()}), testing::HasSubstr("./bin/tool\n"));
}

TEST_F(OutputSetTest, AnOciLayoutNamesEveryBlobByItsDigest) {
  const auto all = outputs("oci");
  write_outputs(all, source_, settings_, runner_, 1);
  const fs::path blobs = all.front().target / "blobs/sha256";
  for (const std::string& name : files_.list(blobs)) {
    EXPECT_EQ(hex_digest(HashKind::sha256, read_file(blobs / name)), name);
  }
  const Json index = parse_json(read_file(all.front().target / "index.json"), "index").value_or_throw();
  EXPECT_EQ(index.at("manifests").at(0).at("annotations").at("org.opencontainers.image.ref.name"), "me:1");
  write_outputs(all, source_, settings_, runner_, 1);  // one that is there is replaced
  EXPECT_EQ(files_.list(work_.path() / "out"), (std::vector<std::string>{"image.oci"}));
}

TEST_F(OutputSetTest, AFileSystemImageIsWhatItsMakerMade) {
  settings_.make_file_system = [&](const std::string& type, const fs::path& raw) {
    files_.write(raw, cat("as ", type), {});
  };
  write_outputs(outputs("xfs"), source_, settings_, runner_, 1);
  EXPECT_EQ(read_file(work_.path() / "out/image.xfs"), "as xfs");
}

TEST_F(OutputSetTest, TheFirstFailureIsToldAndLeavesNothingHalfWritten) {
  settings_.make_file_system = [](const std::string&, const fs::path&) { throw Error(ErrorKind::io, "no maker"); };
  try {
    write_outputs(outputs("ext4,tar"), source_, settings_, runner_, 1);
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no maker");
  }
  EXPECT_TRUE(files_.list(work_.path() / "out").empty());
}

}  // namespace
}  // namespace hearth::builder
