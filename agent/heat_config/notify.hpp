// heat-config-notify: delivers one deployment's signal, and notes on disk what became of it.
#pragma once

#include "agent/signal/delivery.hpp"
#include "agent/signal/journal.hpp"
#include "base/log.hpp"

namespace hearth::agent {

struct NotifyWorld {
  FileSystem& files;
  Logger& log;
  DeliveryWorld delivery;
  RetryPolicy policy;
};

/// `config_file` is <deployed>/<id>.json, `input` the signal's JSON (anything else is taken as {}). Exit status: 0
/// delivered, 1 not (then it is on disk as pending or refused, if config_file ends in .json).
int run_heat_config_notify(const std::string& config_file, const std::string& input, const NotifyWorld& world);

}  // namespace hearth::agent
