// The compile: a request to each server's documents, and what is still open.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "metadata/compile/request.hpp"
#include "metadata/graph/server_metadata.hpp"

namespace hearth::metadata {

/// What is written for machines beside their metadata, where asked.
struct Extras {
  bool user_data = false;
  bool hosts = false;
  bool hieradata = false;
};

struct Compiled {
  std::vector<ServerDocument> servers;
  std::vector<std::pair<std::string, Value>> outputs;
  std::vector<ServerDocument::Held> open;  ///< nested stacks whose members are not known yet
  struct File {
    std::string server;  ///< path; empty for what is of all servers
    std::string name;    ///< below the output directory
    std::string text;
  };
  std::vector<File> files;  ///< the extras
};

/// Throws Fault: the first of what validation finds.
[[nodiscard]] Compiled compile(StackModel& model, const Endpoints& endpoints, const Extras& extras = {});

/// Attributes that only the run would tell, from an inventory: {"attributes": {"PATH": {"NAME": VALUE}}}.
void learn_inventory(StackModel& model, const Value& inventory);

/// DIR/index.json, DIR/servers/PATH/metadata.json and the extras (servers/PATH/user-data, servers/PATH/puppet/…,
/// hosts), which the index names ("user_data", "hieradata" of a server, "hosts"); the directory appears as a whole and
/// replaces an older one.
void write_compiled(const Compiled& compiled, const std::string& stack, const fs::path& directory);

/// "nested.yaml:12:3: Compute.0.Config waits for Compute.0.Hosts.hostname", one a line.
[[nodiscard]] std::vector<std::string> waiting_lines(const Compiled& compiled, const Sources& sources);

}  // namespace hearth::metadata
