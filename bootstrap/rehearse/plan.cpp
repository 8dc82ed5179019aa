#include "bootstrap/rehearse/plan.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/client/rehearsals.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/node/states.hpp"
#include "bootstrap/rehearse/played_inventory.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

std::string with_prefix(const std::string& address, const SiteFile& site) {
  return cat(address, site.subnet.substr(site.subnet.find('/')));
}

}  // namespace

std::string bmc_address(const SiteFile& site) {
  const pxe::Subnet subnet = pxe::parse_subnet(site.subnet).value_or(pxe::Subnet{});
  const std::size_t dash = site.pool.find('-');
  const pxe::Ipv4 first = pxe::parse_ipv4(site.pool.substr(0, dash)).value_or(pxe::Ipv4{});
  const pxe::Ipv4 last = pxe::parse_ipv4(site.pool.substr(dash + 1)).value_or(pxe::Ipv4{});
  const auto is_free = [&](const std::string& text) {
    if (text == site.seed_address || text == site.router) return false;
    for (const BlankMachine& machine : site.machines) {
      if (machine.address == text) return false;
    }
    return true;
  };
  for (std::uint32_t value = subnet.broadcast().value - 1; value > subnet.network.value; --value) {
    if (value >= first.value && value <= last.value) continue;
    const std::string text = pxe::to_text(pxe::Ipv4{value});
    if (is_free(text)) return text;
  }
  return "";
}

BmcPlace bmc_place(const RehearsalSettings& settings, const std::function<std::string()>& passwords) {
  BmcPlace bmc{bmc_address(settings.site), k_bmc_port, {"rehearsal", passwords()}, {}};
  for (std::size_t i = 0; i < settings.site.machines.size(); ++i) {
    const PlayedBmc own =
        i < settings.site.inventory.size() ? account_in(settings.site.inventory[i].data) : PlayedBmc{};
    bmc.machines.push_back(
        {settings.site.machines[i].name,
         static_cast<std::uint16_t>(k_bmc_port + 1 + i),
         {own.user.empty() ? "admin" : own.user, own.password.empty() ? passwords() : own.password}});
  }
  return bmc;
}

Json rehearsed_inventory(const RehearsalSettings& settings, const BmcPlace& bmc) {
  std::vector<PlayedBmc> played;
  for (const BmcPlace::Own& own : bmc.machines)
    played.push_back({bmc.url(own), own.account.user, own.account.password});
  return played_inventory(settings.site, played);
}

DoorHosts door_hosts(const SiteFile& site) {
  DoorHosts hosts;
  for (const BlankMachine& machine : site.machines) hosts[machine.name] = {machine.address, machine.mac};
  hosts.try_emplace("seed", DoorHost{site.seed_address, ""});
  return hosts;
}

std::vector<std::string> tap_names(const SiteFile& site) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < site.machines.size(); ++i) names.push_back(cat("t", i + 1));
  names.emplace_back("t0");
  return names;
}

std::vector<std::vector<std::string>> network_commands(const RehearsalSettings& settings) {
  const SiteFile& site = settings.site;
  std::vector<std::vector<std::string>> commands = {
      {"ip", "link", "set", "lo", "up"},
      {"ip", "link", "add", k_bridge, "type", "bridge", "stp_state", "0", "forward_delay", "0"}};
  const auto address = [&](const std::string& own) {
    commands.push_back({"ip", "addr", "add", with_prefix(own, site), "dev", k_bridge});
  };
  if (settings.seed == SeedKind::process) address(site.seed_address);  // first: boot servers answer on that
  address(bmc_address(site));
  commands.push_back({"ip", "link", "set", k_bridge, "up"});
  for (const std::string& tap : tap_names(site)) {
    commands.push_back({"ip", "tuntap", "add", "dev", tap, "mode", "tap"});
    commands.push_back({"ip", "link", "set", tap, "master", k_bridge, "up"});
  }
  return commands;
}

fs::path node_state(const RehearsalSettings& settings) { return rehearsed_state(settings.work); }
fs::path stacks_state(const RehearsalSettings& settings) { return node_state(settings) / "metadata"; }

std::string conductor_url() { return "http://127.0.0.1:6385"; }

std::vector<std::string> seed_service_command(const RehearsalSettings& settings) {
  std::vector<std::string> words = {settings.hearth.string(),
                                    "node",
                                    "serve",
                                    "--boot",
                                    (settings.work / "boot.json").string(),
                                    "--engine",
                                    "--state",
                                    node_state(settings).string(),
                                    "--consoles",
                                    (settings.work / "machines").string(),
                                    "--boots-at-once",
                                    std::to_string(settings.boots_at_once),
                                    "--heartbeat-interval",
                                    "10",
                                    "--poll-interval",
                                    "2",
                                    "--power-sync-interval",
                                    "20"};
  // A machine whose address is mistyped is never heard of: nobody watches that for half an hour.
  const bool silent = std::any_of(settings.faults.begin(), settings.faults.end(),
                                  [](const InjectedFault& fault) { return fault.kind == FaultKind::wrong_mac; });
  if (silent) words.insert(words.end(), {"--deploy-callback-timeout", "300", "--inspect-timeout", "300"});
  return words;
}

fs::path inventory_file(const RehearsalSettings& settings) { return settings.work / "instackenv.json"; }

namespace {

std::vector<std::string> with_state(const RehearsalSettings& settings, std::vector<std::string> words) {
  words.insert(words.begin(), settings.hearth.string());
  words.insert(words.end(), {"--state", node_state(settings).string()});
  return words;
}

/// How often a step is run again that fails with faults.
unsigned turns(const RehearsalSettings& settings) { return settings.faults.empty() ? 0U : 3U; }

std::vector<std::string> deployment_words(const RehearsalSettings& settings) {
  const StackFile& stack = settings.site.stack;
  if (stack.template_file.empty()) return {"node", "deploy", "--image", "site", "--wait", "0"};
  std::vector<std::string> words = {"deploy", "--name", stack.name, "-t", stack.template_file.string()};
  for (const fs::path& environment : stack.environments) words.insert(words.end(), {"-e", environment.string()});
  for (const auto& [key, value] : stack.parameters) words.insert(words.end(), {"-P", cat(key, "=", value)});
  words.insert(words.end(), {"--image", "site"});
  return words;
}

Step deployment_step(const RehearsalSettings& settings) {
  std::vector<std::string> words = deployment_words(settings);
  if (settings.site.stack.template_file.empty())
    return {"deployment", with_state(settings, words), false, turns(settings), true};
  words.insert(words.end(), {"--inventory", inventory_file(settings).string(), "--seed", conductor_url(),
                             "--stacks-token-file", (stacks_state(settings) / "api-token").string()});
  if (settings.seed == SeedKind::process)  // a machine's is at 127.0.0.1, too
    words.insert(words.end(), {"--stacks-url", cat("https://", settings.site.seed_address, ":8004/v1/admin")});
  return {"deployment", with_state(settings, words), true, turns(settings)};
}

}  // namespace

bool may_end_otherwise(const std::vector<std::string>& failed, const std::set<std::string>& disturbed,
                       const std::vector<InjectedFault>& mistakes) {
  return failed.empty() || std::ranges::any_of(failed, [&](const std::string& name) {
           return disturbed.contains(name) ||
                  std::ranges::any_of(mistakes, [&](const InjectedFault& mistake) { return mistake.machine == name; });
         });
}

std::string deploy_again(const RehearsalSettings& settings, const std::string& state) {
  std::vector<std::string> words = deployment_words(settings);
  words.insert(words.begin(), "hearth");
  if (settings.site.stack.template_file.empty()) {
    std::ranges::replace(words, std::string("deploy"), std::string("rebuild"));
    words.insert(words.begin() + 3, "NODE");
  }
  words.insert(words.end(), {"--state", state});
  return shell_join(words);
}

Step inventory_step(const RehearsalSettings& settings) {
  return {"inventory", with_state(settings, {"node", "import", inventory_file(settings).string()}), false,
          turns(settings)};
}

std::vector<Step> operator_steps(const RehearsalSettings& settings) {
  const SiteFile& site = settings.site;
  std::vector<Step> steps;
  const auto add = [&](const char* title, const std::vector<std::string>& words) {
    steps.push_back({title, with_state(settings, words)});
    if (words[1] == "introspection") steps.back().again = turns(settings);
  };
  if (settings.seed == SeedKind::process) {
    add("images", {"image", "load", site.image.string(), "--name", "site", "--kernel", site.deploy.kernel.string(),
                   "--ramdisk", site.deploy.ramdisk.string()});
  }
  steps.push_back(inventory_step(settings));
  add("boot", {"baremetal", "configure", "boot", "--deploy-kernel", "site", "--deploy-ramdisk", "site"});
  std::vector<std::string> consoles = {"node", "set"};
  for (const BlankMachine& machine : site.machines) consoles.push_back(machine.name);
  // On a busy machine without KVM the kernel's check of its timer can fail, and it would stop there for ever.
  consoles.insert(consoles.end(), {"--driver-info", "kernel_append_params=console=ttyS0 quiet no_timer_check panic=5"});
  add("consoles", consoles);
  if (settings.inspect) add("inspection", {"baremetal", "introspection", "bulk", "start"});
  steps.push_back(deployment_step(settings));
  return steps;
}

std::optional<std::string> state_told(const Json& event) {
  if (text_in(event, "kind") != "state") return std::nullopt;
  const std::string text = text_in(event, "text");
  const std::size_t arrow = text.rfind("-> ");
  if (arrow == std::string::npos) return std::nullopt;
  const std::string state = text.substr(arrow + 3);
  // Words may follow the state's own.
  for (std::size_t end = state.size(); end != std::string::npos && end > 0; end = state.rfind(' ', end - 1)) {
    const std::string word(trim(std::string_view(state).substr(0, end)));
    if (parse_state(word)) return word;
  }
  return std::nullopt;
}

bool is_spare(const Json& node) {
  return text_in(node, "provision_state") == "available" && text_in(node, "last_error").empty();
}

bool all_are_well(const Json& nodes, std::size_t machines) {
  std::size_t active = 0;
  std::size_t spare = 0;
  for (const Json& node : nodes) {
    if (text_in(node, "provision_state") == "active") ++active;
    if (is_spare(node)) ++spare;
  }
  return active + spare == machines && (active > 0 || machines == 0);
}

}  // namespace hearth::bootstrap
