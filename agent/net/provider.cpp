#include "agent/net/provider.hpp"

#include "agent/net/eni.hpp"
#include "agent/net/ifcfg.hpp"
#include "agent/net/networkd.hpp"
#include "agent/net/sriov.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr std::string_view k_ifcfg_folder = "/etc/sysconfig/network-scripts/";

bool exists(const std::string& root, std::string_view path, const FileReader& files) {
  return files.status(cat(root, path)).has_value();
}

std::string present_text(const std::string& root, std::string_view path, const FileReader& files) {
  return files.read(cat(root, path)).value_or("");
}

EniMachine eni_machine(const std::string& root, const FileReader& files) {
  const auto one_of = [&](std::initializer_list<std::string_view> paths) {
    for (const std::string_view path : paths) {
      if (exists(root, path, files)) return true;
    }
    return false;
  };
  return {.net_tools = one_of({"/sbin/route", "/usr/sbin/route"}),
          .resolver_hook = one_of({"/sbin/resolvconf", "/usr/sbin/resolvconf", "/etc/network/if-up.d/resolved"}),
          .route_tables = present_text(root, "/etc/iproute2/rt_tables", files)};
}

/// What lies between `prefix` and `suffix` in a name; empty when it is not of that form.
std::string middle(const std::string& name, std::string_view prefix, std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size() || name.compare(0, prefix.size(), prefix) != 0) return "";
  if (name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) return "";
  return name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
}

/// Units of a folder with one main file each.
std::map<std::string, std::string> units_in(const std::string& root, std::string_view folder, std::string_view prefix,
                                            std::string_view suffix, Provider provider, const FileReader& files) {
  std::map<std::string, std::string> units;
  for (const std::string& name : files.list(cat(root, folder.substr(0, folder.size() - 1)))) {
    const std::string unit = middle(name, prefix, suffix);
    if (unit.empty() || unit == "lo") continue;
    for (const std::string& path : own_files(provider, unit)) units[unit] += present_text(root, path, files);
  }
  return units;
}

}  // namespace

std::string_view provider_name(Provider provider) {
  switch (provider) {
    case Provider::eni: return "eni";
    case Provider::networkd: return "networkd";
    default: return "ifcfg";
  }
}

Provider provider_of(const std::string& name) {
  for (const Provider provider : {Provider::eni, Provider::networkd, Provider::ifcfg}) {
    if (name == provider_name(provider)) return provider;
  }
  if (name == "nmstate" || name == "iproute") {
    throw Error(ErrorKind::unsupported, cat("the provider ", name, " is not supported"))
        .hint("Use --provider eni (ifupdown), networkd (systemd) or ifcfg (network scripts).");
  }
  throw Error(ErrorKind::usage, cat("--provider: '", name, "' is none of eni, networkd, ifcfg, nmstate, iproute"));
}

Provider guess_provider(const std::string& root, const FileReader& files) {
  if (exists(root, k_ifcfg_folder.substr(0, k_ifcfg_folder.size() - 1), files)) return Provider::ifcfg;
  const bool ifupdown = exists(root, "/sbin/ifup", files) || exists(root, "/usr/sbin/ifup", files);
  const bool networkd = exists(root, "/etc/systemd/network", files);
  if (exists(root, "/etc/network", files) && (ifupdown || !networkd)) return Provider::eni;
  if (networkd) return Provider::networkd;
  throw Error(ErrorKind::not_found, "Unable to set provider for this operating system.")
      .hint(
          "There is neither /etc/sysconfig/network-scripts nor /etc/network nor /etc/systemd/network; "
          "name the provider with --provider.");
}

Layout render(Provider provider, const Network& network, const std::string& root, const FileReader& files) {
  const std::string tables = present_text(root, "/etc/iproute2/rt_tables", files);
  Layout layout = provider == Provider::eni        ? render_eni(network, eni_machine(root, files))
                  : provider == Provider::networkd ? render_networkd(network, tables)
                                                   : render_ifcfg(network, tables);
  add_sriov_files(layout, network, root, files);
  return layout;
}

std::map<std::string, std::string> present_units(Provider provider, const std::string& root, const FileReader& files) {
  if (provider == Provider::networkd) {
    return units_in(root, k_networkd_folder, k_networkd_prefix, ".network", provider, files);
  }
  if (provider == Provider::ifcfg) return units_in(root, k_ifcfg_folder, "ifcfg-", "", provider, files);
  std::map<std::string, std::string> units = split_stanzas(present_text(root, "/etc/network/interfaces", files));
  units.erase("lo");
  return units;
}

std::vector<std::string> own_files(Provider provider, const std::string& unit) {
  std::vector<std::string> paths;
  if (provider == Provider::networkd) {
    for (const std::string_view suffix : {".netdev", ".network", ".link"}) {
      paths.push_back(cat(k_networkd_folder, k_networkd_prefix, unit, suffix));
    }
  } else if (provider == Provider::ifcfg) {
    for (const std::string_view prefix : {"ifcfg-", "route-", "route6-", "rule-"}) {
      paths.push_back(cat(k_ifcfg_folder, prefix, unit));
    }
  }
  return paths;
}

}  // namespace hearth::agent::net
