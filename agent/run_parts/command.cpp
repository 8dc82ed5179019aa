#include "agent/run_parts/command.hpp"

#include <cstdio>

#include "agent/run_parts/run_parts.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_usage =
    "usage: dib-run-parts [--list] DIR\n"
    "Runs the executable files of DIR in the order of the numbers that their names begin with.\n"
    "  --list  print their paths instead\n";

int list_scripts(const RunPartsRequest& request) {
  for (const std::string& name : scripts_in(request.directory, request.name_pattern).scripts) {
    std::printf("%s/%s\n", request.directory.c_str(), name.c_str());
  }
  return 0;
}

}  // namespace

int dib_run_parts_main(const std::vector<std::string>& words) {
  if (cli::asks_for_help(words)) {
    std::fputs(k_usage, stdout);
    return 0;
  }
  const Say say = say_on_stderr("dib-run-parts");
  const bool list = !words.empty() && words[0] == "--list";
  const std::string directory = words.size() > (list ? 1U : 0U) ? words[list ? 1 : 0] : "";
  if (words.empty() || !is_directory(RealFileSystem(), directory)) {
    if (!words.empty()) say(cat("Scripts directory [", directory, "] must exist and be a directory"));
    std::fputs(k_usage, stderr);
    return 1;
  }
  const Environment env = current_environment();
  const std::optional<std::uint64_t> trace = parse_number(variable(env, "DIB_DEBUG_TRACE"));
  const RunPartsRequest request{
      .directory = directory, .name_pattern = variable(env, "RUN_PARTS_REGEX"), .trace = trace.value_or(0) > 0};
  if (list) return list_scripts(request);
  const SystemClock clock;
  RealRunner runner(clock);
  return run_parts(request, runner, clock, say);
}

}  // namespace hearth::agent
