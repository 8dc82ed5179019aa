#include "builder/fetch/local_places.hpp"

#include <array>
#include <map>

#include "base/error.hpp"
#include "base/net/inner_address.hpp"
#include "base/text.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr std::uint16_t k_resolver_port = 53;
constexpr std::string_view k_authority_end = "/?# \t\r\n\"'<>`,;|(){}\\";
constexpr std::string_view k_colon_slashes = "://";
constexpr std::string_view k_mapped_text = "::ffff:";  // an address of IPv4 in one of IPv6

/// What programs that hooks start read of the machine by themselves.
constexpr std::array<const char*, 8> k_files = {"/etc/apt/apt.conf", "/etc/apt/sources.list", "/etc/gitconfig",
                                                "/etc/pip.conf",     "/etc/wgetrc",           "/etc/npmrc",
                                                "/etc/dnf/dnf.conf", "/etc/yum.conf"};
constexpr std::array<const char*, 2> k_directories = {"/etc/apt/apt.conf.d", "/etc/apt/sources.list.d"};

const std::map<std::string_view, std::uint16_t> k_ports = {{"http", 80}, {"https", 443}, {"ftp", 21},  {"git", 9418},
                                                           {"ssh", 22},  {"rsync", 873}, {"svn", 3690}};

struct Server {
  std::string host;
  std::uint16_t port = 0;
};

/// "user@host:port", "[::1]:80"; port 0 when none is written, which `otherwise` replaces.
Server parse_server(std::string_view authority, std::uint16_t otherwise) {
  authority = authority.substr(authority.find('@') == std::string_view::npos ? 0 : authority.rfind('@') + 1);
  Server server{"", otherwise};
  std::size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return server;
    server.host = to_lower(authority.substr(1, bracket - 1));
    end = bracket + 1 < authority.size() && authority[bracket + 1] == ':' ? bracket + 1 : std::string_view::npos;
  } else {
    server.host = to_lower(authority.substr(0, end));
  }
  if (end == std::string_view::npos) return server;
  const auto port = parse_number(authority.substr(end + 1));
  server.port = port && *port <= UINT16_MAX ? static_cast<std::uint16_t>(*port) : 0;
  return server;
}

std::string_view scheme_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && text[begin - 1] >= 'a' && text[begin - 1] <= 'z') --begin;
  return text.substr(begin, at - begin);
}

void add_servers_of_urls(std::string_view text, std::vector<Server>& servers) {
  for (std::size_t at = text.find(k_colon_slashes); at != std::string_view::npos;
       at = text.find(k_colon_slashes, at + 1)) {
    const auto port = k_ports.find(scheme_before(text, at));
    const std::size_t begin = at + k_colon_slashes.size();
    const std::size_t end = std::min(text.find_first_of(k_authority_end, begin), text.size());
    servers.push_back(parse_server(text.substr(begin, end - begin), port == k_ports.end() ? 0 : port->second));
  }
}

/// Only a help, so what can't be read names nothing.
std::string text_or_nothing(const FileReader& files, const fs::path& file) {
  try {
    return files.read(file).value_or("");
  } catch (const Error&) {
    return "";
  }
}

std::vector<Server> servers_of(const Environment& environment, const FileReader& files) {
  std::vector<Server> servers;
  for (const auto& [name, value] : environment) {
    const bool is_bare = to_lower(name).ends_with("_proxy") && value.find(k_colon_slashes) == std::string::npos;
    if (is_bare) servers.push_back(parse_server(value, 0));
    add_servers_of_urls(value, servers);
  }
  for (const fs::path file : k_files) add_servers_of_urls(text_or_nothing(files, file), servers);
  for (const fs::path directory : k_directories) {
    for (const std::string& name : files.list(directory))
      add_servers_of_urls(text_or_nothing(files, directory / name), servers);
  }
  return servers;
}

/// Names that this machine has an address for without asking anybody (hosts(5)).
std::multimap<std::string, std::string> own_names(const FileReader& files) {
  std::multimap<std::string, std::string> names;
  for (const std::string& line : split_lines(text_or_nothing(files, "/etc/hosts"))) {
    const std::vector<std::string> words = split_words(line.substr(0, line.find('#')));
    for (std::size_t i = 1; i < words.size(); ++i) names.emplace(to_lower(words[i]), words.front());
  }
  return names;
}

/// As connect(2) takes it: the machine's "any" is its loopback. Empty for all addresses but loopback's and those of
/// IPv4 that are this machine's neighbours'.
std::string inner_address(const std::string& host) {
  if (!is_address(host)) return "";
  const SystemClock clock;
  const SocketAddress address = look_up(host, 1, Deadline::never(), clock).front();
  if (inner_kind(address).empty()) return "";
  std::string text = address_text(address);
  if (text == "::" || text == "::1") return "::1";
  if (text.starts_with(k_mapped_text)) text = text.substr(k_mapped_text.size());
  if (text.find(':') != std::string::npos) return "";
  return text == "0.0.0.0" ? "127.0.0.1" : text;
}

void add_resolvers(const FileReader& files, std::set<LocalPlace>& places) {
  std::vector<std::string> resolvers;
  for (const std::string& line : split_lines(text_or_nothing(files, "/etc/resolv.conf"))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() >= 2 && words[0] == "nameserver") resolvers.push_back(words[1]);
  }
  if (resolvers.empty()) resolvers = {"127.0.0.1", "::1"};  // resolv.conf(5)
  for (const std::string& resolver : resolvers) {
    const std::string address = inner_address(resolver);
    if (address.empty()) continue;
    for (const bool datagrams : {false, true}) places.insert({address, k_resolver_port, datagrams});
  }
}

}  // namespace

std::vector<std::string> servers_named(std::string_view text) {
  std::vector<Server> servers;
  add_servers_of_urls(text, servers);
  std::vector<std::string> named;
  for (const Server& server : servers) {
    const bool is_bare = server.host.find(':') == std::string::npos;
    if (server.port != 0) named.push_back(cat(is_bare ? server.host : cat("[", server.host, "]"), ":", server.port));
  }
  return named;
}

std::set<LocalPlace> local_places(const Environment& environment, const FileReader& files,
                                  const std::vector<std::string>& allowed) {
  std::vector<Server> servers = servers_of(environment, files);
  for (const std::string& server : allowed) servers.push_back(parse_server(server, 0));
  std::multimap<std::string, std::string> names = own_names(files);
  for (const char* address : {"127.0.0.1", "::1"}) names.emplace("localhost", address);
  std::set<LocalPlace> places;
  for (const Server& server : servers) {
    if (server.port == 0) continue;
    std::vector<std::string> hosts = {server.host};
    const auto [begin, end] = names.equal_range(server.host.ends_with(".localhost") ? "localhost" : server.host);
    for (auto name = begin; name != end; ++name) hosts.push_back(name->second);
    for (const std::string& host : hosts) {
      if (const std::string address = inner_address(host); !address.empty()) places.insert({address, server.port});
    }
  }
  add_resolvers(files, places);
  return places;
}

}  // namespace hearth::builder::fetch
