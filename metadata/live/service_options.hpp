// The options of whatever runs the stack service: its ports, the URLs under which others reach them, and its limits.
#pragma once

#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "metadata/live/stack_service.hpp"

namespace hearth::metadata::live {

/// A port that an option names. Throws Error(usage) for what is none.
[[nodiscard]] std::uint16_t port_option(const cli::Arguments& arguments, const std::string& option,
                                        std::uint16_t usual);

/// --cfn-port, --objects-port, --heat-port and --identity-port, at `address`.
[[nodiscard]] ServicePorts service_ports(const cli::Arguments& arguments, const std::string& address);

/// --request-seconds and --request-memory: what a request may have evaluated.
[[nodiscard]] std::vector<cli::Option> request_options();
[[nodiscard]] TrialLimits request_limits(const cli::Arguments& arguments);

/// `scheme` is "http" or "https"; `host` the address, or what --public says.
[[nodiscard]] PublicUrls public_urls(const std::string& scheme, const std::string& host, const ServicePorts& ports);

/// An address as it stands in a URL: IPv6 in brackets.
[[nodiscard]] std::string url_host(const std::string& address);

/// Tells on stdout, as "NAME ADDRESS PORT", where something listens.
void tell_port(const std::string& name, const std::string& address, std::uint16_t port);

}  // namespace hearth::metadata::live
