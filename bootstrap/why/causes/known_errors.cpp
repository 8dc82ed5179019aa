#include "bootstrap/why/causes/known_errors.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.hpp"

namespace hearth::bootstrap::why {

namespace {

/// A row fits a text in which one of `any` stands, and all of `with`; words in small letters. The first that fits
/// counts: special ones stand before general ones. In `next` "{}" is the node, "{driver}" what its driver's keys begin
/// with.
struct Row {
  std::array<std::string_view, 8> any;
  std::array<std::string_view, 2> with;
  std::string_view cause;
  std::string_view next;
};

/// The image, the disk, the machine while it is worked at: whoever says it.
constexpr auto k_rows = std::to_array<Row>({
    {{"the checksum of the image", "image failed to verify against checksum", "verifying image checksum"},
     {},
     "The image that was fetched is not the one that the node was told of: its checksum differs.",
     "publish the image and its checksum together (hearth image load FILE), then hearth node deploy {}"},
    {{"has a signature that does not hold"},
     {},
     "The image is signed by another key than this site trusts, or was changed after it was signed.",
     "sign it with this site's key (hearth image publish --help), then hearth node deploy {}"},
    {{"is not signed, but this site asks for it"},
     {},
     "The image is not signed, and this site takes signed images only.",
     "sign it with this site's key (hearth image publish --help), then hearth node deploy {}"},
    {{"is not what the image's map says", "no zstd frame of", "is broken", "image is cut off", "ends too early"},
     {"image"},
     "The image's file is damaged: it was cut off or changed on its way to the server.",
     "publish it again and compare with hearth image verify, then hearth node deploy {}"},
    {{"the image changed on the server"},
     {},
     "The image was replaced on its server while the machine fetched it.",
     "publish new images under new names, then hearth node deploy {}"},
    {{"too small: it has", "too small for image"},
     {},
     "The machine's disk is smaller than the image.",
     "choose another disk (hearth node set {} --property root_device=…), or build the image smaller (--image-size)"},
    {{"no disk fits a root device of at least 4 gib"},
     {},
     "The machine has no disk of 4 GiB or more that an image could be written to.",
     "compare with the disks that are listed; one that is missing there needs its controller's driver in the ramdisk, "
     "or is not plugged in"},
    {{"no suitable device was found"},
     {},
     "No disk of the machine is what properties/root_device asks for.",
     "compare with the disks that are listed, then hearth node set {} --property root_device='{\"serial\": \"…\"}'"},
    {{"fit several disks"},
     {},
     "Several disks are what properties/root_device asks for, and which is meant can't be known.",
     "add the serial number: hearth node set {} --property root_device='{\"serial\": \"…\"}'"},
    {{"is in use: nothing was written"},
     {},
     "The disk is in use in the ramdisk: it belongs to RAID, LVM or multipath.",
     "hearth node clean {} takes the old signatures away; then deploy again"},
    {{"counts sectors of"},
     {},
     "The image is made for disks with another size of sectors.",
     "build it with DIB_BLOCK_SIZE as the disk has it"},
    {{"has no partition table: it is no whole disk"},
     {},
     "The image is a file system, not a whole disk, and the node was not told so.",
     "hearth node deploy {} --image IMAGE --root-gb GIB"},
    {{"holds no ext4, xfs or btrfs"},
     {},
     "The node was told of a partition image, and the image is none.",
     "hearth node deploy {} --image IMAGE without --root-gb"},
    {{"no efi system partition", "has no loader: neither efi"},
     {},
     "The machine boots by UEFI, and the image can't: it has no EFI loader.",
     "build it with the element block-device-efi; or switch the machine to BIOS in its firmware, where it has that, "
     "and "
     "tell so: hearth node set {} --capability boot_mode:bios. Then hearth node deploy {}"},
    {{"was not started by uefi"},
     {},
     "The machine was started by BIOS, and the node says UEFI.",
     "hearth node set {} --capability boot_mode:bios, then hearth node deploy {}. If it is to boot by UEFI, switch it "
     "in "
     "its firmware, not here"},
    {{"neither grub-install nor grub2-install"},
     {},
     "The image brings no GRUB for the machine's firmware.",
     "build it with the element bootloader, or deploy a whole-disk image"},
    {{"write protection", "read-only: nothing", "operation not permitted"},
     {"erase", "disk"},
     "The disk is write-protected.",
     "take its write protection away, or the disk out of the machine"},
    {{"input/output error"},
     {},
     "The machine's disk is broken: it takes no writes.",
     "replace the disk, then hearth node deploy {}"},
    {{"no space left on device"}, {}, "A disk is full.", "make room where the text says, then try again"},
    {{"does not fit into memory"},
     {},
     "The machine has too little memory to hold an image that can't be written as it comes.",
     "serve it as a file with ranges, or publish it as frames: hearth image publish --help"},
    {{"the config drive"},
     {"the server answers"},
     "The server of the node's config drive does not give it to the machine.",
     "hearth node deploy {} --config-drive FILE sends it along instead"},
    {{"tls is spoken here", "what it answers is tls", "sent to https port", "ssl-enabled server port",
      "to an https server"},
     {"image"},
     "The image's address says http://, and its server speaks TLS there.",
     "hearth node deploy {} --image https://…, or load it first: hearth image load FILE"},
    {{"what it answers is no tls", "wrong version number"},
     {"image"},
     "The image's address says https://, and its server speaks no TLS there.",
     "hearth node deploy {} --image http://…, or load it first: hearth image load FILE"},
    {{"has no checksum for"},
     {},
     "The list of checksums that the node was told of has none for its image.",
     "add it there, or name it: hearth node deploy {} --image URL --sha256 HEX"},
    {{"status 404", "status code 404", "http 404", "answered 404", "answers 404", "answers 410"},
     {"image"},
     "The image's server has no file of that name.",
     "hearth image load FILE, then hearth node deploy {} --image NAME"},
    {{"an image is not written unchecked"},
     {},
     "The node was told of an image without its checksum.",
     "hearth node deploy {} --image URL --sha256 HEX, or load it first: hearth image load FILE"},
    {{"instance_info has no image_source"},
     {},
     "The node was told of no image.",
     "hearth node deploy {} --image IMAGE"},
    {{"no root_gb"},
     {},
     "The image is a file system, and nobody said how large its partition is to be.",
     "hearth node deploy {} --image IMAGE --root-gb GIB"},
    {{"is no http url"}, {}, "The image's address is none that a machine can fetch.", "give a URL of http or https"},
    {{"this ramdisk has no "},
     {"step"},
     "The deploy ramdisk has no step of that name.",
     "its steps are in hearth help life-of-a-machine, those of a BMC in hearth help bmc; then the same verb with one "
     "of "
     "them"},
    {{"bios settings are not supported", "does not support raid", "does not support bios", "does not support firmware"},
     {},
     "The machine's BMC does not offer that (the BMCs that hearth rehearse plays have no BIOS settings, RAID and "
     "firmware).",
     "leave that step out, or look whether the BMC has it under another driver or licence"},
    {{"booted again in the middle of the work", "knows nothing of the order any more"},
     {},
     "The machine restarted in the middle of the work: it lost power, or its kernel crashed.",
     "look at its power and its console, then the same verb again"},
    {{"the agent of node"},
     {"has not answered since"},
     "The ramdisk fell silent in the middle of the work.",
     "look at the machine's console and cable, then the same verb again"},
    {{"no network interface that the ramdisk has a driver for"},
     {},
     "The deploy ramdisk has no driver for the machine's network card.",
     "build it with DIB_DEPLOY_RAMDISK_MODULES"},
    {{"was aborted by request"}, {}, "A person ended it.", "the same verb again, when it is wanted"},
});

/// What the ramdisk says of servers that it fetches the image from.
constexpr auto k_server_rows = std::to_array<Row>({
    {{"answers 401", "answers 403", "status 401", "status 403", "status code 401", "status code 403", "http 401",
      "http 403"},
     {"image"},
     "The image's server does not let the machine have the image.",
     "let the machines' network fetch it there, or hearth image load FILE, then hearth node deploy {} --image NAME"},
    {{"answers 5", "status 50", "status code 50", "http 50", "answers 429"},
     {"image"},
     "The image's server fails.",
     "look at that server's log, then hearth node deploy {}"},
    {{"not yet valid", "not yet activated"},
     {"certificate"},
     "The machine's clock is behind: there, the certificate of the image's server is not valid yet.",
     "give the machines a time server (ntp in the site file), or set the machine's clock in its firmware, in UTC; then "
     "hearth node deploy {}"},
    {{"has expired"},
     {"certificate"},
     "The certificate of the image's server has expired, or the machine's clock is ahead.",
     "renew it there, or set the machine's clock in its firmware, in UTC; then hearth node deploy {}"},
    {{"hostname mismatch", "ip address mismatch"},
     {"certificate"},
     "The certificate of the image's server is for another name than the image's URL has.",
     "take the name that is in the certificate: hearth node deploy {} --image URL"},
    {{"does not hold", "certificate verify failed", "self-signed", "self signed"},
     {"image", "certificate"},
     "The certificate of the image's server is signed by nobody that the deploy ramdisk trusts.",
     "build the ramdisk with its authority, or serve the image by HTTP: its checksum is compared; then hearth node "
     "deploy {}"},
    {{"name or service not known", "temporary failure in name resolution", "no address associated", "looking up",
      "address lookup", "failed to resolve"},
     {"image"},
     "The deploy ramdisk can't look up the name of the image's server.",
     "give the machines' network a name server (dns in the site file), or the image by address; then hearth node "
     "deploy {}"},
    {{"connection refused"},
     {"image"},
     "At the address of the image's server nothing listens at that port.",
     "start that server, or correct the image's URL; then hearth node deploy {}"},
    {{"no route to host", "network is unreachable", "host is down", "timed out", "timeout", "the connection broke",
      "connection reset", "connection aborted"},
     {"image"},
     "The machine does not reach the image's server, or the connection breaks.",
     "look for a router (router in the site file), a firewall, or an MTU that is too small between them; then hearth "
     "node deploy {}"},
});

/// What drivers say of BMCs, and their programs.
constexpr auto k_bmc_rows = std::to_array<Row>({
    {{"has no systems", "redfish_system_id says which"},
     {},
     "The BMC manages several systems, and which one is the node is not said.",
     "hearth node set {} --driver-info {driver}_system_id=…, then hearth node manage {}"},
    {{"there is no driver"},
     {},
     "The node's driver is none that this conductor has.",
     "hearth node drivers lists them; hearth node set {} --driver DRIVER"},
    {{"is missing:", "is no port", "is none of", "is no url"},
     {},
     "The node's driver_info is not complete, or has a value that is none.",
     "hearth node validate {}; hearth node drivers DRIVER says what each key is"},
    {{"(the package"},
     {},
     "The conductor's machine lacks the program that speaks to the BMC.",
     "install the package that the text names, then hearth node manage {}"},
    {{"not yet valid", "not yet activated"},
     {"certificate"},
     "The BMC's certificate is not valid yet: this machine's clock is behind, or the BMC's was ahead when it was made.",
     "compare both clocks (date -u); then hearth node manage {}"},
    {{"has expired"},
     {"certificate"},
     "The BMC's certificate has expired, or this machine's clock is ahead.",
     "make a new one in the BMC's page, and compare the clock (date -u); then hearth node manage {}"},
    {{"hostname mismatch", "ip address mismatch"},
     {"certificate"},
     "The BMC's certificate is for another name than the node's address of it.",
     "hearth node set {} --driver-info {driver}_address=https://NAME, as the certificate has it (where nobody else is "
     "on the BMCs' network, {driver}_verify_ca=false serves, too); then hearth node manage {}"},
    {{"does not hold", "certificate verify failed", "self-signed", "self signed"},
     {"certificate"},
     "The BMC's certificate is signed by nobody that the conductor trusts.",
     "hearth node set {} --driver-info {driver}_verify_ca=FILE, then hearth node manage {}. FILE (PEM) holds its "
     "authority, or the certificate itself where the BMC made it: openssl s_client -connect BMC:443 </dev/null | "
     "openssl x509 >FILE. Where nobody else is on the BMCs' network, false in place of FILE"},
    {{"locked out", "account is locked", "accountlocked", "account locked", "login attempts"},
     {},
     "The BMC has locked the user's account, as after wrong passwords.",
     "wait until it opens it again, or open it in the BMC's page; with the right password (hearth node set {} "
     "--driver-info {driver}_password=…), then hearth node manage {}"},
    {{"log-in: http 2", "log-in: http 3", "its root: http 2", "its root: http 3"},
     {"bmc"},
     "What answers at the BMC's address is a web server, and no Redfish service.",
     "correct the address, or switch Redfish on in the BMC: hearth node set {} --driver-info {driver}_address=…; then "
     "hearth node manage {}"},
    {{"not in the list", "propertyvaluenotinlist"},
     {"http 400"},
     "The BMC does not take what it was asked for, such as a boot device that it does not have.",
     "look in the BMC's or the firmware's page whether it is switched off there (boot from the network, UEFI); else "
     "hearth node validate {}, and the BMC's newest firmware; then hearth node manage {}"},
    {{"http 403", "insufficient privilege"},
     {},
     "The BMC knows the user, and does not allow him this.",
     "give the user the role of an operator in the BMC, then hearth node manage {}"},
    {{"permission denied (publickey"},
     {},
     "The machine that runs libvirt refuses the conductor's SSH key.",
     "put the public key of the conductor's user into ~/.ssh/authorized_keys there; then hearth node manage {}"},
    {{"no mechanism available", "no worthy mechs"},
     {"sasl"},
     "The conductor's machine and libvirt's have no way of logging in (SASL mechanism) in common.",
     "install the package of the mechanism that mech_list in /etc/sasl2/libvirt.conf there names (libsasl2-modules, "
     "libsasl2-modules-gssapi-mit); then hearth node manage {}"},
    {{"no kerberos credentials", "credentials cache", "gssapi error", "ticket expired"},
     {"sasl"},
     "libvirt asks for a Kerberos ticket, and the conductor's user has none that holds.",
     "kinit as the conductor's user, or let libvirt take a password (mech_list in /etc/sasl2/libvirt.conf there); then "
     "hearth node manage {}"},
    {{"failed to collect auth credentials", "no authentication callback", "requires interactive"},
     {},
     "libvirt asks for a user and a password, and the conductor has none to give.",
     "write them into the file libvirt/auth.conf of the conductor's user; then hearth node manage {}"},
    {{"sasl(-13)", "step sasl negotiation"},
     {"libvirt"},
     "libvirt refuses the user or the password.",
     "correct them in the file libvirt/auth.conf of the conductor's user; then hearth node manage {}"},
    {{"authentication failed"},
     {"libvirt"},
     "libvirt refuses the user that its URI names.",
     "correct it: hearth node set {} --driver-info libvirt_uri=…; then hearth node manage {}"},
    {{"http 401", "wrong user or password", "hmac is invalid", "unauthorized name", "invalid user name",
      "authentication failed", "unauthorized", "returned 401"},
     {},
     "The BMC refuses the user or the password.",
     "correct it in the inventory and import it again, or hearth node set {} --driver-info {driver}_username=… "
     "--driver-info {driver}_password=…; then hearth node manage {}"},
    {{"http 404"},
     {"bmc"},
     "The BMC answers, and has no such system: redfish_system_id, or the address, is another machine's.",
     "hearth node set {} --driver-info {driver}_system_id=…, then hearth node manage {}"},
    {{"http 429", "http 503", "node busy", "insufficient resources", "out of resources"},
     {},
     "The BMC is busy, or has no session left.",
     "if it lasts, restart the BMC (most have a reset in their page); then hearth node manage {}"},
    {{"name or service not known", "temporary failure in name resolution", "no address associated", "address lookup",
      "nodename nor servname"},
     {},
     "The BMC's name can't be looked up.",
     "mend the name service of this machine, or give the BMC's address instead of a name"},
    {{"looking up"}, {"timed out"}, "The name service does not answer.", "mend the name service of this machine"},
    {{"connection refused"},
     {},
     "There is a machine at the BMC's address, and nothing listens at that port: the service is switched off in the "
     "BMC, or the address is another machine's.",
     "switch Redfish or IPMI over LAN on in the BMC, or correct the address; then hearth node manage {}"},
    {{"no route to host", "network is unreachable", "host is down", "could not open socket"},  // the last: ipmitool
     {},
     "There is no way from here to the BMC's address.",
     "check its cable, the management network's VLAN and this machine's routes"},
    {{"reading the answer", "tls handshake", "waiting for", "reading from"},
     {"bmc", "timed out"},
     "Something takes the connection at the BMC's address, and never answers: a BMC that hangs, as a rule.",
     "restart the BMC (its power cable, where nothing else helps); then hearth node manage {}"},
    {{"unable to establish", "timed out", "no response", "does not answer", "timeout"},
     {"bmc"},
     "Nothing answers at the BMC's address.",
     "check the address, the BMC's cable and, for IPMI, that IPMI over LAN is switched on; then hearth node manage "
     "{}"},
    {{"does not go off", "but the machine is still"},
     {},
     "The BMC said yes, and the machine did not follow.",
     "look at the machine: a power button, a fuse, or a BMC that hangs and is to be reset"},
    {{"can't boot from", "has no boot device", "allows none of"},
     {},
     "The BMC can't do what was asked of it.",
     "compare with what it can, as the text lists"},
    {{"does not tell the power"},
     {},
     "The BMC answers, and not with a power state.",
     "reset the BMC; if it lasts, update its firmware"},
});

const Row* row_in(std::span<const Row> rows, const std::string& small) {
  const auto has = [&](std::string_view words) { return !words.empty() && small.find(words) != std::string::npos; };
  for (const Row& row : rows) {
    if (!std::any_of(row.any.begin(), row.any.end(), has)) continue;
    if (std::all_of(row.with.begin(), row.with.end(),
                    [&](std::string_view words) { return words.empty() || has(words); }))
      return &row;
  }
  return nullptr;
}

/// The ramdisk says it, or its conductor of the ramdisk: of no BMC then, whatever of HTTP or connections it tells.
bool is_of_ramdisk(const std::string& small) {
  constexpr std::array<std::string_view, 4> k_words = {"agent returned error", "agent http", "the agent answers",
                                                       "the inspection ended with an error"};
  return std::any_of(k_words.begin(), k_words.end(),
                     [&](std::string_view words) { return small.find(words) != std::string::npos; });
}

/// What the keys of its driver begin with: its name, but for Dell's (inventory/drivers.cpp).
std::string keys_prefix(const std::string& driver) { return driver == "idrac" ? "drac" : driver; }

}  // namespace

std::optional<Finding> known_error(const std::string& text, const std::string& node, const std::string& driver) {
  const std::string small = to_lower(text);
  const Row* row = row_in(k_rows, small);
  if (row == nullptr) row = is_of_ramdisk(small) ? row_in(k_server_rows, small) : row_in(k_bmc_rows, small);
  if (row == nullptr) return std::nullopt;
  std::string next = replace_all(std::string(row->next), "{driver}", keys_prefix(driver));
  return Finding{
      .cause = std::string(row->cause), .evidence = {text}, .next = replace_all(std::move(next), "{}", node)};
}

}  // namespace hearth::bootstrap::why
