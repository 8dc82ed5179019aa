#include "pxe/boot/answer.hpp"

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

/// What boots over the network: a profile, its files under their names on our servers, or as URLs.
struct Payload {
  std::string kernel;
  std::string ramdisk;  ///< empty = none
  KernelArguments append;
};

bool is_url(const std::string& text) { return text.find("://") != std::string::npos; }

/// For comments: what is no printable character stands as "?", whoever let it in.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

const Profile* profile_of(const Site& site, const BootPlan& plan) {
  if (plan.state == BootState::local || plan.state == BootState::hold) return nullptr;
  if (plan.node != nullptr && plan.node->profile) return &*plan.node->profile;
  const auto found = site.profiles.find(plan.state);
  return found == site.profiles.end() ? nullptr : &found->second;
}

std::optional<Payload> payload_for(const Site& site, const BootPlan& plan) {
  const Profile* profile = profile_of(site, plan);
  if (profile == nullptr) return std::nullopt;
  const bool own = plan.node != nullptr && plan.node->profile;
  const std::string folder = own ? cat("image/node/", plan.node->id, '/') : cat("image/", state_name(plan.state), '/');
  const auto name = [&](const BootSource& source, const char* served) {
    return source.empty() || source.is_url() ? source.text() : folder + served;
  };
  Payload payload{name(profile->kernel, "kernel"), name(profile->ramdisk, "ramdisk"), profile->append};
  if (plan.node != nullptr) payload.append = payload.append.with(plan.node->append);
  return payload;
}

std::string header(const BootPlan& plan) { return cat("# ", one_line(plan.reason), '\n'); }

std::string ipxe_local() {
  // BIOS: the first disk. UEFI: a code other than 0, or the firmware believes that the boot has succeeded and stops.
  return "iseq ${platform} pcbios && goto bios || exit 1\n"
         ":bios\nsanboot --no-describe --drive 0x80 || exit\n";
}

std::string ipxe_hold(const std::string& self) {
  return cat("echo This machine is on hold: asking again in 30 seconds\nsleep 30\nchain --replace ", self,
             " || reboot\n");
}

std::string ipxe_payload(const Payload& payload, const std::string& base) {
  const auto url = [&](const std::string& name) { return is_url(name) ? name : cat(base, '/', name); };
  const std::string ramdisk = payload.ramdisk.empty() ? "" : " initrd=ramdisk";
  std::string script = cat(":try\nimgfree\nkernel ", url(payload.kernel), ramdisk, " BOOTIF=01-${netX/mac:hexhyp} ",
                           payload.append.text(), " || goto again\n");
  if (!payload.ramdisk.empty()) script += cat("initrd --name ramdisk ", url(payload.ramdisk), " || goto again\n");
  return script + "boot || goto again\n:again\necho Could not fetch: trying again in 5 seconds\nsleep 5\ngoto try\n";
}

}  // namespace

NodeRef find_node(const NodeBook& nodes, const Client& client) {
  return nodes.find({.mac = client.mac, .uuid = client.uuid, .circuit = client.circuit});
}

BootPlan plan_for(const Site& site, const NodeBook& nodes, const Client& client) {
  BootPlan plan = plan_for(site, find_node(nodes, client));
  plan.undecided = plan.node == nullptr && !plan.ignored && nodes.has_serial_only();
  return plan;
}

BootPlan plan_for(const Site& site, NodeRef found) {
  BootPlan plan{.node = std::move(found)};
  const Node* node = plan.node.get();
  if (node != nullptr) {
    plan.state = node->state;
    plan.reason =
        cat("node ", node->name.empty() ? "without a name" : node->name, " is in state ", state_name(node->state));
  } else {
    plan.ignored = site.unknown == UnknownPolicy::ignore;
    plan.state = site.unknown == UnknownPolicy::inspect ? BootState::inspect : BootState::local;
    plan.reason = cat("not in the inventory, where the policy is ", plan.ignored ? "ignore" : state_name(plan.state));
  }
  const bool needs_profile = plan.state != BootState::local && plan.state != BootState::hold;
  if (needs_profile && profile_of(site, plan) == nullptr) {
    plan.reason += cat(", but there is no profile for ", state_name(plan.state), ": on hold");
    plan.state = BootState::hold;
  }
  return plan;
}

std::string http_base(const Site& site, Ipv4 server) {
  return cat("http://", to_text(server), site.http_port == 80 ? "" : cat(':', site.http_port));
}

BootOffer boot_offer(const Site& site, const BootPlan& plan, const Client& client, Ipv4 server) {
  const std::string base = http_base(site, server);
  const bool local = plan.state == BootState::local && !plan.undecided;
  const bool secure = plan.node != nullptr && plan.node->secure_boot;
  const bool firmware = client.kind == Client::Kind::pxe || client.kind == Client::Kind::ipxe;
  if (firmware && client.is_bios() && !local && plan.node != nullptr && plan.node->pxelinux)
    return {"pxelinux.0", false, "PXELINUX by TFTP, as its inventory says"};
  switch (client.kind) {
    case Client::Kind::other: return {.explanation = "an address only: it does not ask to boot"};
    case Client::Kind::ipxe: return {cat(base, "/ipxe/", with_dashes(client.mac)), true, "its script, as it is iPXE"};
    case Client::Kind::http:
      if (client.arch != 16) return {.explanation = cat("no boot file for ", arch_name(client.arch))};
      return {cat(base, "/boot/", secure ? "shimx64.efi" : "snponly.efi"), true, "a loader by HTTP boot"};
    case Client::Kind::pxe: break;
  }
  if (client.arch == 0) {
    if (local) return {.explanation = "no boot file: the BIOS goes on to its disk"};
    return {"undionly.kpxe", false, "iPXE by TFTP, as BIOS"};
  }
  if (client.arch != 7 && client.arch != 9) return {.explanation = cat("no boot file for ", arch_name(client.arch))};
  // GRUB hands over to the disk's loader in 10 s; the firmware left to itself takes minutes.
  if (local || secure)
    return {"shimx64.efi", false, local ? "GRUB, which starts the disk's loader" : "signed shim and GRUB"};
  return {"snponly.efi", false, "iPXE by TFTP, as UEFI"};
}

std::string ipxe_script(const Site& site, const BootPlan& plan, const Mac& mac, Ipv4 server) {
  const std::string script = "#!ipxe\n" + header(plan);
  const std::string base = http_base(site, server);
  if (plan.state == BootState::local) return script + ipxe_local();
  const std::optional<Payload> payload = payload_for(site, plan);
  if (!payload) return script + ipxe_hold(cat(base, "/ipxe/", with_dashes(mac)));
  return script + ipxe_payload(*payload, base);
}

std::string ipxe_identify(const Site& site, Ipv4 server) {
  return cat("#!ipxe\n# no node has this MAC address: perhaps one has its serial number\nchain --replace ",
             http_base(site, server), "/ipxe/${netX/mac:hexhyp},uuid=${uuid},serial=${serial:uristring} || exit 1\n");
}

std::string pxelinux_config(const Site& site, const BootPlan& plan, Ipv4 /*server*/) {
  const std::string config = header(plan) + "DEFAULT hearth\nPROMPT 0\nTIMEOUT 1\nLABEL hearth\n";
  if (plan.state == BootState::local) return config + "  LOCALBOOT 0\n";
  const std::optional<Payload> payload = payload_for(site, plan);
  if (!payload || is_url(payload->kernel + payload->ramdisk)) return config + "  SAY On hold\n  LOCALBOOT -1\n";
  return cat(config, "  KERNEL ::", payload->kernel, "\n",
             payload->ramdisk.empty() ? "" : cat("  INITRD ::", payload->ramdisk, "\n"), "  APPEND ",
             payload->append.text(), "\n  IPAPPEND 2\n");
}

std::string grub_config(const Site& site, const BootPlan& plan, Ipv4 /*server*/) {
  const std::string config = header(plan) + "set timeout=0\n";
  if (plan.state == BootState::local) {
    return config +
           "insmod part_gpt\ninsmod fat\n"
           "for name in debian/shimx64 ubuntu/shimx64 centos/shimx64 redhat/shimx64 fedora/shimx64 opensuse/shim "
           "BOOT/BOOTX64; do\n"
           "  if search --no-floppy --set=disk --file /EFI/$name.efi; then\n"
           "    chainloader ($disk)/EFI/$name.efi\n    boot\n  fi\ndone\nexit\n";
  }
  const std::optional<Payload> payload = payload_for(site, plan);
  if (!payload || is_url(payload->kernel + payload->ramdisk))
    return config + "echo 'On hold: asking again in 30 seconds'\nsleep 30\nconfigfile /grub/grub.cfg\n";
  return cat(config, "linux /", payload->kernel, " BOOTIF=01-$net_default_mac ", payload->append.text(), "\n",
             payload->ramdisk.empty() ? "" : cat("initrd /", payload->ramdisk, "\n"), "boot\n");
}

}  // namespace hearth::pxe
