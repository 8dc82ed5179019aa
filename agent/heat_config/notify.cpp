#include "agent/heat_config/notify.hpp"

#include "agent/signal/real_world.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

Json signal_from(const std::string& input, Logger& log) {
  Result<Json> data = parse_python_json(input, "stdin");
  if (data) return std::move(data).value();
  log.warning(cat("No JSON on stdin: ", data.error().text()));
  return Json::object();
}

/// Only files of the deployed directory have a record beside them.
void note(const fs::path& config_file, const Json& data, const DeliveryResult& result, const NotifyWorld& world) {
  if (config_file.extension() != ".json") return;
  SignalJournal journal(world.files, config_file.parent_path());
  const std::string id = config_file.stem().string();
  SignalRecord record = journal.load(id).value_or(SignalRecord{});
  record.data = data;
  record_delivery(record, result, unix_seconds(world.delivery.clock.wall()));
  journal.settle(id, record);
}

}  // namespace

int run_heat_config_notify(const std::string& config_file, const std::string& input, const NotifyWorld& world) {
  const std::optional<std::string> text = world.files.read(config_file);
  if (!text) {
    world.log.error(cat("No config file ", config_file));
    return 1;
  }
  const Result<Json> deployment = parse_python_json(*text, config_file);
  if (!deployment) {
    world.log.error(deployment.error().text());
    return 1;
  }
  const Json data = signal_from(input, world.log);
  const DeliveryResult result = deliver(*deployment, data, world.delivery, world.policy);
  note(config_file, data, result, world);
  if (result.outcome == Delivery::delivered) return 0;
  world.log.error(
      cat(result.outcome == Delivery::later ? "Signal not delivered yet: " : "Signal refused: ", result.reason));
  return 1;
}

}  // namespace hearth::agent
