#include "agent/net/connectivity.hpp"

#include <algorithm>

#include "agent/net/address.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

std::string output_of(CommandRunner& runner, std::vector<std::string> argv) {
  try {
    return runner.run({.argv = std::move(argv)}).out;
  } catch (const Error&) {  // no ip(8), no knowledge
    return "";
  }
}

/// A connection attempt makes the kernel look for the neighbour; what becomes of the connection does not matter.
void nudge(const std::string& gateway, Probes& probes) {
  constexpr std::uint16_t k_discard_port = 9;
  HttpRequest request;
  request.url = {.scheme = "http", .user_info = "", .host = gateway, .port = k_discard_port, .path = "/", .query = ""};
  request.deadline = Deadline::after(std::chrono::seconds(2), probes.clock);
  try {
    (void)probes.direct.send(request);
  } catch (const Error&) {  // refused, as it should be
  }
}

bool answers(const std::string& gateway, Probes& probes) {
  nudge(gateway, probes);
  return is_neighbour_there(output_of(probes.runner, {"ip", "neigh", "show", gateway}));
}

std::optional<std::string> url_failure(const Url& url, Probes& probes) {
  HttpRequest request;
  request.url = url;
  request.deadline = Deadline::after(std::chrono::seconds(5), probes.clock);
  request.verify_tls = false;  // an answer is an answer; nothing is believed or told
  try {
    (void)probes.http.send(request);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

std::optional<std::string> failure_now(const CheckRequest& request, Probes& probes) {
  if (std::optional<std::string> failure = url_failure(request.url, probes)) return failure;
  for (const std::string& gateway : present_gateways(probes.runner)) {
    if (request.excused.count(gateway) == 0 && !answers(gateway, probes)) {
      return cat("the gateway ", gateway, " does not answer");
    }
  }
  return std::nullopt;
}

}  // namespace

std::set<std::string> parse_gateways(const std::string& routes) {
  std::set<std::string> gateways;
  for (const std::string& line : split_lines(routes)) {
    const std::vector<std::string> words = split_words(line);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "via" && is_ip(words[i + 1]) && words[i + 1].compare(0, 5, "fe80:") != 0) {
        gateways.insert(words[i + 1]);
      }
    }
  }
  return gateways;
}

bool is_neighbour_there(const std::string& neighbours) {
  const std::vector<std::string> lines = split_lines(neighbours);
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    const bool lost = line.find("FAILED") != std::string::npos || line.find("INCOMPLETE") != std::string::npos;
    return !lost && (line.find("lladdr") != std::string::npos || line.find("NOARP") != std::string::npos);
  });
}

std::set<std::string> present_gateways(CommandRunner& runner) {
  return parse_gateways(cat(output_of(runner, {"ip", "route", "show", "default"}), "\n",
                            output_of(runner, {"ip", "-6", "route", "show", "default"})));
}

std::set<std::string> answering_gateways(Probes& probes) {
  std::set<std::string> answering;
  for (const std::string& gateway : present_gateways(probes.runner)) {
    if (answers(gateway, probes)) answering.insert(gateway);
  }
  return answering;
}

std::optional<std::string> find_disconnection(const CheckRequest& request, Probes& probes) {
  const Deadline deadline = Deadline::after(request.patience, probes.clock);
  while (true) {
    std::optional<std::string> failure = failure_now(request, probes);
    if (!failure || deadline.passed(probes.clock.now())) return failure;
    probes.clock.sleep(std::chrono::seconds(1));
  }
}

}  // namespace hearth::agent::net
