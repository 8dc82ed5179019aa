// The work that a verb began, down to the stage that it has reached. Kept with the node, so that a daemon that is
// started again goes on from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// Microseconds since 1970, UTC; 0 = never.
using Stamp = std::int64_t;

enum class JobKind { none, verify, clean, clean_manual, inspect, deploy, undeploy, adopt, rescue, unrescue, service };

/// "deploy", "clean-manual"; empty for none.
[[nodiscard]] std::string_view name(JobKind kind);
[[nodiscard]] std::optional<JobKind> parse_job_kind(std::string_view text);

enum class Stage {
  check,   ///< everything needed is known and fits
  verify,  ///< the power management answers
  power_off,
  boot_network,  ///< the next start is from the network
  power_on,
  await_agent,  ///< until the deploy ramdisk calls back
  await_data,   ///< until the inspection's result comes in
  get_steps,    ///< which steps the agent knows
  first_steps,  ///< further steps of a deployment (conductor/deploy_steps.hpp): before its image
  write_image,
  partition_ids,  ///< what the agent made for a partition image
  run_steps,      ///< cleaning and service steps, one after the other
  image_steps,    ///< further ones behind the image
  bootloader,     ///< UEFI boot entries; for a partition image its own boot loader
  last_steps,     ///< further ones before the agent leaves
  finalize_rescue,
  leave,  ///< the agent switches the machine off, or restarts it
  await_off,
  boot_disk,  ///< starts are from the disk from now on
  start_disk,
  switch_off,  ///< at the end, as power_off
  wipe,        ///< what belonged to the instance is forgotten
  finish,
};

/// "write image".
[[nodiscard]] std::string_view name(Stage stage);
[[nodiscard]] std::optional<Stage> parse_stage(std::string_view text);

/// What stages leave for later ones.
struct JobNotes {
  Stamp agent = 0;       ///< its agent has called back
  Stamp heard = 0;       ///< of its agent, when last
  Stamp data = 0;        ///< the inspection's result is here
  Stamp first_boot = 0;  ///< when the wait began that a further start of the machine goes on
  Stamp until = 0;       ///< till when its machine is waited for
  bool booting = false;  ///< it has its place among those that boot
  bool awaits_stray = false;
  int boots = 1;
  int restarts = 0;
  std::size_t step = 0;            ///< which of the stage's steps is under way
  std::string command;             ///< the agent's id of what it was told
  Json steps = Json::array();      ///< of run_steps
  Json plan = Json::object();      ///< of first_steps, image_steps, last_steps: by the stage's name
  Json partition_ids;              ///< what the agent told; null before
  Json strangers = Json::array();  ///< cards that asked meanwhile and are no node's, where nothing is heard of its own
  Json bmc;                        ///< where the BMC's step under way stands; null: there is none
  bool operator==(const JobNotes&) const = default;
};

struct Job {
  JobKind kind = JobKind::none;
  std::optional<Stage> stage{};  ///< in the kind's flow; nothing for one that this Hearth does not know
  bool sent = false;             ///< the stage's order to the agent is on its way, or was: look before it is sent again
  int attempt = 0;
  Stamp started = 0;
  Stamp stage_since = 0;
  Stamp retry_at = 0;
  Json arguments = Json::object();  ///< what came with the verb
  JobNotes notes{};
  [[nodiscard]] bool running() const { return kind != JobKind::none; }
  [[nodiscard]] std::string_view stage_name() const { return stage ? name(*stage) : ""; }
};

/// As it is stored with its node.
[[nodiscard]] Json job_record(const Job& job);
[[nodiscard]] Job job_from_record(const Json& record);

}  // namespace hearth::bootstrap
