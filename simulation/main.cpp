// hearth-simulate: what `hearth simulate` starts.
#include "base/sys/fd.hpp"
#include "base/version.hpp"
#include "bootstrap/simulate/commands.hpp"
#include "simulation/command.hpp"

int main(int argc, char** argv) {
  using namespace hearth;
  hold_standard_descriptors();
  const cli::Program program{.name = "hearth simulate",
                             .summary = "plays a site",
                             .version = build_version(),
                             .commands = {bootstrap::simulate_row(simulation::play_site)}};
  return cli::run_single(program, program.commands.front(), {argv + 1, argv + argc});
}
