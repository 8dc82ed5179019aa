// cfn-init: applies the sections of AWS::CloudFormation::Init, each in the order packages, sources, groups, users,
// files, commands, services. Failures of packages, sources, groups, users and services are logged; files and commands
// end the run.
#pragma once

#include <string>
#include <vector>

#include "agent/cfn/world.hpp"
#include "base/json.hpp"

namespace hearth::agent {

/// Throws Error when the metadata have no such part, and when a file or command fails.
void apply_init(const Json& metadata, const std::string& config_sets, const CfnWorld& world);

/// The parts, each given the section's member of that name.
void apply_packages(const Json& packages, const CfnWorld& world);
void apply_sources(const Json& sources, const CfnWorld& world);
void apply_groups(const Json& groups, const CfnWorld& world);
void apply_users(const Json& users, const CfnWorld& world);
void apply_files(const Json& files, const CfnWorld& world);
void apply_commands(const Json& commands, const CfnWorld& world);
void apply_services(const Json& services, const CfnWorld& world);

/// Names of services that should run and did not; they have been started. For cfn-hup.
[[nodiscard]] std::vector<std::string> restart_services(const Json& services, const CfnWorld& world);

/// true, 1, "true", "yes", "1".
[[nodiscard]] bool to_boolean(const Json& value);

/// Runs a program to its end and logs what it was, and its output if it fails; the shell's exit code, 127 when it can't
/// be started.
int run_logged(const std::vector<std::string>& argv, const CfnWorld& world);
/// The same with everything that can be said of a command.
int run_logged(Command command, const CfnWorld& world);

/// The body of a successful GET, following redirects. Throws Error.
[[nodiscard]] std::string download(const std::string& url, const CfnWorld& world);

}  // namespace hearth::agent
