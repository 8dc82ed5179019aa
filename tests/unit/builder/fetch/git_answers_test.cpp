#include "builder/fetch/git_answers.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string k_pack = "PACK and what follows";
const std::string k_refs = "001e# service=git-upload-pack\n0000";
const std::string k_page = "a page";

class GitAnswersTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& text : {k_pack, k_refs, k_page}) {
      BlobStore::Writer object = store_.blobs().begin();
      object.write(text);
      (void)object.commit();
    }
  }
  static Fetched fetched(const std::string& text) { return {200, hex_digest(HashKind::sha256, text), text.size(), {}}; }

  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  const fs::path lock_file_ = dir_.path() / "hearth.lock";
  ObjectStore store_{dir_.path() / "store"};
  const Lock lock_{
      .fetches = {
          {{"GET;git-protocol=version=2", "http://git.example/a/info/refs?service=git-upload-pack"}, fetched(k_refs)},
          {{"POST:1", "http://git.example/a/git-upload-pack"}, fetched(k_pack)},
          {{"GET", "http://git.example/a/page"}, fetched(k_page)}}};
};

TEST_F(GitAnswersTest, AnEmptyStoreGetsWhatGitServersAnsweredFromBesideTheLock) {
  keep_git_answers(lock_file_, lock_, store_);
  ObjectStore empty(dir_.path() / "empty");
  take_git_answers(lock_file_, lock_, empty);
  for (const std::string& text : {k_pack, k_refs}) EXPECT_TRUE(empty.open(fetched(text).sha256, text.size())) << text;
  EXPECT_FALSE(empty.blobs().has(fetched(k_page).sha256, k_page.size()))
      << "whatever else there is can be fetched again";
}

TEST_F(GitAnswersTest, ADamagedOneIsRefusedAndNotKept) {
  keep_git_answers(lock_file_, lock_, store_);
  const fs::path file = git_answers_directory(lock_file_) / fetched(k_pack).sha256;
  RealFileSystem().write(file, "PICK and what follows", {});
  ObjectStore empty(dir_.path() / "empty");
  try {
    take_git_answers(lock_file_, lock_, empty);
    FAIL() << "it is taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("is not the answer of a git server that its name says"));
  }
  EXPECT_FALSE(empty.blobs().has(hex_digest(HashKind::sha256, "PICK and what follows"), k_pack.size()));
}

TEST_F(GitAnswersTest, WhatIsNoFileOfTheAnswersSizeIsNotRead) {
  keep_git_answers(lock_file_, lock_, store_);
  const fs::path file = git_answers_directory(lock_file_) / fetched(k_pack).sha256;
  ObjectStore empty(dir_.path() / "empty");
  const auto refused = [&] {
    try {
      take_git_answers(lock_file_, lock_, empty);
      return std::string("taken");
    } catch (const Error& error) {
      return error.story();
    }
  };
  fs::resize_file(file, std::uintmax_t{1} << 43U);  // hours
  EXPECT_THAT(refused(), HasSubstr("is not the answer of a git server that its name says"));
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  EXPECT_THAT(refused(), HasSubstr("is not the answer of a git server that its name says"));
  fs::remove_all(file.parent_path());
  fs::create_symlink("hearth.lock.d", file.parent_path());
  EXPECT_THAT(refused(), HasSubstr(cat("looking at ", file.string())));
}

TEST_F(GitAnswersTest, ARecordingKnowsBeforeItBeginsWhereTheyHaveNoPlace) {
  require_place_for_lock(lock_file_);
  RealFileSystem().write(git_answers_directory(lock_file_), "a file", {});
  try {
    require_place_for_lock(lock_file_);
    FAIL() << "there is no place";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("hearth.lock.d is no directory"));
  }
}

TEST_F(GitAnswersTest, EachIsToldAsItLiesThere) {
  const auto states = [&] {
    std::map<std::string, GitAnswer::State> all;
    for (const auto& [file, state] : git_answers(lock_file_, lock_)) all[file.filename().string()] = state;
    return all;
  };
  using State = GitAnswer::State;
  const std::string pack = fetched(k_pack).sha256;
  const std::string refs = fetched(k_refs).sha256;
  EXPECT_EQ(states(), (std::map<std::string, State>{{pack, State::missing}, {refs, State::missing}}));
  keep_git_answers(lock_file_, lock_, store_);
  EXPECT_EQ(states(), (std::map<std::string, State>{{pack, State::sound}, {refs, State::sound}}));
  RealFileSystem().write(git_answers_directory(lock_file_) / pack, "PICK and what follows", {});
  EXPECT_EQ(states().at(pack), State::damaged);
}

TEST_F(GitAnswersTest, WhatAnEarlierLockKeptGoesAndWhatIsNotOursStays) {
  keep_git_answers(lock_file_, lock_, store_);
  const fs::path directory = git_answers_directory(lock_file_);
  Lock less = lock_;
  less.fetches.erase(FetchKey{"POST:1", "http://git.example/a/git-upload-pack"});
  remove_other_git_answers(lock_file_, less);
  EXPECT_THAT(RealFileSystem().list(directory), ElementsAre(fetched(k_refs).sha256));
  RealFileSystem().write(directory / "notes", "the user's", {});
  remove_other_git_answers(lock_file_, {});
  EXPECT_THAT(RealFileSystem().list(directory), ElementsAre("notes"));
  fs::remove(directory / "notes");
  remove_other_git_answers(lock_file_, {});
  EXPECT_FALSE(fs::exists(directory));
}

}  // namespace
}  // namespace hearth::builder::fetch
