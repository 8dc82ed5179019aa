#include "agent/manual.hpp"

#include <cstdio>
#include <exception>

#include "agent/applet.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "base/cli/markdown.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// "URL DISK: writes a disk image": the table's summaries begin with operands where there are some.
cli::Command described(const Applet& applet) {
  if (applet.describe != nullptr) {
    cli::Command command = applet.describe();
    command.words = applet.name;
    return command;
  }
  const std::string summary(applet.summary);
  const std::size_t colon = summary.find(": ");
  if (colon == std::string::npos) return {.words = std::string(applet.name), .summary = summary};
  return {
      .words = std::string(applet.name), .operands = summary.substr(0, colon), .summary = summary.substr(colon + 2)};
}

/// What people type on a machine where it is linked. Debian's heat-cfntools has pages of the cfn tools' names.
bool has_page_of_its_own(const Applet& applet) {
  return !applet.link.empty() && applet.describe != nullptr && !applet.name.starts_with("cfn-");
}

std::string hook_lines() {
  std::string text = "Built into the program, for deployments of these groups:\n\n";
  for (const Hook& hook : hooks()) text += cat("  ", hook.name, ": ", hook.summary, "\n");
  return text;
}

}  // namespace

std::vector<cli::ManualPage> agent_manual(ManualForm form) {
  cli::Program program{.name = "hearth-agent",
                       .summary = "configures a machine from its metadata: all agents in one program",
                       .version = HEARTH_VERSION,
                       .commands = {}};
  program.topics = {{"links", "Links",
                     "A link of an applet's name to this program runs the applet. install-links DIR [APPLET | hooks | "
                     "HOOK…] makes such links below DIR."},
                    {"hooks", "Hooks of heat-config", hook_lines()}};
  for (const Applet& applet : applets()) {
    program.commands.push_back(described(applet));
    if (has_page_of_its_own(applet)) program.links.push_back(described(applet));
  }
  return form == ManualForm::man ? cli::manual_pages(program, program.commands)
                                 : cli::markdown_pages(program, program.commands);
}

int write_agent_manual(const std::string& directory, ManualForm form) {
  try {
    return cli::write_manual(agent_manual(form), directory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hearth-agent: %s\n", error.what());
    return 1;
  }
}

}  // namespace hearth::agent
