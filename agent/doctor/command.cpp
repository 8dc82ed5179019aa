#include "agent/doctor/command.hpp"

#include <cstdio>

#include "agent/doctor/check.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"

namespace hearth::agent {

namespace {

std::optional<std::int64_t> modified(const fs::path& path) {
  boost::system::error_code failed;
  const std::time_t time = fs::last_write_time(path, failed);
  return failed ? std::nullopt : std::optional<std::int64_t>(time);
}

int run_doctor(const cli::Arguments& arguments) {
  if (!arguments.operands().empty()) throw Error(ErrorKind::usage, "doctor takes no operands");
  SystemClock clock;
  RealFileSystem files;
  RealRunner runner(clock);
  const Environment env = current_environment();
  WebClient http(clock, env, "hearth-agent/" HEARTH_VERSION);
  const std::vector<CheckResult> results = examine({files, runner, http, clock, env, "/proc/self/exe", modified});
  const std::string text = arguments.has("json") ? report_json(results) : report_text(results);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return is_well(results) ? 0 : 1;
}

}  // namespace

cli::Command doctor_command() {
  return {.words = "doctor",
          .summary = "why does a deployment of this machine stay IN_PROGRESS?",
          .details =
              "Asks about the six causes one by one, and says what to do.\n"
              "Exit status: 0 nothing is wrong, 1 something is, 2 wrong usage.",
          .options = {{"json", 0, "", "as JSON"}},
          .run = run_doctor};
}

int doctor_main(const std::vector<std::string>& args) {
  const cli::Command command = doctor_command();
  return cli::run_single({"hearth-agent doctor", command.summary, HEARTH_VERSION, {}}, command, args);
}

}  // namespace hearth::agent
