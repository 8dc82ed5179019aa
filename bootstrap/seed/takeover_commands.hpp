// `hearth seed takeover`, and `hearth seed settle`, which it runs on the node.
#pragma once

#include <functional>
#include <vector>

#include "base/cli/command.hpp"
#include "bootstrap/seed/seed_world.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {

/// Where a site's seed is: its files, its API, its machine.
struct SeedPlace {
  SiteFile site;
  fs::path home;
  std::string url;
  std::string token;
  SeedWorld::Switch machine;
};
/// Fills a SeedPlace from the command line: operands SITE and NODE, option bridge.
using FindSeed = std::function<SeedPlace(const cli::Arguments&)>;

[[nodiscard]] std::vector<cli::Command> takeover_commands(const FindSeed& find);

}  // namespace hearth::bootstrap
