// A multi-call program for the peer tests: the agent's applets, chosen by the name it is called by or by its first word.
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/apply/command.hpp"
#include "agent/heat_config/command.hpp"

int main(int argc, char** argv) {
  using Main = std::function<int(const std::vector<std::string>&)>;
  const std::map<std::string, Main> applets = {{"os-apply-config", hearth::agent::os_apply_config_main},
                                               {"heat-config", hearth::agent::heat_config_main},
                                               {"55-heat-config", hearth::agent::heat_config_main},
                                               {"heat-config-notify", hearth::agent::heat_config_notify_main},
                                               {"heat-config-script-hook", hearth::agent::script_hook_main}};
  std::vector<std::string> words(argv, argv + argc);
  words[0] = words[0].substr(words[0].rfind('/') + 1);
  if (applets.count(words[0]) == 0) words.erase(words.begin());
  if (words.empty() || applets.count(words[0]) == 0) return 64;
  return applets.at(words[0])({words.begin() + 1, words.end()});
}
