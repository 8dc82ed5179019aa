#include "builder/run/earlier_outputs.hpp"

#include <gmock/gmock.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/own_names.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EarlierOutputsTest : public testing::Test {
 protected:
  EarlierOutputsTest() {
    request.output = dir.path() / "web";
    files.write(image, "the old one", {});
    fs::create_directories(records);
    files.write(records / k_provenance_file, "of the old one", {});
  }
  /// As a build does that writes these bytes.
  fs::path keep_and_write(EarlierOutputs& earlier, const std::string& bytes) {
    const fs::path kept = earlier.keep(output);
    earlier.keep_evidence();
    files.write(image, bytes, {});
    return kept;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
  }

  TempDir dir = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  RealFileSystem files;
  fs::path image = dir.path() / "web.qcow2";
  fs::path records = dir.path() / "web.d";
  Output output{parse_formats("qcow2").front(), image};
  ImageRequest request;
  std::vector<std::string> notes;
  std::function<void(const std::string&)> note = [this](const std::string& text) { notes.push_back(text); };
};

TEST_F(EarlierOutputsTest, TheEarlierImageKeepsItsEvidenceBesideItUnderItsOtherName) {
  EarlierOutputs earlier(request, note);
  const fs::path kept = keep_and_write(earlier, "the new one");
  earlier.finish();
  EXPECT_EQ(read_file(kept), "the old one");
  EXPECT_EQ(read_file(image), "the new one");
  EXPECT_EQ(read_file(dir.path() / cat(kept.stem().string(), ".d") / k_provenance_file), "of the old one");
  EXPECT_THAT(notes, ElementsAre(HasSubstr(kept.filename().string())));
}

TEST_F(EarlierOutputsTest, WhereTheNewOneFailsAllIsAsItWas) {
  EarlierOutputs earlier(request, note);
  const fs::path kept = earlier.keep(output);
  earlier.keep_evidence();
  earlier.take_back();
  EXPECT_EQ(read_file(image), "the old one");
  EXPECT_FALSE(fs::exists(kept));
  EXPECT_EQ(entries(), 2U) << "the image and its evidence";
}

TEST_F(EarlierOutputsTest, TheSameBytesNeedNoSecondFile) {
  EarlierOutputs earlier(request, note);
  const fs::path kept = keep_and_write(earlier, "the old one");
  earlier.finish();
  EXPECT_FALSE(fs::exists(kept));
  EXPECT_EQ(entries(), 2U);
  EXPECT_THAT(notes, ElementsAre("web.qcow2 is the earlier one, byte by byte"));
}

TEST_F(EarlierOutputsTest, WhatIsToBeOverwrittenIsNotKept) {
  request.overwrite = true;
  EarlierOutputs earlier(request, note);
  EXPECT_EQ(keep_and_write(earlier, "the new one"), image);
  earlier.finish();
  EXPECT_EQ(entries(), 2U);
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace hearth::builder
