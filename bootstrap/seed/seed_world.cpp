#include "bootstrap/seed/seed_world.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

Json SeedWorld::on_node(const std::string& node_address, const std::vector<std::string>& words) {
  std::vector<std::string> argv = hearth_;
  argv.insert(argv.end(), {"seed", "settle"});
  argv.insert(argv.end(), words.begin(), words.end());
  return parse_json(remote_.run(node_address, argv), cat("what ", node_address, " says")).value_or_throw();
}

void SeedWorld::copy(const std::string& node_address, const std::vector<fs::path>& files) {
  remote_.copy(node_address, files, k_settle_folder);
}

}  // namespace hearth::bootstrap
