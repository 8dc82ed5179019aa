#include "bootstrap/why/causes/boot_causes.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap::why {

namespace {

constexpr std::size_t k_told_lines = 3;
constexpr long k_start_seconds = 300;  ///< what a server may take from its reset until its system asks for anything

/// What of a boot was seen.
struct Seen {
  std::vector<const Json*> lines;
  std::size_t requests = 0;   ///< addresses that were taken
  bool asks_to_boot = false;  ///< of DHCP, not an address only
  bool as_proxy = false;      ///< addresses are given by another server, as this site is made
  std::string other_server;   ///< whose offer the last request took, if not ours
  std::size_t loaders = 0;    ///< files fetched that are none of those below
  std::size_t scripts = 0;    ///< what a loader asks for once it runs
  std::size_t kernels = 0;    ///< once for each boot
  std::size_t ramdisks = 0;
  const Json* bad = nullptr;   ///< the last that did not succeed
  const Json* vain = nullptr;  ///< the last that it asked of others, in vain
};

/// What it asked of others, and was overheard (pxe/net/unanswered.hpp).
bool is_overheard(const Json& line) {
  const std::string protocol = text_in(line, "protocol");
  return protocol == "arp" || protocol == "tcp" || protocol == "dns";
}

/// A system that does not get the time goes on without: never why it does not come up.
bool is_for_time(const Json& line) {
  return text_in(line, "outcome").find("the time server that DHCP gives") != std::string::npos;
}

/// In seconds; 0 for what is no line of a log.
double time_of(const Json& line) {
  const auto time = line.is_object() ? line.find("time") : line.end();
  return line.is_object() && time != line.end() && time->is_number() ? time->get<double>() : 0;
}

std::string text_behind(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? "" : text.substr(at + words.size());
}

Seen seen_of(const BootFacts& facts) {
  Seen seen;
  for (const Json& line : *facts.log) {
    if (time_of(line) * 1e6 < static_cast<double>(facts.since)) continue;
    seen.lines.push_back(&line);
    if (is_overheard(line)) {
      if (!is_for_time(line)) seen.vain = &line;
      continue;
    }
    const std::string what = text_in(line, "what");
    const std::string outcome = text_in(line, "outcome");
    const bool good = !line.contains("good") || line["good"] != false;
    seen.bad = good ? nullptr : &line;
    if (!good) continue;
    if (text_in(line, "protocol") == "dhcp") {
      const std::string taken = text_behind(outcome, "it takes the offer of ");
      seen.other_server = taken;
      seen.requests += what == "REQUEST" && taken.empty() ? 1 : 0;
      seen.as_proxy = seen.as_proxy || outcome.find(": as proxy, ") != std::string::npos;
      seen.asks_to_boot = seen.asks_to_boot || outcome.find("does not ask to boot") == std::string::npos;
    } else if (what.ends_with("kernel")) {
      ++seen.kernels;
      seen.vain = nullptr;  // that was the system before
    } else if (what.ends_with("ramdisk") || what.ends_with("initramfs")) {
      ++seen.ramdisks;
    } else if (what.find("/ipxe/") != std::string::npos || what.ends_with("grub.cfg")) {
      ++seen.scripts;
    } else {
      ++seen.loaders;
    }
  }
  return seen;
}

std::string line_text(const Json& line) {
  return cat(text_in(line, "protocol"), " ", text_in(line, "what"), ": ", text_in(line, "outcome"));
}

/// The newest lines, and how long ago the last one was.
std::vector<std::string> newest_of(const std::vector<const Json*>& lines, Stamp now) {
  std::vector<std::string> told;
  const std::size_t count = lines.size();
  for (std::size_t i = count > k_told_lines ? count - k_told_lines : 0; i < count; ++i)
    told.push_back(line_text(*lines[i]));
  if (count > 0) {
    const double last = time_of(*lines.back());
    told.push_back(
        cat("nothing since, for ", std::max(0L, static_cast<long>(static_cast<double>(now) / 1e6 - last)), " s"));
  }
  return told;
}

std::vector<std::string> evidence_of(const Seen& seen, const BootFacts& facts) {
  return newest_of(seen.lines, facts.now);
}

/// What it means that nobody answers, and what to do.
Finding in_vain(std::string who, const Json& line) {
  const std::string protocol = text_in(line, "protocol");
  const std::string what = text_in(line, "what");
  const std::string outcome = text_in(line, "outcome");
  const auto has = [&](const char* words) { return outcome.find(words) != std::string::npos; };
  Finding finding{.cause = std::move(who), .evidence = {}, .next = ""};
  if (protocol == "dns") {
    finding.cause += cat(" can't look up names: it asks for ", text_behind(what, "query "), ", and ", outcome, ".");
    finding.next =
        "let dns in the site file name a server that runs, or give the metadata's address in place of a name "
        "(--public)";
  } else if (has("the name server that DHCP gives")) {
    finding.cause += cat(" can't look up names: ", outcome, ".");
    finding.next = "correct dns in the site file, or start that server; the machine has it with its next lease";
  } else if (has("the router that DHCP gives")) {
    finding.cause += cat(" can't leave its network: ", outcome, ".");
    finding.next =
        "correct the router in the site file, or look at it; what is on the machine's own network needs none";
  } else if (has("the time server that DHCP gives")) {
    finding.cause += cat(" can't ask for the time: ", outcome, ".");
    finding.next =
        "correct ntp in the site file, or start that server; a machine whose clock is right does without it for a "
        "while";
  } else if (protocol == "arp") {
    finding.cause += cat(" looks for a machine that is not there: ", outcome, ".");
    finding.next =
        "is that the address in the metadata's URL (--public, --cfn-url) or of a name server? Then correct it; else "
        "look "
        "for that machine";
  } else {
    finding.cause += cat(" connects to a service that does not answer: ", outcome, ".");
    finding.next =
        "is that the port and address in the metadata's URL (--public, --cfn-url)? Does the service run, and does it "
        "listen at more than 127.0.0.1? Is a firewall before it?";
  }
  return finding;
}

/// The addresses in what the conductor says of strangers: "…, and is no node's: 52:54:00:00:00:02 (dhcp DISCOVER)".
std::string stranger_in(const std::string& text) {
  constexpr std::string_view k_words = "is no node's: ";
  const std::size_t at = text.find(k_words);
  return at == std::string::npos ? "" : text.substr(at + k_words.size(), 17);
}

constexpr Stamp k_post_seconds = 180;  ///< a firmware's self-test of much memory and many cards
constexpr const char* k_look_at_it =
    "look at its console: does it try the network at all (boot order)? Then its cable, the port's VLAN, and, behind a "
    "router, the relay's address";

/// Where its card is another one than the inventory has. Who waits for its machine, but for an inspection's, takes no
/// other card until then.
std::string corrected(const BootFacts& facts) {
  return cat(facts.before.empty() ? "" : cat(facts.before, ", "),
             "correct the inventory and import it again (hearth node import)",
             facts.again.empty() ? "" : cat(", ", facts.again));
}

Finding silent(const BootFacts& facts) {
  const std::string stranger = stranger_in(facts.heard);
  if (!stranger.empty()) {
    return {cat("Its machine seems to ask under an address that is not the node's: ", stranger, " is no node's."),
            {facts.heard, cat("the node's cards: ", join(facts.macs, ", "))},
            cat("compare the label; then ", corrected(facts))};
  }
  const Stamp seconds = (facts.now - facts.since) / 1'000'000;
  Finding finding{"Nothing of its machine has reached the network boot",
                  {cat("no request of ", join(facts.macs, ", "), " for ", seconds, " s")},
                  k_look_at_it};
  if (!facts.strangers.empty()) {
    finding.cause += cat(", but ", facts.strangers.size() == 1 ? "a machine asks that is" : "machines ask that are",
                         " no node's: it may be this one, with another card than the node has.");
    finding.evidence.push_back(cat("no node's: ", join(facts.strangers, ", ")));
    finding.next =
        cat("compare the label with hearth node list --waiting; then ", corrected(facts), ". Else ", finding.next);
  } else if (seconds < k_post_seconds) {
    finding.cause += cat(" yet: its boot began ", seconds, " s ago.");
    finding.next = cat("wait: servers take minutes from power-on to their network boot. Then ", finding.next);
  } else {
    finding.cause += ".";
  }
  return finding;
}

/// An answer that was refused, or a transfer that broke.
std::optional<Finding> refused(const Seen& seen, const BootFacts& facts) {
  if (seen.bad == nullptr) return std::nullopt;
  const std::string outcome = text_in(*seen.bad, "outcome");
  const auto has = [&](const char* words) { return outcome.find(words) != std::string::npos; };
  Finding finding{.cause = "", .evidence = evidence_of(seen, facts), .next = ""};
  if (has("can't be kept: ") && has("postgres")) {
    finding.cause = "The seed can't keep leases, so nobody gets an address: its database does not take them.";
    finding.next = "see to the database that is named there (hearth help postgresql); nothing needs to be restarted";
  } else if (has("can't be kept")) {
    finding.cause = "The seed can't keep leases, so nobody gets an address: its disk is full or takes no writes.";
    finding.next = "make room on the seed's disk (df); nothing needs to be restarted";
  } else if (has("no free address")) {
    finding.cause = "The pool of its network has no address left.";
    finding.next = "make the pool larger in the site file, or its leases shorter (network.lease_s)";
  } else if (has("no network of this site")) {
    finding.cause = "Its requests come from a network that the site file does not describe.";
    finding.next = "add the network to the site file, or move the machine's cable to the right VLAN";
  } else if (has("someone else uses")) {
    finding.cause = "Another machine uses the address that was meant for it.";
    finding.next = "find it by the address, or take the address out of the pool in the site file";
  } else if (has("it may not have")) {
    finding.cause = "It asks for an address of another network or another server, which it may not have.";
    finding.next = "it should ask for a new one by itself; if not: another DHCP server is on its network";
  } else if (has("fell silent")) {
    finding.cause = cat("The transfer of ", text_in(*seen.bad, "what"), " broke off: packets are lost on the way.");
    finding.next = "look for a bad cable, a firewall that lets only port 69 pass, or an MTU that is too small";
  } else if (has("the client stopped")) {
    finding.cause = cat("Its firmware broke the transfer of ", text_in(*seen.bad, "what"), " off.");
    finding.next = "a firmware of another kind than the loader? hearth pxe explain SITE MAC says what each kind gets";
  } else {
    finding.cause = cat("It asked for ", text_in(*seen.bad, "what"), " and did not get it: ", outcome, ".");
    finding.next = "hearth pxe explain SITE MAC says what it would get, and why";
  }
  return finding;
}

/// By the farthest step that it was seen to take.
Finding stopped_behind(const Seen& seen, const BootFacts& facts) {
  Finding finding{.cause = "", .evidence = evidence_of(seen, facts), .next = ""};
  if (seen.kernels > 1) {
    finding.cause = cat("It has started the ramdisk ", seen.kernels,
                        " times without calling back: the ramdisk ends early, or can't reach the conductor.");
    finding.next =
        "look at its console: the last lines before it starts again. Less than 1 GiB of memory is too little";
  } else if (seen.kernels == 1) {
    finding.cause = "It has the kernel, and the ramdisk has not called back.";
    finding.next =
        "give it two minutes; then its console: a kernel panic, no driver for its card, or an address of the conductor "
        "that it can't reach (node serve --agent-url)";
  } else if (seen.scripts > 0) {
    finding.cause = "The loader runs and has its script, and fetches no kernel.";
    finding.next =
        "its console has the loader's message: often no driver for the card, or no way to the seed's HTTP port";
  } else if (seen.loaders > 0) {
    finding.cause = "It fetched the loader, and no kernel: the firmware does not start the loader.";
    finding.next =
        "with Secure Boot: only a signed loader starts (hearth help uefi); else the loader is for another firmware: "
        "hearth pxe explain SITE MAC";
  } else if (!seen.other_server.empty()) {
    finding.cause =
        cat("Another DHCP server, ", seen.other_server, ", answers on its network: it took that one's offer.");
    finding.next =
        "switch that server off, or keep it from this network; or leave addresses to it: mode proxy in the site file";
  } else if (!seen.asks_to_boot) {
    finding.cause =
        "It asks for an address, and not to boot: a system on its disk does that, or firmware that is not to boot by "
        "network.";
    finding.next =
        "look at its console and its boot order: the network is to stand before the disk, for this boot at least";
  } else if (seen.requests > 0) {
    finding.cause = "It has an address, and asks for no loader.";
    finding.next =
        "a firewall between it and the seed (UDP 69, TCP 80)? Does its firmware boot from the network, or only ask for "
        "an address?";
  } else if (seen.as_proxy) {
    finding.cause =
        "It was told what to boot, and asks for no loader: it got no address, or ignores the second answer.";
    finding.next =
        "does the site's own DHCP server give it an address? Is UDP 4011 and 69 open between it and the seed? Two "
        "servers of boot are one too many: the other one is to name no boot file";
  } else {
    finding.cause = "It asks for an address, is offered one, and does not take it.";
    finding.next =
        "another DHCP server answers first (the service's log names those that it hears), or offers get lost: a relay "
        "without a way back, or spanning tree that holds the port";
  }
  return finding;
}

}  // namespace

Finding boot_cause(const BootFacts& facts) {
  if (facts.macs.empty()) {
    return {"The node has no port: none of its cards is known, so no boot can be told to be its machine's.",
            {"its list of ports is empty"},
            "give its MAC address in the inventory, and import that again (hearth node import)"};
  }
  if (facts.off) {
    return {"Its machine is off, although it was switched on: its BMC says so.",
            {"power state: power off"},
            cat("look at it: power supply, a fuse, a POST that ends; then hearth node power on ", facts.node)};
  }
  if (!facts.log) {
    return {
        "Its machine has not called back, and this conductor does not see its boot: other servers do that.",
        {facts.heard.empty() ? "nothing was heard of its machine" : facts.heard},
        "look at the logs of the DHCP and TFTP servers, or let Hearth boot machines: hearth node serve --boot SITE"};
  }
  const Seen seen = seen_of(facts);
  if (seen.lines.empty()) return silent(facts);
  if (std::optional<Finding> finding = refused(seen, facts)) return *finding;
  if (seen.kernels > 0 && seen.vain != nullptr) {
    Finding finding = in_vain("Its ramdisk runs, and", *seen.vain);
    finding.evidence = evidence_of(seen, facts);
    return finding;
  }
  return stopped_behind(seen, facts);
}

std::optional<Finding> unasked_cause(const std::string& server, const std::optional<Json>& log, Stamp now) {
  std::vector<const Json*> lines;
  if (log) {
    for (const Json& line : *log) lines.push_back(&line);
  }
  if (lines.empty()) return std::nullopt;
  const auto vain = std::find_if(lines.rbegin(), lines.rend(),
                                 [](const Json* line) { return is_overheard(*line) && !is_for_time(*line); });
  const auto kernel = std::find_if(lines.rbegin(), lines.rend(),
                                   [](const Json* line) { return text_in(*line, "what").ends_with("kernel"); });
  if (vain < kernel) {
    Finding finding = in_vain(cat("The machine of ", server), **vain);
    finding.evidence = newest_of(lines, now);
    finding.evidence.push_back(cat(server, " has never asked for its metadata"));
    return finding;
  }
  const bool leased = text_in(*lines.back(), "protocol") == "dhcp" && text_in(*lines.back(), "what") == "REQUEST";
  std::vector<std::string> evidence = newest_of(lines, now);
  evidence.push_back(cat(server, " has never asked for its metadata"));
  const auto seconds = static_cast<long>(static_cast<double>(now) / 1e6 - time_of(*lines.back()));
  if (!leased && seconds < k_start_seconds) {
    return Finding{cat("The machine of ", server, " was last seen by the boot servers ", std::max(0L, seconds),
                       " s ago, and its system has not asked for its metadata yet: servers take minutes to start."),
                   std::move(evidence),
                   cat("wait, ", k_start_seconds / 60, " minutes from then; after that look at its console")};
  }
  if (!leased) {
    return Finding{cat("The machine of ", server,
                       " was seen by the boot servers, and its system has neither asked for an address nor for its "
                       "metadata: it does not start, or has its addresses from elsewhere."),
                   std::move(evidence), "look at its console: does its system come up, and has its card an address?"};
  }
  return Finding{cat("The machine of ", server,
                     " is up and has an address, and does not find the metadata's service. Nothing was overheard that "
                     "failed on its own network: so its name server runs and does not know the name, the address lies "
                     "behind a router, or the agent does not run."),
                 std::move(evidence),
                 "compare the URL of the metadata with what the machine's network reaches: dns and router in the site "
                 "file, a firewall between; on it: hearth-agent doctor"};
}

std::optional<Finding> vain_cause(const std::optional<Json>& log, Stamp now) {
  constexpr double k_fresh = 600;
  if (!log) return std::nullopt;
  const Json* vain = nullptr;
  std::vector<const Json*> lines;
  for (const Json& line : *log) {
    lines.push_back(&line);
    if (is_overheard(line) && static_cast<double>(now) / 1e6 - time_of(line) < k_fresh)
      vain = &line;
    else if (text_in(line, "what") == "DISCOVER" || text_in(line, "what").ends_with("kernel"))
      vain = nullptr;  // it has been started anew since
  }
  if (vain == nullptr) return std::nullopt;
  Finding finding = in_vain(std::string(k_system_in_vain), *vain);
  finding.evidence = newest_of(lines, now);
  return finding;
}

}  // namespace hearth::bootstrap::why
