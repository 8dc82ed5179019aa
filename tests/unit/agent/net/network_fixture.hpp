// A machine with cards and programs, and networks read from YAML texts.
#pragma once

#include <string>

#include "agent/net/config_file.hpp"
#include "agent/net/layout.hpp"
#include "agent/net/reader.hpp"
#include "tests/fakes/memory_file_system.hpp"

namespace hearth::agent::net {

inline void add_card(fakes::MemoryFileSystem& files, const std::string& name, const std::string& mac,
                     const std::string& state = "up") {
  files.make_directories("/sys/class/net/" + name + "/device", 0755);
  files.put("/sys/class/net/" + name + "/address", mac + "\n");
  files.put("/sys/class/net/" + name + "/operstate", state + "\n");
}

inline Network network_of(const std::string& yaml, const fakes::MemoryFileSystem& files = {},
                          const ReadSettings& settings = {}) {
  const Json document = parse_config(yaml, "config.yaml").value_or_throw();
  return read_network(section_of(document, "network_config", "config.yaml"), "network_config", settings, files);
}

inline std::string file_of(const Layout& layout, const std::string& path) {
  for (const RenderedFile& file : layout.files) {
    if (file.path == path) return file.data;
  }
  return "(not there)";
}

/// The message of the Error that `body` throws.
template <class Body>
std::string refusal(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace hearth::agent::net
