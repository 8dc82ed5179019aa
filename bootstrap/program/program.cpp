#include "bootstrap/program/program.hpp"

#include "base/version.hpp"
#include "bootstrap/bundle/commands.hpp"
#include "bootstrap/cli/commands.hpp"
#include "bootstrap/program/doc_pages.hpp"
#include "bootstrap/rehearse/commands.hpp"
#include "bootstrap/seed/commands.hpp"
#include "builder/commands.hpp"
#include "builder/vm/commands.hpp"
#include "metadata/commands.hpp"
#include "metadata/live/serve_command.hpp"
#include "metadata/live/stack_commands.hpp"
#include "metadata/live/token_commands.hpp"
#include "pxe/commands.hpp"

namespace hearth {

cli::Program make_program(const fs::path& executable) {
  cli::Program program{.name = "hearth",
                       .summary = "takes a datacentre from nothing to its first running machines",
                       .version = build_version(),
                       .commands = {}};
  program.groups = journeys();
  program.topics = help_topics();
  program.pages = doc_pages();
  program.links = builder::link_commands(executable);
  const auto add = [&](const char* group, std::vector<cli::Command> rows) {
    for (cli::Command& row : cli::in_group(group, std::move(rows))) program.commands.push_back(std::move(row));
  };
  add("images", builder::commands(executable));
  add("images", vm::commands());
  add("metadata", metadata::commands());
  add("metadata", {metadata::live::serve_command()});
  add("metadata", metadata::live::token_commands());
  add("metadata", metadata::live::stack_commands());
  add("network-boot", pxe::commands());
  add("nodes", bootstrap::commands());
  add("site", bootstrap::seed_commands(executable));
  add("site", bootstrap::rehearse_commands(executable));
  add("offline", bootstrap::bundle::commands(executable));
  return program;
}

}  // namespace hearth
