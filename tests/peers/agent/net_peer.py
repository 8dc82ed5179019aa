#!/usr/bin/env python3
"""os-net-config --noop beside the original, for the provider ifcfg and, where the original can do it, eni.

usage: net_peer.py OS_NET_CONFIG
The original is no Debian package: HEARTH_OS_NET_CONFIG_PEER names a program that runs it. HEARTH_OS_NET_CONFIG_SAMPLES names
the folder of its samples (etc/os-net-config/samples): a table tells what each provider makes of each of them, beside the
original where there is one. Skipped where neither is set.
"""

import os
import re
import subprocess
import sys
import tempfile

STATIC = """
- type: interface
  name: em1
  mtu: 1400
  addresses: [{ip_netmask: 192.0.2.1/24}, {ip_netmask: 198.51.100.1/25}]
"""

CASES = {
    "static": ("ifcfg eni", STATIC),
    "dhcp": ("ifcfg eni", "- {type: interface, name: em1, use_dhcp: true}\n- {type: interface, name: em2}\n"),
    "hotplug": ("ifcfg eni", "- {type: interface, name: em3, use_dhcp: true, hotplug: true, onboot: false}\n"),
    "ipv6": ("ifcfg eni", "- {type: interface, name: em1, addresses: [{ip_netmask: '2001:db8::1/64'}]}\n"),
    "names": ("ifcfg", "- {type: interface, name: em1, dns_servers: [192.0.2.1, 192.0.2.2], domain: [a.test, b.test]}\n"),
    "link": ("ifcfg", "- {type: interface, name: em1, ethtool_opts: speed 1000, linkdelay: 5, dhclient_args: -x,"
                      " use_dhcp: 'yes', defroute: 'off', nm_controlled: '1'}\n"),
    "routes": ("ifcfg", """
- {type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}],
   routes: [{ip_netmask: 10.1.3.0/24, next_hop: 192.0.2.5, route_options: metric 10, table: 200},
            {default: true, next_hop: 192.0.2.254}, {destination: '2001:db8:1::/48', nexthop: '2001:db8::1'}],
   rules: [{rule: iif em1 table 200, comment: all of em1}, {rule: add blackhole from 172.19.40.0/24 table 200}]}
"""),
    "vlan": ("ifcfg", "- {type: vlan, vlan_id: 16, device: em1, addresses: [{ip_netmask: 192.0.2.1/24}]}\n"),
    "bridge": ("ifcfg", "- {type: linux_bridge, name: br0, use_dhcp: true, members: [{type: interface, name: em1}]}\n"),
    "bond": ("ifcfg", "- {type: linux_bond, name: bond1, bonding_options: mode=active-backup miimon=100, members:"
                      " [{type: interface, name: em1}, {type: interface, name: em2}]}\n"),
    "tap": ("ifcfg", "- {type: linux_tap, name: tap0, use_dhcp: true}\n"),
    "functions": ("ifcfg", "- {type: sriov_pf, name: p2p1, numvfs: 4, ethtool_opts: speed 1000}\n"
                           "- {type: interface, name: em1}\n"),
    "infiniband": ("ifcfg", "- {type: ib_child_interface, parent: ib0, pkey_id: 100, addresses:"
                            " [{ip_netmask: 192.0.2.1/24}]}\n"),
}
# What is refused, and may be: dead products, and what a provider has nothing for.
MAY_BE_REFUSED = re.compile(r"DPDK is not supported|vDPA is not supported|VPP is not supported|Contrail is not supported|"
                            r"Indigo virtual switch is not supported|NFVSwitch is not supported|"
                            r"systemd-networkd can't make [^ ]+, (a team|which is Open vSwitch's)|ifupdown knows no teams")
LOG_LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [A-Z]+ .*\n", re.MULTILINE)  # the original logs to stdout


def noop(program, provider, config, root):
    command = [program, "-c", config, "-m", "/nowhere", "-r", root, "-p", provider, "--noop", "--detailed-exit-codes"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, LOG_LINE.sub("", done.stdout)


def differs(ours, peer, name, provider, network, root):
    config = os.path.join(root, "config.yaml")
    with open(config, "w", encoding="utf-8") as file:
        file.write("network_config:\n" + network)
    wanted, found = noop(peer, provider, config, root), noop(ours, provider, config, root)
    if wanted == found and found[1]:
        print(f"ok    {name} {provider}")
        return False
    print(f"FAIL  {name} {provider}\n--- the original: {wanted[0]}\n{wanted[1]}--- ours: {found[0]}\n{found[1]}")
    return True


def files(printed):
    """The original prints kinds of devices together; ours comes in the order of the file. It says of a bridge with ovs_extra
    twice what it says of each."""
    return set(re.sub(r"( -- set bridge \S+ fail_mode=\w+ -- del-controller \S+?)\1", r"\1", printed).split("\n----\n"))


def sample(ours, peer, path, provider, root):
    """What becomes of a sample: "same", "written", or why not; and whether that is wrong."""
    command = [ours, "-c", path, "-m", "/nowhere", "-r", root, "-p", provider, "--noop"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        reason = MAY_BE_REFUSED.search(done.stderr)
        return (reason.group(0) if reason else "FAIL: " + done.stderr.strip()[-300:]), not reason
    if "File: " not in done.stdout:
        return "FAIL: nothing would be written", True
    if not peer or provider != "ifcfg":
        return "written", False
    wanted = subprocess.run([peer] + command[1:], capture_output=True, text=True, timeout=120, check=False)
    if wanted.returncode != 0:
        return "written (the original refuses)", False
    theirs, mine = files(LOG_LINE.sub("", wanted.stdout)), files(done.stdout)
    if theirs == mine:
        return "same", False
    more = [file for file in mine - theirs if not is_of_function(file, path)]
    if theirs < mine and not more:
        return "same, as far as the original comes without the cards", False
    return "FAIL: differs from the original: more here %s, more there %s" % (sorted(more), sorted(theirs - mine)), True


def is_of_function(file, path):
    """Where the original does not find a function's card, it writes nothing of the whole entry that the function stands in."""
    import yaml
    with open(path, encoding="utf-8") as text:
        entries = yaml.safe_load(text)["network_config"]
    names = set()

    def gather(entry):
        """Whether a function is in it; and what it may be called."""
        names.add(str(entry.get("name", "%s_%s" % (entry.get("device"), entry.get("vfid")))))
        return any([entry["type"] == "sriov_vf"] + [gather(member) for member in entry.get("members", [])])

    for entry in entries:
        before = set(names)
        if not gather(entry):
            names = before
    return re.search(r"/ifcfg-(\S+)\n", file).group(1) in names


def samples(ours, peer, folder, root):
    failed = seen = 0
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if not name.endswith(".yaml"):
            continue
        with open(path, encoding="utf-8") as text:
            if "network_config:" not in text.read():
                continue
        for provider in ("ifcfg", "eni", "networkd"):
            word, wrong = sample(ours, peer, path, provider, root)
            print("%-32s %-9s %s" % (name, provider, word))
            failed += wrong
            seen += word.startswith("same" if peer else "written")
    if not seen:
        print("FAIL  %s holds no sample that %s" % (folder, "both take" if peer else "is taken"))
    return failed + (not seen)


def main(ours):
    peer = os.environ.get("HEARTH_OS_NET_CONFIG_PEER")
    kept = os.environ.get("HEARTH_OS_NET_CONFIG_SAMPLES")
    if not peer and not kept:
        print("SKIPPED: set HEARTH_OS_NET_CONFIG_PEER to the original's program, HEARTH_OS_NET_CONFIG_SAMPLES to the folder of "
              "its samples; Debian has no package of it")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        for folder in ("etc/sysconfig/network-scripts", "etc/network", "var/log"):
            os.makedirs(os.path.join(root, folder))
        if kept:
            failed += samples(ours, peer, kept, root)
        for name, (providers, network) in CASES.items() if peer else ():
            for provider in providers.split():
                failed += differs(ours, peer, name, provider, network, root)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
