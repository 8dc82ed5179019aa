// hearth: one command for everything; disk-image-create, element-info and their like when started under that name.
#include <clocale>

#include "base/cli/print.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "bootstrap/program/program.hpp"
#include "builder/upstream_words.hpp"

int main(int argc, char** argv) {
  using namespace hearth;
  hold_standard_descriptors();
  std::setlocale(LC_CTYPE, "C.UTF-8");  // libarchive writes names by the locale's encoding
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string name = fs::path(argv[0]).filename().string();
  const bool asked_by_shell = !words.empty() && words.front() == "--complete";
  if (!asked_by_shell) {
    for (const std::string& line : bootstrap::program::misspelt_variables(current_environment()))
      cli::tell(cat(line, "\n"));
  }
  boost::system::error_code gone;
  (void)fs::current_path(gone);
  if (gone) {
    cli::tell(cat(name, ": the directory that it is started in can't be found any more: ", gone.message(),
                  "\n  Change to another one.\n"));
    return 1;
  }
  return cli::run_as(name, bootstrap::program::make_program(fs::canonical("/proc/self/exe")),
                     builder::spelt_out(name, words));
}
