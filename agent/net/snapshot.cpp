#include "agent/net/snapshot.hpp"

#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

/// The kernel adds these itself.
bool is_automatic(const std::string& line) {
  return line.find("proto kernel") != std::string::npos || line.find("proto ra") != std::string::npos;
}

void add_routes(std::vector<Step>& steps, const std::string& device, const std::string& routes, const char* family) {
  for (const std::string& line : split_lines(routes)) {
    if (is_automatic(line)) continue;
    std::vector<std::string> argv = {"ip", family, "route", "replace"};
    for (std::string& word : split_words(line)) {
      // States, not settings.
      if (word != "linkdown" && word != "dead") argv.push_back(std::move(word));
    }
    if (argv.size() == 4) continue;
    argv.insert(argv.end(), {"dev", device});
    steps.push_back({std::move(argv), false, device});
  }
}

}  // namespace

std::vector<Step> restore_steps(const std::string& device, const std::string& addresses, const std::string& routes,
                                const std::string& routes6) {
  std::vector<Step> steps = {{{"ip", "addr", "flush", "dev", device}, false, device},
                             {{"ip", "link", "set", "dev", device, "up"}, false, device}};
  for (const std::string& line : split_lines(addresses)) {
    const std::vector<std::string> words = split_words(line);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] != "inet" && words[i] != "inet6") continue;
      steps.push_back({{"ip", "addr", "add", words[i + 1], "dev", device}, false, device});
    }
  }
  add_routes(steps, device, routes, "-4");
  add_routes(steps, device, routes6, "-6");
  return steps;
}

std::vector<Step> snapshot(const std::string& device, CommandRunner& runner) {
  const auto show = [&runner](std::vector<std::string> argv) { return runner.run({.argv = std::move(argv)}); };
  const CommandResult addresses = show({"ip", "-o", "addr", "show", "dev", device, "scope", "global"});
  if (!succeeded(addresses.status)) return {};
  return restore_steps(device, addresses.out, show({"ip", "route", "show", "dev", device}).out,
                       show({"ip", "-6", "route", "show", "dev", device}).out);
}

}  // namespace hearth::agent::net
