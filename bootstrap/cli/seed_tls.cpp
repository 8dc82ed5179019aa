#include "bootstrap/cli/seed_tls.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/net/own_identity.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

/// Without the brackets of IPv6 in URLs.
std::string bare_host(const std::string& host) {
  return host.size() > 2 && host.front() == '[' && host.back() == ']' ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

bool is_any(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

std::string stacks_address(const cli::Arguments& arguments, const std::vector<std::string>& networks) {
  const std::string usual = networks.empty() ? arguments.value_or("listen", "127.0.0.1") : networks.front();
  return arguments.value_or("stacks-listen", usual);
}

TlsFiles own_tls(const cli::Arguments& arguments, std::vector<std::string> addresses, const fs::path& directory) {
  const auto add = [&](const std::string& host) {
    if (!host.empty() && !is_any(host) && std::find(addresses.begin(), addresses.end(), host) == addresses.end())
      addresses.push_back(host);
  };
  const std::string stacks = stacks_address(arguments, addresses);
  if (arguments.has("own-tls") || arguments.has("engine")) add(arguments.value_or("listen", "127.0.0.1"));
  if (arguments.has("engine")) {
    for (const std::string& host : {stacks, bare_host(arguments.value_or("public", "")), std::string("127.0.0.1"),
                                    std::string("::1"), std::string("localhost")})
      add(host);
  }
  return own_identity(directory, "server", addresses);
}

std::optional<TlsFiles> people_tls(const cli::Arguments& arguments, const std::vector<std::string>& addresses,
                                   const fs::path& directory) {
  if (arguments.has("own-tls")) return own_tls(arguments, addresses, directory);
  const TlsFiles files{arguments.value_or("tls-certificate", ""), arguments.value_or("tls-key", "")};
  return files.key.empty() ? std::nullopt : std::optional(files);
}

std::optional<TlsFiles> agents_tls(const cli::Arguments& arguments, const std::vector<std::string>& addresses,
                                   const fs::path& directory) {
  if (addresses.empty() || arguments.has("plain-agents")) return std::nullopt;
  TlsFiles files{arguments.value_or("agents-certificate", ""), arguments.value_or("agents-key", "")};
  if (files.certificate.empty() != files.key.empty())
    throw Error(ErrorKind::usage, "--agents-certificate and --agents-key go together");
  return files.key.empty() ? own_tls(arguments, addresses, directory) : files;
}

}  // namespace hearth::bootstrap
