#include "agent/cfn/hup.hpp"

#include <algorithm>
#include <map>

#include "agent/cfn/init.hpp"
#include "agent/collect/ini.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_init = "AWS::CloudFormation::Init";

using Section = std::map<std::string, std::string>;

/// Adds the file's sections; the order of the names is that of their first appearance.
void read_sections(const FileReader& files, const fs::path& path, std::vector<std::string>& order,
                   std::map<std::string, Section>& sections) {
  const std::optional<std::string> text = files.read(path);
  if (!text) return;
  for (Assignment& line : parse_ini(*text, path.string()).value_or_throw()) {
    if (sections.count(line.group) == 0) order.push_back(line.group);
    sections[line.group][line.key] = std::move(line.value);
  }
}

std::string needed(const Section& section, const std::string& name, const std::string& key) {
  const auto found = section.find(key);
  if (found == section.end()) throw Error(ErrorKind::input, cat("section [", name, "] lacks '", key, "'"));
  return found->second;
}

void run_action(const HupHook& hook, const CfnWorld& world) {
  world.log.info(cat("running the action of hook ", hook.name));
  std::vector<std::string> argv = {"/bin/sh", "-c", hook.action};
  if (!hook.runas.empty() && hook.runas != "root") argv = {"su", "-s", "/bin/sh", hook.runas, "-c", hook.action};
  (void)run_logged(argv, world);
}

void announce(const HupConfig& config, std::string_view event, const std::string& resource, const CfnWorld& world) {
  for (const HupHook& hook : config.hooks) {
    const bool matches = hook.resource() == resource && hook.triggers.find(event) != std::string::npos;
    if (matches) run_action(hook, world);
  }
}

/// The services of the section "config".
const Json* services_in(const Json& metadata) {
  const Json* init = find_member(metadata, k_init);
  const Json* config = find_member(init == nullptr ? metadata : *init, "config");
  const Json* services = config == nullptr ? nullptr : find_member(*config, "services");
  return is_set(services) && services->is_object() ? services : nullptr;
}

}  // namespace

std::string HupHook::resource() const {
  const std::vector<std::string> parts = split(path, '.');
  return parts.size() > 1 ? parts[1] : "";
}

HupConfig read_hup_config(const FileReader& files, const fs::path& main_file, const fs::path& hooks_file,
                          const fs::path& hooks_directory) {
  if (!files.status(main_file)) {
    throw Error(ErrorKind::not_found, cat("Could not open main configuration at ", main_file.string()));
  }
  std::vector<std::string> order;
  std::map<std::string, Section> sections;
  read_sections(files, main_file, order, sections);
  read_sections(files, hooks_file, order, sections);
  for (const std::string& name : files.list(hooks_directory)) {
    read_sections(files, hooks_directory / name, order, sections);
  }
  HupConfig config;
  const Section& main = sections["main"];
  config.request.stack = needed(main, "main", "stack");
  config.request.credential_file = needed(main, "main", "credential-file");
  const auto region = main.find("region");
  config.request.region = region == main.end() ? "nova" : region->second;
  for (const std::string& name : order) {
    if (name == "main") continue;
    const Section& section = sections[name];
    config.hooks.push_back({name, needed(section, name, "triggers"), needed(section, name, "path"),
                            needed(section, name, "runas"), needed(section, name, "action")});
  }
  if (config.hooks.empty()) {
    throw Error(ErrorKind::input,
                cat("No hooks were found. Add some to ", hooks_file.string(), " or ", hooks_directory.string()));
  }
  return config;
}

int run_hup(const HupConfig& config, const CfnWorld& world) {
  std::vector<std::string> resources;
  for (const HupHook& hook : config.hooks) {
    if (std::find(resources.begin(), resources.end(), hook.resource()) == resources.end()) {
      resources.push_back(hook.resource());
    }
  }
  int status = 0;
  for (const std::string& resource : resources) {
    MetadataRequest request = config.request;
    request.resource = resource;
    const std::optional<Metadata> metadata = retrieve_metadata(request, world);
    if (!metadata) {
      status = 1;
      continue;
    }
    if (const Json* services = services_in(metadata->content)) {
      for (const std::string& service : restart_services(*services, world)) {
        world.log.info(cat("restarted ", service));
        announce(config, "service.restarted", resource, world);
      }
    }
    if (metadata->changed) announce(config, "post.update", resource, world);
  }
  return status;
}

}  // namespace hearth::agent
