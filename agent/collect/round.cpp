#include "agent/collect/round.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

void take_source(const SourceRow& row, const SourceContext& context, std::vector<Collected>& all) {
  Collection collection = row.collect(context);
  if (auto* documents = std::get_if<std::vector<Collected>>(&collection)) {
    std::move(documents->begin(), documents->end(), std::back_inserter(all));
  } else if (const auto* unavailable = std::get_if<Unavailable>(&collection)) {
    const std::string message = cat("Source [", row.name, "] Unavailable.");
    if (unavailable->unconfigured) {
      context.once.log(LogLevel::warning, message);
    } else {
      context.log.warning(message);
    }
  } else {
    context.log.debug(cat("Source [", row.name, "] Not configured."));
  }
}

/// As Python's subprocess module tells it.
std::string failure_text(const std::string& command, const ExitStatus& status) {
  if (const auto* signaled = std::get_if<Signaled>(&status)) {
    const char* name = ::sigabbrev_np(signaled->signal);
    if (name != nullptr)
      return cat("Command '", command, "' died with <Signals.SIG", name, ": ", signaled->signal, ">.");
  }
  return cat("Command '", command, "' returned non-zero exit status ", shell_code(status), ".");
}

/// The command goes on when we are stopped, as the original's does: what it runs may be in the midst of installing a
/// package. (A shell that executes its last command in place would be killed with us otherwise, one that does not would
/// not.)
ExitStatus run_command(const std::string& command, const std::string& files, CommandRunner& runner, Logger& log,
                       std::vector<std::string> words) {
  words.insert(words.end(), {"/bin/sh", "-c", command});
  Environment env = current_environment();
  env["OS_CONFIG_FILES"] = files;
  try {
    return runner
        .run({.argv = words,
              .env = env,
              .inherit_input = true,
              .out = Output::inherit,
              .err = Output::inherit,
              .own_group = false,
              .outlives_us = true})
        .status;
  } catch (const Error& error) {
    log.error(error.what());
    return Exited{127};
  }
}

}  // namespace

std::vector<Collected> collect_all(const std::vector<std::string>& names, const SourceContext& context) {
  std::vector<Collected> all;
  for (const std::string& name : names) {
    const auto row = std::find_if(source_rows().begin(), source_rows().end(),
                                  [&name](const SourceRow& candidate) { return candidate.name == name; });
    if (row != source_rows().end()) take_source(*row, context, all);
  }
  return all;
}

std::string report(const std::vector<Collected>& documents) {
  Json object = Json::object();
  for (const Collected& document : documents) object[document.name] = document.content;
  return cat(python_json(object, {.indent = 1}), "\n");
}

StoredRound store_round(const std::vector<Collected>& documents, Cache& cache, const fs::path& backup, Logger& log) {
  StoredRound round;
  std::vector<std::string> names;
  for (const Collected& document : documents) {
    if (!Cache::is_safe_name(document.name)) {
      log.error(cat("Refusing to store '", document.name, "': it is no safe file name"));
      continue;
    }
    const Cache::Stored stored = cache.store(document.name, document.content);
    names.push_back(document.name);
    round.paths.push_back(stored.path.string());
    const bool is_new = std::find(round.changed.begin(), round.changed.end(), document.name) == round.changed.end();
    if (stored.changed && is_new) round.changed.push_back(document.name);
  }
  if (round.changed.empty()) return round;
  cache.store_list(names);
  cache.back_up(backup);
  return round;
}

int apply_round(const std::string& command, const StoredRound& round, Cache& cache, CommandRunner& runner, Logger& log,
                const std::vector<std::string>& before) {
  const std::string files = join(round.paths, ":");
  log.info(cat("Executing ", command, " with OS_CONFIG_FILES=", files));
  const ExitStatus status = run_command(command, files, runner, log, before);
  if (!succeeded(status)) {
    log.error(cat("Command failed, will not cache new data. ", failure_text(command, status)));
    return shell_code(status);
  }
  for (const std::string& name : round.changed) cache.commit(name);
  return 0;
}

}  // namespace hearth::agent
