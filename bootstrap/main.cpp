// hearth: one command for everything; disk-image-create, element-info and their like when started under that name.
#include <clocale>
#include <cstdio>

#include "base/cli/command.hpp"
#include "bootstrap/bundle/commands.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/rehearse/commands.hpp"
#include "bootstrap/seed/commands.hpp"
#include "builder/commands.hpp"
#include "builder/vm/commands.hpp"
#include "metadata/commands.hpp"
#include "metadata/live/serve_command.hpp"
#include "metadata/live/stack_commands.hpp"
#include "pxe/commands.hpp"

int main(int argc, char** argv) {
  using namespace hearth;
  std::setlocale(LC_CTYPE, "C.UTF-8");  // libarchive writes names by the locale's encoding
  const std::vector<std::string> words(argv + 1, argv + argc);
  const fs::path executable = fs::canonical("/proc/self/exe");
  const std::string name = fs::path(argv[0]).filename().string();
  cli::Program program{.name = name,
                       .summary = "takes a datacentre from nothing to its first running machines",
                       .version = HEARTH_VERSION,
                       .commands = {}};
  if (const auto command = builder::command_named(name, executable)) return cli::run_single(program, *command, words);
  program.commands = builder::commands(executable);
  for (cli::Command& command : vm::commands()) program.commands.push_back(std::move(command));
  for (cli::Command& command : bootstrap::bundle::commands(executable)) program.commands.push_back(std::move(command));
  for (cli::Command& command : pxe::commands()) program.commands.push_back(std::move(command));
  for (cli::Command& command : metadata::commands()) program.commands.push_back(std::move(command));
  program.commands.push_back(metadata::live::serve_command());
  for (cli::Command& command : metadata::live::stack_commands()) program.commands.push_back(std::move(command));
  for (cli::Command& command : bootstrap::commands()) program.commands.push_back(std::move(command));
  for (cli::Command& command : bootstrap::seed_commands(executable)) program.commands.push_back(std::move(command));
  for (cli::Command& command : bootstrap::rehearse_commands(executable)) program.commands.push_back(std::move(command));
  program.commands.push_back({.words = "completion bash",
                              .operands = "",
                              .summary = "print a completion script: eval \"$(hearth completion bash)\"",
                              .details = "",
                              .options = {},
                              .run = [&program](const cli::Arguments&) {
                                std::fputs(cli::bash_completion(program).c_str(), stdout);
                                return 0;
                              }});
  return cli::run(program, words);
}
