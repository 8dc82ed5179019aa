#include "agent/doctor/check.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

/// Whether some process is the collecting daemon, by its command line (proc(5): words end in NUL).
bool daemon_runs(const FileReader& files) {
  for (const std::string& name : files.list("/proc")) {
    if (!parse_number(name)) continue;
    std::optional<std::string> line;
    try {
      line = files.read(cat("/proc/", name, "/cmdline"));
    } catch (const std::exception&) {  // it has ended meanwhile
      continue;
    }
    const std::vector<std::string> words = split(line.value_or(""), '\0');
    for (std::size_t i = 0; i < words.size() && i < 2; ++i) {  // an interpreter may come first
      if (fs::path(words[i]).filename() == "os-collect-config") return true;
    }
  }
  return false;
}

}  // namespace

CheckResult check_agents(const CollectSettings& settings, const DoctorWorld& world) {
  CheckResult result{"agents", "Are the agents installed, configured and running?", {}, {}};
  const auto problem = [&result](std::string what, std::string advice) {
    result.problems.push_back({std::move(what), std::move(advice)});
  };
  for (const char* program : {"os-collect-config", "os-refresh-config", "os-apply-config"}) {
    if (!find_program(program, world.env)) {
      problem(cat(program, " is not in PATH"), "hearth-agent install-links /usr/bin");
    }
  }
  const fs::path base = variable(world.env, "OS_REFRESH_CONFIG_BASE_DIR", "/usr/libexec/os-refresh-config");
  const fs::path step = base / "configure.d" / "55-heat-config";
  const std::optional<FileStatus> status = world.files.status(step);
  if (!status || (status->mode & 0111U) == 0) {
    problem(cat(step.string(), " is not there or not executable: deployments do not run"),
            "build the image with the element heat-config");
  }
  if (!settings.error.empty()) {
    problem(cat("os-collect-config can't read its configuration: ", settings.error), "correct that file");
  } else if (settings.command.empty()) {
    problem("os-collect-config has no command", "put 'command = os-refresh-config' into /etc/os-collect-config.conf");
  }
  if (!daemon_runs(world.files)) {
    problem("os-collect-config is not running",
            "systemctl enable --now os-collect-config; journalctl -u os-collect-config");
  }
  return result;
}

}  // namespace hearth::agent
