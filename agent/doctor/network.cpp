#include <algorithm>

#include "agent/doctor/check.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr Duration k_network_patience = std::chrono::seconds(10);
constexpr const char* k_no_way = "check route, name service, proxy variables, firewall and the server itself";
constexpr const char* k_distrust =
    "compare 'date' with the true time, and who signed that certificate with ca_certificate or, where none is set, "
    "with "
    "the system's authorities and /etc/hearth/authority.pem";

/// A route to everywhere, in the kernel's tables: /proc/net/route (IPv4; destination and mask in hexadecimal) and
/// /proc/net/ipv6_route (destination and prefix length; the last column is the device).
bool has_default_route(const FileReader& files) {
  for (const std::string& line : split_lines(files.read("/proc/net/route").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() > 7 && words[1] == "00000000" && words[7] == "00000000") return true;
  }
  for (const std::string& line : split_lines(files.read("/proc/net/ipv6_route").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() > 9 && words[0] == std::string(32, '0') && words[1] == "00" && words.back() != "lo") return true;
  }
  return false;
}

bool has_live_interface(const FileReader& files) {
  const std::vector<std::string> names = files.list("/sys/class/net");
  return std::any_of(names.begin(), names.end(), [&files](const std::string& name) {
    return name != "lo" && trim(files.read(cat("/sys/class/net/", name, "/operstate")).value_or("")) != "down";
  });
}

/// Any answer will do: it shows that packets and names find their way.
std::optional<Problem> why_no_answer(const std::string& server, const DoctorWorld& world) {
  const Result<Url> url = parse_url(server);
  if (!url) return Problem{url.error().text(), "correct it in /etc/os-collect-config.conf"};
  try {
    HttpRequest request;
    request.url = *url;
    request.deadline = Deadline::after(k_network_patience, world.clock);
    (void)world.http.send(request);
    return std::nullopt;
  } catch (const Error& error) {
    const bool refused = error.kind() == ErrorKind::input;  // we refuse its certificate
    return Problem{cat("no answer from ", url->masked(), ": ", error.what()), refused ? k_distrust : k_no_way};
  }
}

}  // namespace

CheckResult check_network(const CollectSettings& settings, const DoctorWorld& world) {
  CheckResult result{"network", "Is there a network that leads to the servers?", {}, {}};
  if (!settings.error.empty()) {
    result.problems.push_back(
        {"which they are is not known: os-collect-config can't read its configuration", "correct that first"});
    return result;
  }
  if (settings.servers.empty()) {
    result.notes.emplace_back("no server is configured: the metadata are on this machine");
    return result;
  }
  if (!has_live_interface(world.files)) {
    result.problems.push_back({"no network interface is up", "look at 'ip link' and the network's configuration"});
  }
  bool unreachable = false;
  for (const std::string& server : settings.servers) {
    std::optional<Problem> problem = why_no_answer(server, world);
    if (!problem) continue;
    unreachable = true;
    result.problems.push_back(std::move(*problem));
  }
  if (!has_default_route(world.files)) {
    const std::string what = "there is no default route";
    if (unreachable) {
      result.problems.push_back({what, "look at 'ip route' and the network's configuration"});
    } else {
      result.notes.push_back(what);
    }
  }
  return result;
}

}  // namespace hearth::agent
