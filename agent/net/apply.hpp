// Carrying out a plan: stop, write, start; with --check, look whether the machine can still be reached, and put
// everything back when it can't.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/net/change_plan.hpp"
#include "agent/net/connectivity.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::net {

struct ApplySettings {
  Provider provider = Provider::eni;
  std::string root;
  bool noop = false;
  bool activate = true;
  bool cleanup = false;
  std::optional<Url> check;
  Duration patience = std::chrono::seconds(60);
};

struct World {
  FileSystem& files;
  CommandRunner& runner;
  Probes probes;
  Logger& log;
  std::function<void(const std::string&)> print;
};

/// Makes the machine's configuration that of the layout. Returns whether files changed (or would, with noop). Throws
/// Error(external) when units could not be started or, after everything was put back, when the check failed.
bool apply_layout(const Layout& layout, const ApplySettings& settings, World& world);

/// Stops these units and removes their files. Returns whether any were found.
bool remove_units(const std::set<std::string>& names, const ApplySettings& settings, World& world);

/// When a run died while its check was still deciding: puts its files back. Its units are started with the next apply.
void repair_after_crash(const ApplySettings& settings, World& world);

}  // namespace hearth::agent::net
