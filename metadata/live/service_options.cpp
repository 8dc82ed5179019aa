#include "metadata/live/service_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/listening.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

/// 0 is a free port: which one is known before it is served, for URLs are told of it.
void choose_free(ServicePorts& ports) {
  ports.held = std::make_shared<std::map<std::uint16_t, ListeningSocket>>();
  for (std::uint16_t* port : {&ports.cfn, &ports.objects, &ports.heat, &ports.identity}) {
    if (*port != 0) continue;
    ListeningSocket free = listen_on("a free port", ports.address, 0);
    *port = free.port;
    ports.held->emplace(*port, std::move(free));
  }
}

}  // namespace

std::uint16_t port_option(const cli::Arguments& arguments, const std::string& option, std::uint16_t usual) {
  const std::optional<std::string> text = arguments.value(option);
  if (!text) return usual;
  const std::optional<std::uint64_t> number = parse_number(*text);
  if (!number || *number > 65535) throw Error(ErrorKind::usage, cat("--", option, " ", *text, ": no port"));
  return static_cast<std::uint16_t>(*number);
}

ServicePorts service_ports(const cli::Arguments& arguments, const std::string& address) {
  ServicePorts ports;
  ports.address = address;
  ports.cfn = port_option(arguments, "cfn-port", ports.cfn);
  ports.objects = port_option(arguments, "objects-port", ports.objects);
  ports.heat = port_option(arguments, "heat-port", ports.heat);
  ports.identity = port_option(arguments, "identity-port", ports.identity);
  choose_free(ports);
  return ports;
}

std::vector<cli::Option> request_options() {
  return {{"request-seconds", 0, "N",
           "processor time that evaluating one request of stacks may take (30), a tenth of it at a stretch"},
          {"request-memory", 0, "MB", "memory that it may take (1024)"}};
}

TrialLimits request_limits(const cli::Arguments& arguments) {
  TrialLimits limits;
  limits.processor = std::chrono::seconds(cli::number(arguments, "request-seconds", 30, {.most = 86'400}));
  limits.stretch = limits.processor / 10;
  limits.wall = limits.processor * 4;
  limits.memory = cli::number(arguments, "request-memory", 1024, {.most = 1U << 20U}) << 20U;
  return limits;
}

std::string url_host(const std::string& address) {
  const bool bare_ipv6 = address.find(':') != std::string::npos && address.front() != '[';
  return bare_ipv6 ? cat("[", address, "]") : address;
}

PublicUrls public_urls(const std::string& scheme, const std::string& host, const ServicePorts& ports) {
  const auto is_of_host = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._:[]%").find(c) != std::string_view::npos;
  };
  if (host.empty() || !std::all_of(host.begin(), host.end(), is_of_host))
    throw Error(ErrorKind::usage, cat("--public ", host, ": no name or address of a host (the port is added)"));
  const auto url = [&](std::uint16_t port) { return cat(scheme, "://", url_host(host), ":", port); };
  PublicUrls urls;
  urls.cfn = url(ports.cfn);
  urls.heat = url(ports.heat);
  urls.objects = url(ports.objects);
  urls.identity = url(ports.identity);
  return urls;
}

void tell_port(const std::string& name, const std::string& address, std::uint16_t port) {
  cli::print(cat(name, " ", address, " ", port, "\n"));
  std::fflush(stdout);
}

}  // namespace hearth::metadata::live
