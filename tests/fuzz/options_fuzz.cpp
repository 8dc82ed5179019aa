// Lines are the words of a command line: parsing ends in Arguments or in a usage error, and invents no words.
#include "base/cli/options.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<hearth::cli::Option> table = {{"output", 'o', "FILE", ""},
                                                         {"offline", 0, "", ""},
                                                         {"verbose", 'v', "", ""},
                                                         {"", 'x', "", ""},
                                                         {"", 'n', "N", ""}};
  const std::vector<std::string> words = hearth::split(hearth::fuzz::text_of(data, size), '\n');
  try {
    const hearth::cli::Arguments arguments = hearth::cli::parse_options(table, words);
    check(arguments.operands().size() <= words.size());
    check(arguments.count("output") + arguments.count("n") <= words.size());
  } catch (const hearth::Error& error) {
    check(error.kind() == hearth::ErrorKind::usage);
  }
  return 0;
}
