#include "bootstrap/site/commands.hpp"

#include <net/if.h>
#include <unistd.h>

#include <map>
#include <set>

#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/site/site_file.hpp"
#include "bootstrap/site/site_questions.hpp"
#include "bootstrap/site/terminal.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr std::uint64_t k_usual_disk = 4;  ///< GiB
constexpr std::size_t k_named_cards = 12;  ///< machines in a note

/// Of machines without a BMC, as a rehearsal may have them.
void tell_of_unmanaged(const SiteFile& site, const std::string& file) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < site.inventory.size(); ++i) {
    if (text_in(site.inventory[i].data, "pm_type").empty()) names.push_back(site.machines[i].name);
  }
  if (names.empty()) return;
  cli::tell(cat("note: ", file, ": no bmc of ", join_first(names, k_named_cards),
                ": a rehearsal plays one; hearth node import needs it (bmc: {type: …})\n"));
}

/// All that is wrong with a site file, at once.
int check_site(const cli::Arguments& arguments) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name one site file");
  const SiteFile site = load_site_file(arguments.operands().front());
  const std::vector<std::string> missing = missing_files(site, arguments.has("seed-image"));
  for (const BlankMachine& machine : site.machines) {
    if (machine.disk_gib >= k_usual_disk) continue;
    cli::tell(cat("warning: machine ", machine.name, ": a disk of ", machine.disk_gib, " GiB is less than the ",
                  k_usual_disk, " that images need as a rule (disk: ", k_usual_disk, "; in a rehearsal only)\n"));
  }
  const Drafts drafts = draft_nodes(site.inventory);
  for (const std::string& line : drafts.warnings) cli::tell(cat("warning: ", line, "\n"));
  for (const std::string& line : missing_passwords(drafts.nodes)) cli::tell(cat("warning: ", line, "\n"));
  tell_of_unmanaged(site, arguments.operands().front());
  if (const std::vector<std::string> doubts = site_doubts(site, arguments.operands().front()); !doubts.empty())
    throw Error(ErrorKind::input, join(doubts, "\n"));
  if (!missing.empty()) throw Error(ErrorKind::input, cat("files are missing or empty\n", join(missing, "\n")));
  if (site.stack.template_file.empty())
    cli::tell(cat("note: ", arguments.operands().front(),
                  ": no stack.template: a rehearsal inspects the machines, writes the image to each and starts it, and "
                  "makes no stack of them (hearth help three-machines)\n"));
  cli::print(cat(site.machines.size(), site.machines.size() == 1 ? " machine in " : " machines in ", site.subnet,
                 ", seed ", site.seed_address, site.stack.template_file.empty() ? "" : cat(", stack ", site.stack.name),
                 ": nothing is wrong\n"));
  return 0;
}

/// A password is in it: what is wrong is told without the rest.
Json bmc_of(const std::string& text) {
  Json bmc = Json::object();
  for (const std::string& pair : split_pairs(text)) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      throw Error(ErrorKind::usage,
                  cat("--bmc: KEY=VALUE is expected, not '", pair, "'", k_commas, "; nothing is written"));
    const std::string key = pair.substr(0, equals);
    const std::string value = pair.substr(equals + 1);
    if (const std::string fault = bmc_fault(key, value); !fault.empty())
      throw Error(ErrorKind::usage, cat("--bmc: ", fault, "; nothing is written"));
    bmc[key] = value;
  }
  return bmc;
}

/// Names and cards of the machines that are there already, and whose file they are from.
using Taken = std::map<std::string, std::string>;

/// Two files may tell of the same machine: that is said, and nothing is written.
void take_names(const Json& machine, const std::string& file, Taken& taken) {
  std::vector<std::string> own = {cat("the name ", text_in(machine, "name"))};
  const Json macs = machine.value("mac", Json());
  for (const Json& mac : macs.is_array() ? macs : Json::array({macs})) {
    if (mac.is_string()) own.push_back(cat("the MAC ", to_lower(mac.get<std::string>())));
  }
  for (const std::string& one : own) {
    const auto [found, fresh] = taken.try_emplace(one, file);
    if (!fresh && found->second != file)
      throw Error(ErrorKind::input, cat("nothing is written: ", one, " is in ", found->second, " and in ", file));
  }
}

/// Adds its machines; what it has that a site file has not, a line each.
std::vector<std::string> take_inventory(SiteDraft& draft, const std::string& file, Taken& taken) {
  const std::optional<ListingFormat> format = format_of(file);
  if (!format) throw Error(ErrorKind::usage, cat("--inventory ", file, ": a .json, .yaml, .csv or .txt is expected"));
  const std::vector<ListingEntry> entries = read_listing(read_file(file), file, *format).value_or_throw();
  Drafts drafts = draft_nodes(entries);
  for (const NodeDraft& node : drafts.nodes) {  // a site's machines have host names
    const std::string fault = node.name.empty() ? "" : machine_name_fault(node.name);
    if (!fault.empty()) drafts.faults.push_back({node.index, cat("name ", fault), entries[node.index].place("name")});
    if (!node.shared_bmc.empty())
      drafts.faults.push_back(
          {node.index,
           cat("the BMC ", node.shared_bmc, " is that of other entries, too, and nothing tells their machines apart"),
           entries[node.index].at});
  }
  if (!drafts.good())
    throw Error(ErrorKind::input, cat("the inventory has faults\n", faults_text(drafts.faults, entries, file)));
  LeftOut left_out;
  std::vector<std::string> in_use;
  std::vector<std::string> notes = drafts.warnings;
  for (std::string& line : missing_passwords(drafts.nodes)) notes.push_back(std::move(line));
  for (const ListingEntry& entry : entries) {
    if (!entry.in_use.empty()) in_use.push_back(cat(text_in(entry.data, "name"), " (", entry.in_use, ")"));
    Json machine = site_machine(entry, left_out);
    if (machine["name"] == "") {
      machine["name"] = cat("node", draft.machines.size() + 1);
      notes.push_back(cat("line ", entry.at.line, ": it is called ", text_in(machine, "name"), " in the site file"));
    }
    take_names(machine, file, taken);
    draft.machines.push_back(std::move(machine));
  }
  if (!in_use.empty())
    notes.push_back(cat("in use, of which a site file knows nothing: ", join(in_use, ", "),
                        "; import such machines from ", file, ", or with --initial-state manageable"));
  for (std::string& line : left_out_lines(left_out)) notes.push_back(std::move(line));
  return notes;
}

/// An inventory of a site's whole network has addresses that the provisioning network has not: NetBox' primary ones.
void leave_out_other_addresses(SiteDraft& draft) {
  const std::optional<pxe::Subnet> subnet = pxe::parse_subnet(draft.subnet);
  std::vector<std::string> left_out;
  for (Json& machine : draft.machines) {
    const std::optional<pxe::Ipv4> address = pxe::parse_ipv4(text_in(machine, "address"));
    if (!subnet || !address || subnet->contains(*address)) continue;
    left_out.push_back(cat(text_in(machine, "name"), " ", text_in(machine, "address")));
    machine.erase("address");
  }
  if (left_out.empty()) return;
  say_to_person(cat("note: left out, as they are not in ", draft.subnet, ": ", join_first(left_out, k_named_cards),
                    "; there these machines get addresses of the pool"));
}

SiteDraft draft_from(const cli::Arguments& arguments) {
  SiteDraft draft;
  const std::vector<std::pair<const char*, std::string*>> texts = {
      {"subnet", &draft.subnet},         {"seed", &draft.seed},           {"pool", &draft.pool},
      {"router", &draft.router},         {"interface", &draft.interface}, {"image", &draft.image},
      {"kernel", &draft.kernel},         {"ramdisk", &draft.ramdisk},     {"seed-image", &draft.seed_image},
      {"template", &draft.template_file}};
  for (const auto& [option, field] : texts) *field = arguments.value_or(option, *field);
  draft.dns = arguments.values("dns");
  draft.ntp = arguments.values("ntp");
  if (const auto bmc = arguments.value("bmc")) draft.bmc = bmc_of(*bmc);
  Taken taken;
  for (const std::string& file : arguments.values("inventory")) {
    for (const std::string& line : take_inventory(draft, file, taken)) say_to_person(cat("note: ", file, ": ", line));
  }
  for (const std::string& text : arguments.values("machine")) {
    Result<Json, std::string> machine = parse_machine_words(text);
    if (!machine) throw Error(ErrorKind::usage, machine.error());
    draft.machines.push_back(std::move(machine).value());
  }
  return draft;
}

/// What the file leaves open, or names that is not on this machine, which need not be the seed.
void tell_of_cards(const SiteFile& site, const std::string& file) {
  std::vector<std::string> silent;
  for (const BlankMachine& machine : site.machines) {
    if (!machine.has_own_firmware) silent.push_back(machine.name);
  }
  if (!silent.empty()) {
    say_to_person(cat("note: ", file, ": nothing is said of how ", join_first(silent, k_named_cards),
                      " boot: by Redfish as their BMCs have it; by IPMI as BIOS, unless the file says firmware: uefi"));
  }
  if (!site.interface.empty() && ::if_nametoindex(site.interface.c_str()) == 0)
    say_to_person(cat("note: ", file, ": this machine has no card ", site.interface,
                      " (ip link); that is as it should be if the seed is another machine"));
}

/// `asked`: how many questions came before.
int write_site(const cli::Arguments& arguments, int asked) {
  if (arguments.operands().size() != 1) throw Error(ErrorKind::usage, "name the site file to write");
  const std::string& file = arguments.operands().front();
  if (format_of(file) != ListingFormat::yaml) throw Error(ErrorKind::usage, cat(file, ": a site file ends in .yaml"));
  if (fs::exists(file) && !arguments.has("force"))
    throw Error(ErrorKind::input, cat(file, " is there already; nothing is written")).hint("--force writes over it");
  SiteDraft draft = draft_from(arguments);
  const bool asks = arguments.has("ask") || (::isatty(STDIN_FILENO) == 1 && !arguments.has("no-questions"));
  if (asks) ask_for_site(draft, ask_person, say_to_person, asked);
  if (const std::vector<std::string> missing = fill_site(draft); !missing.empty())
    throw Error(ErrorKind::usage, cat("nobody is there to be asked, and options are missing\n", join(missing, "\n")));
  if (arguments.has("inventory")) leave_out_other_addresses(draft);
  const std::string text = site_text(draft);
  const Result<SiteFile, std::string> site = parse_site_file(text, file);
  if (!site) throw Error(ErrorKind::input, cat("nothing is written: the file would be wrong\n", site.error()));
  if (const std::vector<std::string> doubts = site_doubts(*site, file); !doubts.empty())
    throw Error(ErrorKind::input, cat("nothing is written: the file would be wrong\n", join(doubts, "\n")));
  tell_of_cards(*site, file);
  for (const std::string& line : shared_places(site->inventory)) say_to_person(cat("note: ", file, ": ", line));
  RealFileSystem().write(file, text, {.mode = 0600, .uid = {}, .gid = {}});  // passwords are in it
  cli::print(cat(file, ": ", site->machines.size(), site->machines.size() == 1 ? " machine in " : " machines in ",
                 site->subnet, ". Next:\n  hearth site check ", file, "        what is missing\n  hearth rehearse ",
                 file, "          play it on this machine", "\n  hearth node serve --boot ", file,
                 " --engine; hearth node import ", file, "\n"));
  return 0;
}

int new_site(const cli::Arguments& arguments) { return write_site(arguments, 0); }

std::vector<cli::Option> new_options() {
  return {
      {"subnet", 0, "NET/LEN", "the provisioning network"},
      {"seed", 0, "ADDRESS", "the seed's in it (its first)"},
      {"pool", 0, "FIRST-LAST", "addresses for machines"},
      {"router", 0, "ADDRESS", "of the network"},
      {"dns", 0, "ADDRESS", "of a name server; may be given more than once"},
      {"ntp", 0, "ADDRESS", "of a time server; may be given more than once"},
      {"interface", 0, "NAME", "the seed's card in that network"},
      {"image", 0, "FILE", "what machines get on their disks (node.qcow2)"},
      {"kernel", 0, "FILE", "what they are deployed with (deploy.kernel)"},
      {"ramdisk", 0, "FILE", "likewise (deploy.initramfs)"},
      {"seed-image", 0, "FILE", "of a seed that is a virtual machine (seed.qcow2)"},
      {"template", 0, "FILE", "of the stack that the machines become"},
      {"bmc", 0, "KEY=VALUE,…",
       "what holds for all BMCs: type=, user=, password= and keys of hearth node drivers; a comma in a value: \\,"},
      {"machine", 0, "KEY=VALUE,…",
       "a machine: name=, mac=, firmware=, profile=, address=, bmc.address= and other keys; may be given more than "
       "once"},
      {"inventory", 0, "FILE", "take the machines from an instackenv.json or its like; may be given more than once"},
      {"ask", 0, "", "ask although standard input is no terminal"},
      {"no-questions", 0, "", "ask nothing: what no option says is as usual"},
      {"force", 0, "", "write over a file that is there"}};
}

/// The second question of `hearth init`: the file of the machines, which most have already; what is wrong with one is
/// said, and it is asked again.
std::optional<std::string> ask_for_inventory() {
  while (true) {
    const std::optional<std::string> said = ask_person(
        "(2 of 9) the inventory of the machines (instackenv.json or its like); nothing to name them one by one", "",
        false);
    if (!said) throw Error(ErrorKind::usage, "the answers ended; nothing is written");
    const std::string file(trim(*said));
    if (file.empty()) return std::nullopt;
    try {
      SiteDraft tried;
      Taken taken;
      (void)take_inventory(tried, file, taken);  // what it tells is told when it is taken
      return file;
    } catch (const Error& error) {
      say_to_person(cat("  ", error.story()));
    }
  }
}

}  // namespace

int ask_for_new_site(const std::string& file) {
  cli::Arguments arguments;
  if (const std::optional<std::string> inventory = ask_for_inventory()) arguments.add("inventory", *inventory);
  arguments.add_operand(file);
  arguments.add("ask", "");
  return write_site(arguments, 2);
}

std::vector<cli::Command> site_commands() {
  return {
      {"site new", "SITE.yaml", "ask for what a site is, and write it down: network, images, machines with their BMCs",
       "Asks on a terminal for what no option says, and checks each answer. The file is the one that hearth rehearse, "
       "seed, node import, node serve --boot, pxe serve and bundle read; it is for its owner only (0600), since "
       "passwords are in it.\n\n"
       "Example: hearth site new site.yaml --no-questions --subnet 192.0.2.0/24 --inventory instackenv.json",
       new_options(), new_site},
      {"site check",
       "SITE.yaml",
       "tell all that is wrong with a site file: places, addresses, machines, files that are missing",
       "Exit codes: 0 nothing, 1 something. No other command needs to be run first.",
       {{"seed-image", 0, "", "the seed's image must be there, too"}},
       check_site}};
}

}  // namespace hearth::bootstrap
