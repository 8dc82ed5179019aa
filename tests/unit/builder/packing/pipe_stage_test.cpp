// The peers are gzip and sha256sum.
#include "builder/packing/pipe_stage.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder {
namespace {

class PipeStageTest : public testing::Test {
 protected:
  /// What comes out of `reader` when `text` goes in.
  std::string through(const std::string& text, const std::function<void(const Fd& in, int out)>& reader) {
    const fs::path file = work_.path() / "out";
    const Fd out = Fd::open(file.string(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    PipeStage stage([&](const Fd& in) { reader(in, out.get()); });
    const Fd input(::dup(stage.input()));
    write_all(input, text, "the pipe");
    const_cast<Fd&>(input) = Fd();
    stage.finish();
    return read_file(file);
  }
  static std::string text_of(std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; text.size() < bytes; ++i) text += cat(i * 7919 % 1000, " ");
    text.resize(bytes);
    return text;
  }
  SystemClock clock_;
  RealRunner runner_{clock_};
  TempDir work_ = TempDir::create(fs::temp_directory_path(), "pipe-");
};

TEST_F(PipeStageTest, WhatPassesIsHashedOnItsWay) {
  const std::string text = text_of(3'000'000);
  std::vector<std::string> digests;
  EXPECT_EQ(through(text,
                    [&](const Fd& in, int out) {
                      digests = copy_hashing(in, out, {HashKind::sha512, HashKind::md5});
                    }),
            text);
  EXPECT_EQ(digests, (std::vector<std::string>{hex_digest(HashKind::sha512, text), hex_digest(HashKind::md5, text)}));
}

TEST_F(PipeStageTest, GunzipGivesBackWhatWasCompressedInPieces) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20U, std::size_t{3'500'000}}) {
    const std::string text = text_of(bytes);
    (void)through(text, gzip_stream);
    const CommandResult back = runner_.run({.argv = {"gzip", "-dc"}, .input = read_file(work_.path() / "out")});
    EXPECT_EQ(back.status, ExitStatus(Exited{0})) << bytes << back.err;
    EXPECT_TRUE(back.out == text) << bytes;
  }
}

TEST_F(PipeStageTest, AReaderThatFailsDoesNotBreakTheWriterAndIsReportedAtTheEnd) {
  PipeStage stage([](const Fd&) { throw Error(ErrorKind::io, "the disk is full"); });
  const Fd input(::dup(stage.input()));
  EXPECT_NO_THROW(write_all(input, text_of(5'000'000), "the pipe"));
  const_cast<Fd&>(input) = Fd();
  EXPECT_THROW(stage.finish(), Error);
}

}  // namespace
}  // namespace hearth::builder
