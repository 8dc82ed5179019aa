"""What world README, each tutorial and each how-to page take for granted, what is typed for names like NODE and FILE, and which of its commands are typed by other tests."""

import dataclasses


@dataclasses.dataclass
class Page:
    before: str = ""  # typed before the first command
    built: bool = False  # its images are built of stand-ins, not only planned
    figures: bool = False  # figures in output are examples
    words: dict = dataclasses.field(default_factory=dict)  # a name of the page's: what is typed for it
    files: dict = dataclasses.field(default_factory=dict)  # beginning of a block: its file, and the command that reads it
    between: dict = dataclasses.field(default_factory=dict)  # beginning of a command: what happens before it
    codes: dict = dataclasses.field(default_factory=dict)  # beginning of a command: its exit code, where it is another than 0
    # beginning of a command or block: (why it is not typed here, the test that runs it, a text in that)
    elsewhere: dict = dataclasses.field(default_factory=dict)


MACHINE = "starts a machine in QEMU"
BOOT, BOOTED = "timeout -s INT 2 hearth image boot", "124"  # nothing is on the stand-in's disk: it runs, until it is ended
EDITOR = ("is an editor's", "e2e/lsp/lsp.sh", "lsp")
SERVICE = ("is the service manager's", "e2e/seed_takeover.sh", "systemctl")
STOP = "kill $served; wait $served; trap - EXIT"
FIELD = "export OS_AUTH_TYPE=http_basic OS_USERNAME=admin OS_ENDPOINT=http://127.0.0.1:6385 OS_PASSWORD=$(cat /var/lib/hearth/node/api-token)"
WEB2 = '  - {name: web2, mac: "52:54:00:00:00:02", firmware: bios, bmc: {type: ipmi, address: 192.0.2.202}}'
KEYS = "openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub"
TOKENS = {"3f0c8a…": "a" * 64, "b27d91…": "b" * 64, "77e0aa…": "c" * 64}

FLEETCONF = "elements/heat-config-fleetconf"
FLEETCONF_HOOK = FLEETCONF + "/static/var/lib/heat-config/hooks/fleetconf"

# The same words twice on a page: the second time a person at a terminal answers.
ANSWERED = ("hearth() { unset -f hearth; printf '192.0.2.0/24\\n\\n\\n\\neth1\\n\\n\\n\\n' | script -qec \"hearth $*\" /dev/null; }")
REHEARSAL = ("starts machines in QEMU", "e2e/rehearsal_faults.sh")
RULES = ("starts machines in QEMU", "e2e/rehearsal_rules.sh")

BEGINNING = {
    "../README.md": Page(
        "cp -r $ROOT/examples . && cp $WORK/bmc.pem /etc/hearth/bmc-ca.pem && cp examples/real-site/instackenv.json right.json && "
        """sed 's/"pm_addr": "192.0.2.202"/"pm_adr": "192.0.2.202"/' right.json > instackenv.json && rm site.yaml && """
        "sed 's/flavor: web/flavor: control/; s/server-%index%/control/' site-stack.yaml > stack.yaml",
        built=True, figures=True,
        codes={"hearth site new site.yaml --inventory instackenv.json     # takes": "1", "hearth node import": "1"},
        words={"--engine &": "--engine --poll-interval 1 --power-off-wait 1"},
        between={
            "hearth site new site.yaml --inventory instackenv.json     # mended": f"cp right.json instackenv.json; {ANSWERED}",
            "hearth deploy": "sed -i s/change-me/secret/ instackenv.json && hearth node import instackenv.json && becomes control1 available",
            "hearth image create --offline": "sha256sum node.tar > recorded",
            "hearth bundle create": "sha256sum --quiet -c recorded"},
        elsewhere={"bash examples/quickstart.sh": ("takes minutes", "e2e/bad_machine.sh", "examples/quickstart.sh"),
                   "bash tests/run.sh": ("is all tests", "../.ci/run", "tests/run.sh"),
                   "cmake --preset release": ("takes minutes", "e2e/packages.sh", "cpack --config"),
                   "apt install": ("installs a package", "e2e/packages.sh", "apt")}),
    "tutorials/first-image.md": Page(
        built=True, words={"hearth image boot": BOOT}, codes={"hearth image boot": BOOTED},
        elsewhere={"hearth image test": (MACHINE, "e2e/boot_layout.sh", "image test")}),
    "tutorials/my-own-element.md": Page(
        built=True, files={"#!/bin/bash": ("begins", "bash -n begins")},
        elsewhere={"hearth image test": (MACHINE, "e2e/ci_pipeline.sh", "http 80/")}),
    "tutorials/self-configuring.md": Page(
        "hearth element new web -d elements && export ELEMENTS_PATH=$PWD/elements", built=True,
        elsewhere={"hearth image test": (MACHINE, "e2e/hello.sh", "greeting = ")}),
    "tutorials/three-machines.md": Page(
        "cp $ROOT/examples/three-nodes/three-nodes.yaml .",
        elsewhere={"bash examples/three-nodes/run.sh": ("starts machines in QEMU", "e2e/three_nodes.sh", "three-nodes/run.sh"),
                   "HEARTH=/usr/bin/hearth": ("starts machines in QEMU", "e2e/three_nodes.sh", "three-nodes/run.sh"),
                   "hearth rehearse site.yaml --inject power-loss": (*REHEARSAL, "power-loss:compute1@deploying"),
                   "hearth rehearse site.yaml --inject dead-disk": (*REHEARSAL, "dead-disk:control1"),
                   "hearth rehearse site.yaml --inject lossy-link": (*REHEARSAL, "lossy-link:compute2"),
                   "hearth rehearse site.yaml --inject wrong-mac": (*RULES, "wrong-mac:"),
                   "hearth rehearse site.yaml --inject wrong-password": (*RULES, "wrong-password:"),
                   "hearth rehearse site.yaml --keep": (*RULES, "--keep --page"),
                   "hearth rehearse site.yaml --console": (*RULES, "--console one"),
                   "hearth rehearse site.yaml": (*REHEARSAL, "three_nodes.sh"),
                   "hearth why site": ("needs a rehearsal", "e2e/rehearsal_rules.sh", "why stack site"),
                   "hearth stack list --state": ("needs a rehearsal", "e2e/rehearsal_rules.sh", "stack list"),
                   "hearth node list --state": ("needs a rehearsal", "e2e/rehearsal_rules.sh", "node list")}),
    "tutorials/closed-site.md": Page(
        "export ELEMENTS_PATH=$STAND_INS", built=True,
        between={"hearth bundle create -o site.bundle --lock node.lock --packages": "mkdir debian && echo hearth > debian/names && rm site.bundle"},
        elsewhere={"bash cmake/install-packages.sh": ("fetches hundreds of packages", "e2e/bundle_rehearsal.sh", "--download debian run"),
                   "tar -xf site.bundle": ("installs packages", "e2e/bundle_rehearsal.sh", "tar -xf site.bundle"),
                   "export PATH=$PWD/hearth/bin": ("is of the same", "e2e/bundle_rehearsal.sh", "hearth/bin/hearth"),
                   "hearth rehearse": ("starts machines in QEMU", "e2e/bundle_rehearsal.sh", "rehearse")}),
}
# Pages that another test types: (why it is not typed here, that test, a text in it).
ELSEWHERE = {"tutorials/from-a-seed-to-openstack.md": ("needs a cloud", "peers/bootstrap/tutorial_peer.py", "followed.py")}

IMAGES = {
    "howto/channels.md": Page(
        KEYS + " && cp key.pub /etc/hearth/images.pub && a_site", built=True, figures=True, codes={"hearth image boot": BOOTED},
        words={"https://images.example/hearth": "/srv/images", "hearth image boot": BOOT, "--expect login:": "--expect Hard"}),
    "howto/ci.md": Page(
        "cp -r $ROOT/examples/ci/elements $ROOT/examples/ci/images.yaml . && openssl genpkey -algorithm ed25519 -out site.pem && "
        "openssl pkey -in site.pem -pubout -out site.pub && echo '  sign-key: site.pem' >> images.yaml && mkdir -p /etc/nginx/conf.d", built=True,
        between={"hearth image sizes": "mkdir last && cp -r web.qcow2 web.d last"},
        elsewhere={"hearth image test": (MACHINE, "e2e/ci_pipeline.sh", "pipeline.sh"), "service:": ("asks a machine", "e2e/ci_pipeline.sh", "checks"),
                   "web:": ("is a pipeline", "e2e/pipeline_ci/pipeline_ci.sh", "gitlab-ci.yml"),
                   "remote-cache =": ("needs a web server", "e2e/pipeline_ci/shared_cache.sh", "remote-cache")}),
    "howto/container-image.md": Page(
        built=True, files={"- imagename: web": ("images.yaml", "hearth image plan images.yaml")},
        elsewhere={"podman": ("needs an engine", "e2e/containers.sh", "podman load")}),
    "howto/container.md": Page(elsewhere={"cmake": ("takes minutes", "e2e/container.sh", "BUILD"),
                                           "podman": ("is of a built container", "e2e/container.sh", "podman run")}),
    "howto/fleet.md": Page(
        "export ELEMENTS_PATH=$STAND_INS", built=True, files={"- template: debian": ("images.yaml", "")},
        elsewhere={"hearth image pipeline images.yaml --for slurm": ("needs Slurm", "e2e/pipeline_slurm.sh", "--for slurm")}),
    "howto/heat-config-hook.md": Page(files={
        "heat-config": (f"{FLEETCONF}/element-deps", ""),
        "#!/usr/bin/env python3": (FLEETCONF_HOOK, f"chmod +x {FLEETCONF_HOOK}"),
        "python3:": (f"{FLEETCONF}/package-installs.yaml", ""),
        '{"id": "1"': ("deployment.json", ""),
        "heat_template_version": ("fleet.yaml", "")},
        between={"export ELEMENTS_PATH": f"mkdir -p $(dirname {FLEETCONF_HOOK})"}),
    "howto/mirrors.md": Page(),
    "howto/packages.md": Page(
        "printf 'vim\\n' > packages.txt",
        files={"- imagename: web": ("images.yaml", "hearth image plan images.yaml"),
               "nginx-light:": ("package-installs.yaml", "mkdir -p elements/mine && mv package-installs.yaml elements/mine && "
                                "ELEMENTS_PATH=$PWD/elements hearth image plan vm debian-minimal mine | grep nginx-light")}),
    "howto/record-and-replay.md": Page(built=True, words={"hearth image reproduce": "ELEMENTS_PATH=$STAND_INS hearth image reproduce"}),
    "howto/secrets.md": Page("echo token > ~/.repo-token; mkdir -p elements/web/install.d; export ELEMENTS_PATH=$PWD/elements",
                             files={"# elements/web/install.d/20-repo": ("elements/web/install.d/20-repo", "bash -n elements/web/install.d/20-repo")}),
    "howto/sign-and-verify.md": Page(built=True),
    "howto/ssh.md": Page(
        "cp node.qcow2 web.qcow2", words={"hearth image boot": BOOT}, codes={"hearth image boot": BOOTED},
        elsewhere={"ssh -p": ("asks a machine", "e2e/deploy/rescue_test.py", "ssh")}),
    "howto/uefi.md": Page(elsewhere={"hearth image test": (MACHINE, "e2e/boot_layout.sh", "image test")}),
    "howto/users.md": Page(),
}

SITES = {
    "howto/access.md": Page(
        "a_site && cp $WORK/seed.pem $WORK/seed.key . && echo 127.0.0.1 seed.example >> /etc/hosts",
        words={**TOKENS, "DIR": "/var/lib/hearth/node"},
        files={"anna ": ("/var/lib/hearth/node/people", "chmod 600 /var/lib/hearth/node/people; " + STOP + "; serve hearth node serve --boot site.yaml "
                         "--engine --tls-certificate seed.pem --tls-key seed.key --allow-host seed.example && printf %064d 0 | tr 0 b > bert.token")},
        between={"hearth stack list": "hearth metadata token create carla --role operate --project admin --state /var/lib/hearth/node > bert.token && "
                 "sleep 1.5 && cp /var/lib/hearth/node/metadata/authority.pem .",
                 "hearth node serve": STOP},
        elsewhere={"systemctl": SERVICE, "openstack stack list": ("needs python3-heatclient", "peers/metadata/commands_peer.py", "stack list")}),
    "howto/backup-and-upgrade.md": Page(
        "a_site", words={"2026-11-26": "$(date +%F)"}, between={"hearth restore": STOP + "; mv /var/lib/hearth/node /var/lib/hearth/former"},
        elsewhere={"apt install": ("installs a package", "e2e/packages.sh", "apt"), "systemctl": SERVICE}),
    "howto/bmc.md": Page(
        "serve hearth node serve --boot site.yaml --poll-interval 1 && cp $WORK/bmc.pem /etc/hearth/bmc-ca.pem && "
        "echo secret > /etc/hearth/bmc-password && " + FIELD,
        codes={"hearth node validate web1": "1"},
        between={"openstack baremetal node set": "hearth baremetal configure boot --deploy-kernel deploy.kernel --deploy-ramdisk deploy.initramfs",
                 "openstack baremetal node show": "becomes web1 manageable"},
        words={"…": "secret", '"size_gb": 200': '"size_gb": 50'}, files={'{"nodes"': ("instackenv.json", "")}),
    "howto/change-a-site.md": Page(
        "sed -i /web3/d site.yaml && a_site && a_stack && hearth deploy -t site-stack.yaml --inventory site.yaml --image node "
        "--seed http://127.0.0.1:6385",
        between={"hearth node import --dry-run": """echo '  - {name: web3, mac: "52:54:00:00:00:03", profile: web, bmc: {type: redfish, """
                 """address: "https://192.0.2.203"}}' >> site.yaml"""},
        words={"ID": "$(hearth stack snapshot list web | awk '/monday/ { print $2 }')", "count=3": "count=2"}),
    "howto/disks.md": Page(
        f"echo '{WEB2}' >> site.yaml && a_site && mkdir -p tree/boot && touch tree/boot/{{vmlinuz,initrd.img}}-6.1 && "
        "truncate -s 64M root-fs.raw && mkfs.ext4 -q -d tree root-fs.raw && hearth image load root-fs.raw"),
    "howto/editors.md": Page(
        "cp site-stack.yaml top.yaml && cp site-env.yaml env.yaml",
        files={"vim.lsp.config('yamlls'": ("schemas.lua", "grep -o 'schemas/[a-z-]*' schemas.lua | cut -d/ -f2 | xargs -n1 hearth schema > /dev/null"),
               '"yaml.schemas"': ("settings.json", "grep -o 'schemas/[a-z-]*' settings.json | cut -d/ -f2 | xargs -n1 hearth schema > /dev/null")},
        elsewhere={"vim.lsp.config('hearth'": EDITOR, "[language-server": EDITOR,
                   "[[language]]": EDITOR}),
    "howto/first-boot.md": Page("a_site"),
    "howto/inventories.md": Page(words={"FILE": "instackenv.json"}),
    "howto/life-of-a-machine.md": Page(
        "deployed web1", between={"hearth node undeploy web1": "hearth node list | grep 'web1.* active ' > /dev/null || "
                                  "hearth node deploy web1 --image node --wait 60"},
        elsewhere={"ssh rescue": ("asks a machine", "e2e/deploy/rescue_test.py", "rescue@")}),
    "howto/networks.md": Page(
        files={'{"interfaces"': ("several.json", "hearth pxe explain several.json 52:54:00:00:00:01 && hearth pxe export several.json --for kea")},
        between={"hearth pxe boot-log": "timeout -s INT 3 hearth pxe serve site.yaml || [ $? = 124 ]"},
        elsewhere={'{"os_net_config"': ("is for a machine's agent", "peers/agent/net_peer.py", "network_config")}),
    "howto/no-bmc.md": Page(
        files={"- {name: bench1": ("site.yaml", "a_site")},
        between={"hearth node list --waiting": f"{STOP}; rm -rf /var/lib/hearth/*; sed -i /bench1/d site.yaml; a_site && "
                 "python3 -B $ROOT/tests/peers/bootstrap/discover.py machine0 52:54:00:00:00:09 && sleep 1"}),
    "howto/postgresql.md": Page(
        "a_database", words={"db.example/hearth": "$DATABASE"},
        between={"hearth restore": STOP + "; a_database"},
        elsewhere={"sudo -u postgres": ("is PostgreSQL's own", "peers/postgres.py", "createdb")}),
    "howto/questions.md": Page(),
    "howto/real-site.md": Page(
        "mv site.yaml former.yaml",
        between={"hearth deploy": "hearth node undeploy web1 --wait 60"},
        words={"hearth site new site.yaml --inventory instackenv.json":
               "printf '192.0.2.0/24\\n\\n\\n\\neth1\\n\\n\\n\\n' | script -qec 'hearth site new site.yaml --inventory instackenv.json' /dev/null"}),
    "howto/second-seed.md": Page(
        elsewhere={"hearth node serve --standby": ("takes two machines", "peers/bootstrap/second_seed.py", "--standby"),
                   "standby: waits": ("is what the second one says", "peers/bootstrap/two_seeds.py", "standby: waits"),
                   "cd /var/lib/hearth/node && tar": ("takes two machines", "peers/bootstrap/two_seeds.py", "shutil.copy"),
                   "[Service]": SERVICE}),
    "howto/simulate.md": Page(
        figures=True, words={"--runs 20": "--runs 2 --years 0.02", "--replay 17": "--replay 17 --years 0.02"},
        elsewhere={"1000 runs of": ("is another site's, of a thousand years", "e2e/bootstrap/simulate.sh", "weak_points"),
                   "hearth incident": ("needs a machine that failed", "e2e/bootstrap/simulate.sh", "incident"),
                   "hearth simulate n3": ("needs a machine that failed", "e2e/bootstrap/simulate.sh", "incident")}),
    "howto/status-page.md": Page(),
    "howto/stuck.md": Page(
        "sed -i s/52:54:00:00:00:01/52:54:00:aa:02:02/ site.yaml; cp served.yaml site-stack.yaml; a_site; a_stack site; "
        "hearth node import n3.json 2> /dev/null; becomes n3 enroll",
        words={"NAME": "n3", "NODE": "web1", "--expect 'login:'": "--expect Hard", "STACK": "site", "SERVER": "Server", "MAC": "52:54:00:00:00:01",
               "n3-2026-11-25T08-30-00.incident.tar.zst": "$(ls n3-*.incident.tar.zst)"},
        between={"hearth image test": "cp node.qcow2 web.qcow2", "hearth node import site.yaml": "sed -i s/52:54:00:aa:02:02/52:54:00:00:00:01/ site.yaml"},
        codes={"hearth node log": "1", "hearth node validate": "1"},
        elsewhere={"hearth-agent doctor": ("looks at the machine that it runs on", "unit/agent/doctor/report_test.cpp", "doctor"),
                   "deployments.late": ("needs a machine that has not answered", "unit/bootstrap/why/value_causes_test.cpp", "late.inputs.i waits for d.o")}),
}

UNFINISHED = ("is of several commands", "e2e/documented_commands.py", "spans")
COMING = {
    "coming-from/diskimage-builder.md": Page(
        "cp -r $ROOT/examples/ci/elements . && printf -- '- {imagename: web, elements: [vm, debian-minimal]}\\n' > images.yaml", built=True,
        words={"NAME": "web"},
        elsewhere={"hearth element fetch": ("fetches them", "e2e/field_newest.sh", "element fetch"), "hearth image test": UNFINISHED}),
    "coming-from/ironic.md": Page(
        words={"NODE": "web1", "NAME": "node", "FILE": "$FILE"},
        between={"hearth node manage": "hearth image load node.qcow2; hearth baremetal configure boot --deploy-kernel deploy.kernel "
                 "--deploy-ramdisk deploy.initramfs; becomes web1 available",
                 "hearth node inspect": "becomes web1 manageable", "hearth node provide": "becomes web1 manageable",
                 "hearth node deploy NODE --image NAME --config-drive": "becomes web1 active; hearth node undeploy web1 --wait 60; FILE=drive.json; "
                 "echo '{\"meta_data\": {}}' > drive.json",
                 "hearth node deploy NODE --image": "becomes web1 available",
                 "hearth node adopt": "becomes web1 active; hearth node undeploy web1 --wait 60; hearth node manage web1",
                 "hearth node clean": "FILE=steps.json; echo '[{\"interface\": \"deploy\", \"step\": \"erase_devices_metadata\"}]' > steps.json",
                 "hearth node rescue": "becomes web1 manageable; hearth node provide web1; becomes web1 available; "
                 "hearth node deploy web1 --image node --wait 60; FILE=password; echo 12345678 > password",
                 "hearth node import FILE": "FILE=instackenv.json"},
        codes={"hearth node adopt": "1"}),
    "coming-from/maas.md": Page(
        "echo '[{\"system_id\": \"4y3h7n\", \"hostname\": \"m1\", \"status_name\": \"Deployed\", \"power_type\": \"manual\", "
        "\"interface_set\": [{\"type\": \"physical\", \"mac_address\": \"52:54:00:00:00:31\"}]}]' > machines.json; a_site",
        words={"NODE": "web1", "NAME": "node", "FILE": "$FILE"},
        between={"hearth node manage": "hearth image load node.qcow2; hearth baremetal configure boot --deploy-kernel deploy.kernel "
                 "--deploy-ramdisk deploy.initramfs; becomes web1 available",
                 "hearth node inspect": "becomes web1 manageable", "hearth node provide": "becomes web1 manageable",
                 "hearth node deploy": "becomes web1 available", "hearth node undeploy": "becomes web1 active",
                 "hearth node rescue": "becomes web1 available; hearth node deploy web1 --image node --wait 60; FILE=password; echo 12345678 > password",
                 "hearth image load": "FILE=second.qcow2; cp node.qcow2 $FILE", "hearth node set": "becomes web1 available; FILE=web.cfg; echo '#cloud-config' > $FILE"}),
    "coming-from/mkosi.md": Page("printf -- '- {imagename: web, elements: [vm, debian-minimal]}\\n' > images.yaml", built=True,
                                 words={"hearth image boot": BOOT}, codes={"hearth image boot": BOOTED}),
    "coming-from/tripleo.md": Page(
        "cp site-stack.yaml overcloud.yaml; cp site-env.yaml env.yaml; cp node.qcow2 overcloud-full.qcow2; echo '[{name: Web}]' > roles_data.yaml; "
        "sed -i 's/flavor: web/&, image: overcloud-full/' overcloud.yaml; a_site",
        elsewhere={"hearth stack adopt": ("needs what a stack left", "e2e/stack_lifecycle.sh", "stack adopt"),
                   "hearth seed create": ("takes minutes", "e2e/seed.sh", "seed create")}),
}
PAGES = {**BEGINNING, **IMAGES, **SITES, **COMING}
