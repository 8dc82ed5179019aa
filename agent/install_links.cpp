#include "agent/install_links.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>

#include "agent/applet.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Appears by rename, so that a running system never lacks the name.
void make_link(const LinkPlan& plan) {
  RealFileSystem files;
  files.make_directories(plan.link.parent_path(), 0755);
  const std::string temporary = cat(plan.link.string(), ".", random_hex(4));
  if (::symlink(plan.target.c_str(), temporary.c_str()) != 0) throw Error::from_errno("creating the link", temporary);
  if (::rename(temporary.c_str(), plan.link.c_str()) == 0) return;
  const int error_number = errno;
  ::unlink(temporary.c_str());
  throw Error::from_errno("creating the link", plan.link.string(), error_number);
}

/// Where this program lies. In a root without /proc, the path that it was started by.
fs::path own_path() {
  boost::system::error_code failed;
  fs::path path = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) return path;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the call gives addresses as numbers
  return fs::absolute(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)));
}

std::vector<std::string> hook_links() {
  std::vector<std::string> links;
  for (const Hook& hook : hooks()) links.push_back(cat("hooks/", hook.name));
  return links;
}

}  // namespace

std::vector<std::string> links_of(const std::string& name) {
  if (name == "hooks") return hook_links();
  if (const Applet* applet = find_applet(name)) {
    return applet->link.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::string(applet->link)};
  }
  const std::string hook = name.compare(0, 6, "hooks/") == 0 ? name.substr(6) : name;
  if (find_hook(hook) != nullptr) return {cat("hooks/", hook)};
  throw Error(ErrorKind::usage, cat("there is no applet or hook '", name, "'"));
}

std::vector<std::string> all_links() {
  std::vector<std::string> links;
  for (const Applet& applet : applets()) {
    if (!applet.link.empty()) links.emplace_back(applet.link);
  }
  for (std::string& link : hook_links()) links.push_back(std::move(link));
  return links;
}

std::vector<LinkPlan> plan_links(const fs::path& directory, const fs::path& binary,
                                 const std::vector<std::string>& links) {
  std::vector<LinkPlan> plan;
  for (const std::string& link : links) {
    const fs::path path = directory / link;
    const bool beside = path.parent_path() == binary.parent_path();
    plan.push_back({path, beside ? binary.filename().string() : binary.string()});
  }
  return plan;
}

void make_links(const std::vector<LinkPlan>& plan) {
  for (const LinkPlan& link : plan) make_link(link);
}

int install_links_main(const std::vector<std::string>& words) {
  const bool help = cli::asks_for_help(words);
  if (words.empty() || help) {
    std::fputs("usage: hearth-agent install-links DIR [APPLET | hooks | HOOK...]\n", help ? stdout : stderr);
    return help ? 0 : 2;
  }
  try {
    std::vector<std::string> links;
    for (std::size_t i = 1; i < words.size(); ++i) {
      for (std::string& link : links_of(words[i])) links.push_back(std::move(link));
    }
    if (words.size() == 1) links = all_links();
    make_links(plan_links(fs::absolute(words[0]), own_path(), links));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hearth-agent: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace hearth::agent
