// hearth-agent: all in-instance agents in one static binary. Which one it is follows from the name that it was called
// by, or from its first argument.
#include <netdb.h>
#include <nss.h>

#include <cstdio>

#include "agent/applet.hpp"
#include "agent/collect/run_note.hpp"
#include "agent/collect/site_authority.hpp"
#include "agent/heat_config/command.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/install_links.hpp"
#include "agent/manual.hpp"
#include "base/cli/print.hpp"
#include "base/crypto.hpp"
#include "base/net/dialer.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace {

using hearth::agent::Applet;
using hearth::agent::Invocation;

/// A static glibc crashes when nsswitch.conf makes it load modules of another glibc: only built-in ones may be used.
void pin_name_services() {
  ::__nss_configure_lookup("hosts", "files dns");
  ::__nss_configure_lookup("passwd", "files");
  ::__nss_configure_lookup("group", "files");
}

void print_help(std::FILE* stream) {
  std::fputs(
      "usage: hearth-agent APPLET [ARGUMENT…]\n"
      "       hearth-agent install-links DIR [APPLET | hooks | HOOK…]\n"
      "       hearth-agent help --man DIR | --markdown DIR\n"
      "       hearth-agent --version | --help\n\nApplets (a link of that name to this program runs it too):\n",
      stream);
  for (const Applet& applet : hearth::agent::applets()) {
    std::fprintf(stream, "  %-30s %s\n", std::string(applet.name).c_str(), std::string(applet.summary).c_str());
  }
  std::fputs("\nHooks of heat-config (a link below a directory named hooks), run with a deployment on stdin:\n",
             stream);
  for (const hearth::agent::Hook& hook : hearth::agent::hooks()) {
    std::fprintf(stream, "  %-30s %s\n", std::string(hook.name).c_str(), std::string(hook.summary).c_str());
  }
}

int refuse(const std::string& word) {
  std::vector<std::string> names;
  for (const Applet& applet : hearth::agent::applets()) names.emplace_back(applet.name);
  const std::optional<std::string> near = hearth::nearest(word, names);
  const std::string advice = near ? hearth::cat("; did you mean '", *near, "'?") : "";
  std::fprintf(stderr, "hearth-agent: there is no applet '%s'%s\n", word.c_str(), advice.c_str());
  std::fputs("'hearth-agent --help' lists them all.\n", stderr);
  return 2;
}

int run_by_first_word(const Invocation& call) {
  const std::string word = call.words.empty() ? "" : call.words.front();
  const std::vector<std::string> rest(call.words.empty() ? call.words.end() : call.words.begin() + 1, call.words.end());
  if (word == "--version") {
    std::printf("hearth-agent %s (%s)\n", HEARTH_VERSION, hearth::crypto_version().c_str());
    return 0;
  }
  if (word == "help" && rest.size() == 2 && (rest[0] == "--man" || rest[0] == "--markdown")) {
    const bool man = rest[0] == "--man";
    return hearth::agent::write_agent_manual(
        rest[1], man ? hearth::agent::ManualForm::man : hearth::agent::ManualForm::markdown);
  }
  if (word == "note-run") return hearth::agent::note_run_main(rest);  // os-collect-config's own, on no list
  if (word == "install-links") return hearth::agent::install_links_main(rest);
  if (const Applet* applet = hearth::agent::find_applet(word)) return applet->run({call.argv, rest});
  if (hearth::agent::find_hook(word) != nullptr) return hearth::agent::hook_main(word, rest);
  const bool asked = word == "--help" || word == "-h" || word == "help";
  if (!asked && !word.empty()) return refuse(word);
  print_help(asked ? stdout : stderr);
  return asked ? 0 : 2;
}

int dispatch(const Invocation& call) {
  const hearth::fs::path path = call.argv.front();
  const std::string name = path.filename().string();
  // hooks/cfn-init is a hook, cfn-init a program.
  const bool hook = hearth::agent::find_hook(name) != nullptr;
  if (hook && path.parent_path().filename() == "hooks") return hearth::agent::hook_main(name, call.words);
  if (const Applet* applet = hearth::agent::find_applet(name)) return applet->run(call);
  return hook ? hearth::agent::hook_main(name, call.words) : run_by_first_word(call);
}

}  // namespace

int main(int argc, char** argv) {
  hearth::hold_standard_descriptors();
  pin_name_services();
  ::setenv(hearth::k_site_authority, hearth::agent::k_site_authority_file, 0);  // for hooks that call a program, too
  Invocation call;
  call.argv.assign(argv, argv + argc);
  if (call.argv.empty()) call.argv.emplace_back("hearth-agent");
  call.words.assign(call.argv.begin() + 1, call.argv.end());
  return hearth::cli::ended("hearth-agent", dispatch(call));
}
