#include "bootstrap/simulate/commands.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// The words that these arguments were read from, or others that mean the same.
std::vector<std::string> words_of(const cli::Command& row, const cli::Arguments& arguments) {
  std::vector<std::string> words;
  for (const cli::Option& option : row.options) {
    for (const std::string& value : arguments.values(option.key()))
      words.push_back(option.value_name.empty() ? cat("--", option.name) : cat("--", option.name, "=", value));
  }
  words.emplace_back("--");
  words.insert(words.end(), arguments.operands().begin(), arguments.operands().end());
  return words;
}

int hand_over(const fs::path& executable, const cli::Command& row, const cli::Arguments& arguments) {
  const fs::path program = executable.parent_path().parent_path() / "libexec/hearth/hearth-simulate";
  std::vector<std::string> words = words_of(row, arguments);
  words.insert(words.begin(), program.string());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  cli::flush();
  ::execv(program.c_str(), argv.data());
  throw Error::from_errno("starting", program.string())
      .hint("It is installed with hearth (the package hearth, or cmake --install); a bundle does not carry it.");
}

}  // namespace

cli::Command simulate_row(std::function<int(const cli::Arguments&)> run) {
  return {
      "simulate",
      "SITE.yaml|INCIDENT.tar.zst",
      "play years of a site in minutes, many times, and name its weakest points",
      "Takes the file's network, pool, machines and image, and plays the site in this process: the real conductor, "
      "DHCP "
      "and deploy agent, in a world of made-up machines, links, disks and people, from blank machines to all active, "
      "and through the faults of years. Nothing is booted, nobody on the network is asked. Of the quiet between two "
      "faults an hour is played; people look every minute. The same Hearth, file and seed give the same runs.\n\n"
      "Faults: none; rare (a well-kept site); often (twenty times as much); storm (all in the first quarter of an "
      "hour); "
      "or a list, KIND[:MACHINE]@SECONDS+SECONDS with commas between, as --replay shows it.\n\n"
      "Of an incident (hearth incident NODE) one machine is played, once with each kind of fault at each moment of the "
      "node's last job: which of them lead the same way, and which of those to the cause that hearth why names.\n\n"
      "Exit codes: 0 every run came to its end, or a fault leads the incident's way; 1 one did not, or broke a rule, "
      "or "
      "none leads there; 2 wrong usage.\n\n"
      "Example: hearth simulate site.yaml --runs 20 --faults rare\n"
      "         hearth simulate n3-2026-11-25T08-30-00.incident.tar.zst",
      {{"runs", 0, "N", "how often it is played (20)"},
       {"years", 0, "Y", "how long each run's faults are drawn for, up to 20 (1)"},
       {"faults", 0, "LEVEL|LIST", "what goes wrong (rare)"},
       {"seed", 0, "N", "another one gives other runs (1)"},
       {"link", 0, "MBIT", "what the machines that fetch their image share (1000)"},
       {"strangers", 0, "N", "computers an hour that the site does not know, and that ask for an address (18)"},
       {"replay", 0, "RUN", "play that run only, and print all that happens in it"},
       {"expect", 0, "DIGEST", "of a replayed run: another one means another Hearth, or another file"},
       {"timeline", 0, "FILE.svg", "draw the replayed run"},
       {"jobs", 'j', "N", "processes (as many as there are processors)"},
       {"json", 0, "", "the report as JSON"}},
      std::move(run)};
}

std::vector<cli::Command> simulate_commands(const fs::path& executable) {
  const cli::Command row = simulate_row({});
  return {simulate_row(
      [executable, row](const cli::Arguments& arguments) { return hand_over(executable, row, arguments); })};
}

}  // namespace hearth::bootstrap
