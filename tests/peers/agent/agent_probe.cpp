// A multi-call program for the peer tests: the agent's applets, chosen by the name it is called by.
#include <string>
#include <vector>

#include "agent/apply/command.hpp"

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string name = self.substr(self.rfind('/') + 1);
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (name == "os-apply-config") return hearth::agent::os_apply_config_main(args);
  return 64;
}
