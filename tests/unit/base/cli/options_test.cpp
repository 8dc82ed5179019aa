#include "base/cli/options.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::cli {
namespace {

const std::vector<Option> k_table = {
    {"output", 'o', "FILE", "where to"},
    {"offline", 0, "", "no network"},
    {"verbose", 'v', "", "more"},
    {"", 'x', "", "trace"},
    {"", 'n', "NAME", "a name"},
    {"verbose-errors", 0, "", "more of it"},
    {"image-size", 0, "GB", "size\nin GB"},
};

using Words = std::vector<std::string>;

Arguments parse(const Words& words) { return parse_options(k_table, words); }

std::string refusal(const Words& words) {
  try {
    (void)parse(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "accepted";
}

TEST(ParseOptions, TakesAValueInEverySpelling) {
  for (const Words& words : {Words{"-o", "f"}, Words{"-of"}, Words{"--output", "f"}, Words{"--output=f"},
                             Words{"--out=f"}, Words{"-vof"}, Words{"-xv", "-o", "f"}}) {
    EXPECT_EQ(parse(words).value("output"), "f") << words.front();
  }
}

TEST(ParseOptions, AValueMayLookLikeAnOptionOrBeEmpty) {
  EXPECT_EQ(parse({"-o", "--verbose"}).value("output"), "--verbose");
  EXPECT_EQ(parse({"--output="}).value("output"), "");
  EXPECT_EQ(parse({"--output=a=b"}).value("output"), "a=b");
  EXPECT_EQ(parse({"-o", ""}).value("output"), "");
}

TEST(ParseOptions, LettersMayBeGlued) {
  const Arguments arguments = parse({"-vxvnjoe"});
  EXPECT_EQ(arguments.count("verbose"), 2U);
  EXPECT_TRUE(arguments.has("x"));
  EXPECT_EQ(arguments.value("n"), "joe");
}

TEST(ParseOptions, OptionsAndOperandsMix) {
  const Arguments arguments = parse({"vm", "-v", "debian", "-o", "f", "-", ""});
  EXPECT_EQ(arguments.operands(), (Words{"vm", "debian", "-", ""}));
  EXPECT_TRUE(arguments.has("verbose"));
}

TEST(ParseOptions, TwoDashesEndTheOptions) {
  const Arguments arguments = parse({"-v", "--", "-o", "--", "--nonsense"});
  EXPECT_EQ(arguments.operands(), (Words{"-o", "--", "--nonsense"}));
  EXPECT_FALSE(arguments.has("output"));
}

TEST(ParseOptions, AnUnambiguousPrefixIsEnough) {
  EXPECT_TRUE(parse({"--off"}).has("offline"));
  EXPECT_EQ(parse({"--im", "3"}).value("image-size"), "3");
}

TEST(ParseOptions, AWholeNameWinsOverALongerOne) {
  EXPECT_TRUE(parse({"--verbose"}).has("verbose"));
  EXPECT_FALSE(parse({"--verbose"}).has("verbose-errors"));
}

TEST(ParseOptions, AnAmbiguousPrefixNamesThePossibilities) {
  EXPECT_EQ(refusal({"--o"}), "option '--o' is ambiguous; possibilities: --output --offline");
}

TEST(ParseOptions, AnUnknownNameSuggestsTheNearest) {
  EXPECT_EQ(refusal({"--outptu"}), "unrecognized option '--outptu'; did you mean '--output'?");
  EXPECT_EQ(refusal({"--something-else"}), "unrecognized option '--something-else'");
}

TEST(ParseOptions, OfOptionsWithoutALongNameTheLetterIsSuggested) {
  EXPECT_EQ(refusal({"--q"}), "unrecognized option '--q'");
  EXPECT_EQ(refusal({"--nickname"}), "unrecognized option '--nickname'; did you mean '-n NAME'?");
}

TEST(ParseOptions, SaysWhatIsWrongWithAValue) {
  EXPECT_EQ(refusal({"--output"}), "option '--output' requires an argument");
  EXPECT_EQ(refusal({"-vn"}), "option '-n' requires an argument");
  EXPECT_EQ(refusal({"--offline=yes"}), "option '--offline' doesn't allow an argument");
  EXPECT_EQ(refusal({"-q"}), "invalid option -- 'q'");
}

TEST(ArgumentsTest, TheLastValueWinsAndAllAreKept) {
  const Arguments arguments = parse({"-oa", "-ob"});
  EXPECT_EQ(arguments.value("output"), "b");
  EXPECT_EQ(arguments.values("output"), (Words{"a", "b"}));
  EXPECT_EQ(arguments.value_or("n", "none"), "none");
  EXPECT_EQ(arguments.value("n"), std::nullopt);
  EXPECT_EQ(arguments.count("n"), 0U);
  EXPECT_TRUE(arguments.values("n").empty());
}

TEST(OptionsHelp, AlignsTheTextAndIndentsFurtherLines) {
  EXPECT_EQ(options_help(
                {{"output", 'o', "FILE", "where to"}, {"image-size", 0, "GB", "size\nin GB"}, {"", 'x', "", "trace"}}),
            "  -o, --output FILE           where to\n"
            "  --image-size GB             size\n"
            "                              in GB\n"
            "  -x                          trace\n");
}

TEST(OptionsHelp, ALongOptionStaysApartFromItsHelp) {
  EXPECT_EQ(options_help({{"a-very-long-option-name-indeed", 0, "VALUE", "help"}}),
            "  --a-very-long-option-name-indeed VALUE  help\n");
}

TEST(ParseOptions, WhereAllValuesAreKnownNoOtherIsTaken) {
  const std::vector<Option> table = {{"state", 's', "STATE", "a state", {"enroll", "manageable", "available"}},
                                     {"sums", 0, "KIND[,…]", "sums", {"md5", "sha256"}}};
  const auto told = [&](const Words& words) {
    try {
      (void)parse_options(table, words);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(told({"--state", "frob"}), "--state is enroll, manageable or available, not 'frob'");
  EXPECT_EQ(told({"-savailabel"}),
            "--state is enroll, manageable or available, not 'availabel'; did you mean 'available'?");
  EXPECT_EQ(told({"--state=enroll", "--sums", "md5,sha256"}), "accepted");
  EXPECT_EQ(told({"--sums", "md5,sha265"}), "--sums is md5 or sha256, not 'sha265'; did you mean 'sha256'?");
}

TEST(Options, AWholeNumberIsInItsRangeOrRefusedWithIt) {
  const std::vector<Option> table = {{"rows", 'r', "N", "how many"}};
  EXPECT_EQ(number(parse_options(table, {}), "rows", 15), 15U);
  EXPECT_EQ(number(parse_options(table, {"--rows", "7"}), "rows", 15, {.least = 7, .most = 7}), 7U);
  for (const char* bad : {"6", "8", "many", "-7", "7.0", ""}) {
    try {
      (void)number(parse_options(table, {cat("--rows=", bad)}), "rows", 15, {.least = 7, .most = 7});
      ADD_FAILURE() << bad << " is taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), cat("--rows: '", bad, "' is not a whole number from 7 to 7"));
    }
  }
}

}  // namespace
}  // namespace hearth::cli
