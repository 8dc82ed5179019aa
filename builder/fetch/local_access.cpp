#include "builder/fetch/local_access.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/net/inner_address.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

const fs::path k_apt = "/etc/apt";
constexpr auto k_look_up_patience = std::chrono::seconds(5);

std::string host_of(const Url& url) {
  return url.host.find(':') == std::string::npos ? url.host : cat("[", url.host, "]");
}
std::string server_of(const Url& url) { return cat(host_of(url), ":", url.port); }

/// Only a help, so what can't be read names nothing.
std::string text_of(const FileReader& files, const fs::path& file) {
  try {
    return files.read(file).value_or("");
  } catch (const Error&) {
    return "";
  }
}

void add_servers(std::string_view text, std::vector<std::string>& servers) {
  for (std::string& server : servers_named(text)) servers.push_back(std::move(server));
}

}  // namespace

std::vector<std::string> locally_named(const Environment& environment, const FileReader& files) {
  std::vector<std::string> servers;
  for (const auto& [name, value] : environment) {
    if (name.starts_with("DIB_")) add_servers(value, servers);
  }
  std::vector<fs::path> sources = {k_apt / "sources.list"};
  for (const std::string& name : files.list(k_apt / "sources.list.d"))
    sources.push_back(k_apt / "sources.list.d" / name);
  for (const fs::path& source : sources) add_servers(text_of(files, source), servers);
  return servers;
}

AddressCheck local_access(std::vector<std::string> allowed) {
  for (std::string& server : allowed) server = to_lower(server);
  return [allowed = std::move(allowed)](const Url& url, const SocketAddress& address) -> std::string {
    const std::string_view kind = inner_kind(address);
    const auto is_allowed = [&](const std::string& server) {
      return server == host_of(url) || server == server_of(url);
    };
    if (kind.empty() || std::any_of(allowed.begin(), allowed.end(), is_allowed)) return "";
    return cat("it is at ", address_text(address), " (", kind,
               "), where hooks of a recorded build reach nothing by themselves; ",
               "if it is meant to serve this build, give --allow-local ", server_of(url),
               " or name it in a DIB_ variable");
  };
}

AddressCheck as_hooks_reach(std::set<LocalPlace> places) {
  return [places = std::move(places)](const Url& url, const SocketAddress& address) -> std::string {
    const std::string_view kind = inner_kind(address);
    if (kind.empty() || places.contains({address_text(address), url.port})) return "";
    return cat("it is at ", address_text(address), " (", kind, "), which hooks don't reach");
  };
}

bool hooks_reach(const std::string& url, const std::set<LocalPlace>& places, const Clock& clock) {
  const AddressCheck check = as_hooks_reach(places);
  for (const std::string& server : servers_named(url)) {
    const std::size_t colon = server.rfind(':');
    Url where;
    where.host = server.substr(0, colon);
    if (where.host.starts_with('[')) where.host = where.host.substr(1, where.host.size() - 2);
    where.port = static_cast<std::uint16_t>(parse_number(server.substr(colon + 1)).value_or(0));
    try {
      for (const SocketAddress& address :
           look_up(where.host, where.port, Deadline::after(k_look_up_patience, clock), clock)) {
        if (!check(where, address).empty()) return false;
      }
    } catch (const Error&) {  // whoever connects does not find it either
    }
  }
  return true;
}

}  // namespace hearth::builder::fetch
