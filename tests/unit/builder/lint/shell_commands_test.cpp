#include "builder/lint/shell_commands.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> split_script(const std::string& text) {
  std::vector<std::string> lines;
  for (const ShellCommand& command : shell_commands(text))
    lines.push_back(cat(command.line, ": ", join(command.words, "|")));
  return lines;
}

TEST(ShellCommands, AreSplitAsAShellSplitsThem) {
  EXPECT_THAT(split_script("#!/bin/sh\nset -e; a b && c \"d e\" 'f'\n"),
              ElementsAre("2: set|-e", "2: a|b", "2: c|d e|f"));
  EXPECT_THAT(split_script("apt-get install \\\n  -y a \\\n b > /dev/null # why\nnext"),
              ElementsAre("1: apt-get|install|-y|a|b", "4: next"));
  EXPECT_THAT(split_script("if ! A=1 sudo x y; then\n  z | w\nfi"), ElementsAre("1: x|y", "2: z", "2: w", "3: fi"));
  EXPECT_THAT(split_script("a 2>&1 b &> c >> d e\n"), ElementsAre("1: a|b|e"));
  EXPECT_THAT(split_script("echo 'a\nb'\nc"), ElementsAre("1: echo|a\nb", "3: c"));
}

TEST(ShellCommands, HereDocumentsAreNone) {
  EXPECT_THAT(split_script("cat > /x <<-'EOF'\n\tsystemctl start a\n\tEOF\nb\n"), ElementsAre("1: cat", "4: b"));
  EXPECT_THAT(split_script("cat <<A <<B\n1\nA\n2\nB\nc <<< d\n"), ElementsAre("1: cat", "6: c"));
  EXPECT_THAT(split_script("cat <<EOF\nnever ended"), ElementsAre("1: cat"));
}

TEST(ShellCommands, OfAptsTheActionAndWhatItIsOf) {
  const auto first = [](const std::string& text) { return shell_commands(text).front(); };
  EXPECT_EQ(apt_action(first("apt-get -y -t trixie install a")), "install");
  EXPECT_EQ(apt_action(first("/usr/bin/apt update")), "update");
  EXPECT_EQ(apt_action(first("dnf install a")), "");
  EXPECT_THAT(apt_operands(first("apt-get -y install a -t x b=1 --no-install-recommends")), ElementsAre("a", "b=1"));
  EXPECT_THAT(apt_operands(first("apt-get")), IsEmpty());
}

}  // namespace
}  // namespace hearth::builder
