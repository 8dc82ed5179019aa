// What the cfn-… programs need of the machine. Their command lines, files and exit codes are those of heat-cfntools
// 1.4, https://opendev.org/openstack/heat-cfntools.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/net/http.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct CfnWorld {
  FileSystem& files;
  CommandRunner& runner;
  HttpClient& http;
  Clock& clock;
  Logger& log;
  Environment env;
};

}  // namespace hearth::agent
