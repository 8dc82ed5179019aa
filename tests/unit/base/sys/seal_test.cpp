#include "base/sys/seal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth {
namespace {

using testing::HasSubstr;

class SealTest : public testing::Test {
 protected:
  static std::string story_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  TempDir directory_ = TempDir::create("/tmp", "seal-");
  fs::path file_ = directory_.path() / "seal-key";
};

TEST_F(SealTest, OpensWhatItSealedAndOnlyWhereItWasKept) {
  const Seal seal = Seal::read_or_make(file_);
  const std::string sealed = seal.seal("setting\na", "s3cret");
  EXPECT_THAT(sealed, HasSubstr("sealed:" + seal.key_id() + ":"));
  EXPECT_EQ(sealed.find("s3cret"), std::string::npos);
  EXPECT_EQ(Seal::read(file_).open("setting\na", sealed), "s3cret");
  EXPECT_NE(seal.seal("setting\na", "s3cret"), sealed) << "nobody sees that two are the same";
  EXPECT_THAT(story_of([&] { (void)seal.open("setting\nb", sealed); }), HasSubstr("taken from elsewhere"));
  EXPECT_EQ(seal.open("p", seal.seal("p", "")), "");
}

TEST_F(SealTest, SaysWhyItDoesNotOpen) {
  const Seal seal = Seal::read_or_make(file_);
  const std::string sealed = seal.seal("p", "s3cret");
  EXPECT_THAT(story_of([&] { (void)seal.open("p", "{}"); }), HasSubstr("it is not sealed"));
  for (std::size_t size = 1; size < sealed.size(); ++size)
    EXPECT_NE(story_of([&] { (void)seal.open("p", sealed.substr(0, size)); }), "") << size;
  const Seal other = Seal::read_or_make(directory_.path() / "other");
  EXPECT_THAT(story_of([&] { (void)other.open("p", sealed); }),
              HasSubstr("sealed with the key " + seal.key_id() + ", which " + directory_.path().string() + "/other"));
}

TEST_F(SealTest, IsRotatedAndTheFormerKeyOpensUntilItIsForgotten) {
  const Seal before = Seal::read_or_make(file_);
  const std::string sealed = before.seal("p", "s3cret");
  rotate_seal(file_, 1000);
  const Seal after = Seal::read(file_);
  EXPECT_NE(after.key_id(), before.key_id());
  EXPECT_EQ(after.open("p", sealed), "s3cret");
  EXPECT_THROW((void)before.open("p", after.seal("p", "t")), Error);
  forget_former_keys(file_, after.key_id(), 999);
  EXPECT_TRUE(Seal::read(file_).has(before.key_id()));
  forget_former_keys(file_, before.key_id(), 1000);
  EXPECT_TRUE(Seal::read(file_).has(before.key_id())) << "it was rotated after a server had read the file";
  forget_former_keys(file_, after.key_id(), 1000);
  EXPECT_FALSE(Seal::read(file_).has(before.key_id()));
  EXPECT_TRUE(Seal::read(file_).has(after.key_id()));
}

/// With one that reads while another writes, the key of the other would be lost.
TEST_F(SealTest, OfManyRotationsAtOnceNoneIsLostAndWhoHoldsTheFileIsNamed) {
  (void)Seal::read_or_make(file_);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(start_child([&] {
      for (int times = 0; times < 4; ++times) rotate_seal(file_, 1000);
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of_child(child), 0);
  const std::string text = read_file(file_);
  std::size_t keys = 0;
  for (std::size_t at = text.find("\"key\""); at != std::string::npos; at = text.find("\"key\"", at + 1)) ++keys;
  EXPECT_EQ(keys, 33U);
  const auto lock = FileLock::try_acquire(directory_.path());
  EXPECT_THAT(story_of([&] { forget_former_keys(file_, "", 2000); }), HasSubstr(cat("process ", ::getpid(), " (")));
  EXPECT_EQ(read_file(file_), text);
}

TEST_F(SealTest, AHugeFileIsRefusedUnread) {
  RealFileSystem().write(file_, "", {.mode = 0600, .uid = {}, .gid = {}});
  fs::resize_file(file_, std::uintmax_t{8} << 30U);
  EXPECT_THAT(story_of([&] { (void)Seal::read(file_); }), HasSubstr("larger than 1.0 MiB"));
}

TEST_F(SealTest, GoesOnWithAFormerKey) {
  const Seal before = Seal::read_or_make(file_);
  for (const std::int64_t until : {1000, 2000}) rotate_seal(file_, until);
  Seal after = Seal::read(file_);
  after.seal_with(before.key_id());
  EXPECT_EQ(after.key_id(), before.key_id());
  EXPECT_EQ(before.open("p", after.seal("p", "s3cret")), "s3cret");
  EXPECT_EQ(after.open("p", Seal::read(file_).seal("p", "s3cret")), "s3cret") << "the others open as before";
}

TEST_F(SealTest, PutsBackAFileThatSomebodyRemoved) {
  const std::string former = Seal::read_or_make(file_).key_id();
  rotate_seal(file_, 1000);
  const std::string before = read_file(file_);
  Seal seal = Seal::read(file_);
  seal.seal_with(former);
  EXPECT_FALSE(seal.put_back());
  fs::remove(file_);
  EXPECT_TRUE(seal.put_back());
  EXPECT_EQ(read_file(file_), before);
  fs::remove_all(directory_.path());
  EXPECT_THROW((void)seal.put_back(), Error);
}

TEST_F(SealTest, AFileThatIsNoneIsRefusedAndNothingOfItTold) {
  EXPECT_THAT(story_of([&] { (void)Seal::read(file_); }), HasSubstr("seal-key"));
  (void)Seal::read_or_make(file_);
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  EXPECT_THAT(story_of([&] { (void)Seal::read(file_); }), HasSubstr("chmod 600"));
  const std::string whole = read_file(file_);
  for (const std::string& text : {std::string(), whole.substr(0, 50), std::string(R"({"keys": []})"),
                                  std::string(R"({"keys": [{"key": "hearth"}]})")}) {
    RealFileSystem().write(file_, text, {.mode = 0600, .uid = {}, .gid = {}});
    const std::string story = story_of([&] { (void)Seal::read_or_make(file_); });
    EXPECT_THAT(story, HasSubstr("from a backup")) << text;
    EXPECT_EQ(story.find(whole.substr(30, 8)), std::string::npos) << story;
  }
}

TEST_F(SealTest, ARotatedKeySealsOnceAllIsSealedWithIt) {
  Seal seal = Seal::read_or_make(file_);
  const std::string first = seal.key_id();
  std::string sealed_before;
  const auto note = [&](const std::string& former) { sealed_before = former; };
  EXPECT_FALSE(seal.seal_anew(false, note)) << "nobody rotated it";
  rotate_seal(file_, 1000);
  const auto fail = [](const std::string&) { throw Error(ErrorKind::io, "the disk is full"); };
  EXPECT_EQ(story_of([&] { (void)seal.seal_anew(false, fail); }), "the disk is full");
  EXPECT_EQ(seal.key_id(), first) << "what was not sealed anew is read with the former key";
  EXPECT_TRUE(seal.seal_anew(true, note));
  EXPECT_EQ(sealed_before, first);
  EXPECT_EQ(seal.key_id(), Seal::read(file_).key_id());
}

TEST_F(SealTest, AFileWithoutTheKeyInUseIsRefusedAndToldOnce) {
  Seal seal = Seal::read_or_make(file_);
  const std::string first = seal.key_id();
  const Seal other = Seal::read_or_make(directory_.path() / "other");
  fs::rename(directory_.path() / "other", file_);
  const auto none = [](const std::string&) { ADD_FAILURE() << "nothing can be sealed with it"; };
  EXPECT_THAT(story_of([&] { (void)seal.seal_anew(false, none); }), HasSubstr(first));
  EXPECT_FALSE(seal.seal_anew(false, none)) << "told already";
  EXPECT_EQ(seal.key_id(), first);
}

TEST_F(SealTest, NoPowerCutTakesAKeyThatSealed) {
  fakes::LossyDisk disk(directory_.path());
  const std::string first = Seal::read_or_make(file_).key_id();
  disk.promise("made");
  rotate_seal(file_, 1000);
  const std::string second = Seal::read(file_).key_id();
  disk.promise("rotated");
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const Seal found = Seal::read_or_make(file_);
    EXPECT_TRUE(cut.promised.empty() || found.has(first));
    EXPECT_TRUE(cut.promised.size() < 2 || found.has(second));
  });
  EXPECT_GT(cuts, 4U);
}

}  // namespace
}  // namespace hearth
