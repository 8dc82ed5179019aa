#include "base/text.hpp"
#include "bootstrap/api/routes.hpp"
#include "bootstrap/program/program.hpp"
#include "builder/elements/phase.hpp"

namespace hearth::bootstrap::program {

namespace {

constexpr const char* k_exit_codes =
    "0 done, 1 failed, 2 wrong usage, 130 interrupted (128 and the signal's number). A hook or a program that failed "
    "gives its own code on. 70: a fault of Hearth, which found something that must never be and went no further; "
    "what was kept until then is whole. Send the line that says which.\n\n"
    "Commands that judge (image verify, bundle verify, element lint, seed status, rehearse, simulate) end "
    "with 1 when the answer is no. What some say of theirs themselves:";

constexpr const char* k_environment =
    "Of all commands that need Hearth's own files:\n\n"
    "  HEARTH_DATA_DIR               the directory with elements/ (share/hearth)\n"
    "  HEARTH_AGENT_BINARY           what images get (hearth-agent beside hearth)\n\n"
    "Of image create, besides diskimage-builder's, which stand below:\n\n"
    "  HEARTH_CACHE                  0: run every step, keep nothing\n"
    "  HEARTH_CACHE_LIMIT            GiB that layers of earlier builds may take (10)\n"
    "  HEARTH_LAYERS                 copies: layers are whole trees, not overlays\n"
    "  HEARTH_LAYER_WORTH            milliseconds of steps that make a layer (600)\n"
    "  HEARTH_REPOSITORY_AGE         seconds that a look at repositories lasts (3600)\n"
    "  HEARTH_CONFIG                 a file in place of the two hearth.conf\n"
    "  HEARTH_REMOTE_CACHE           URL of a shared cache; may have a password\n"
    "  HEARTH_REMOTE_CACHE_KEY       files of keys that sign its records (A:B)\n"
    "  HEARTH_REMOTE_CACHE_INSECURE  1: believe unsigned records, use http\n"
    "  HEARTH_REMOTE_CACHE_READ_ONLY 1: upload nothing there\n"
    "  HEARTH_DISK_MAKER             direct, guestfs or auto, as --disk-maker\n"
    "  HEARTH_UPSTREAM_ELEMENTS      diskimage-builder's own: a directory, first, no\n"
    "  HEARTH_HOST_FILES             files of homes that hooks may read (A:B)\n"
    "  HEARTH_HOOK_VARIABLES         more variables that hooks get (A B)\n"
    "  HEARTH_NETWORK                private or host: what hooks get (private\n"
    "                                where slirp4netns is)\n"
    "  HEARTH_FETCH_STALL            seconds of silence that end a fetch (60)\n\n"
    "Of image create, as diskimage-builder has them; an option goes before its variable:\n\n"
    "  ELEMENTS_PATH                 directories of elements, before Hearth's (A:B)\n"
    "  IMAGE_NAME                    the image's name, as -o (image)\n"
    "  IMAGE_ELEMENT                 elements before those that are named (A B)\n"
    "  RAMDISK_ELEMENT               of ramdisk-image-create, as --ramdisk-element\n"
    "  SKIP_BASE                     1: without the element base, as -n\n"
    "  INSTALL_PACKAGES              packages, as -p (A B)\n"
    "  ARCH                          the machine's kind, as -a (this machine's)\n"
    "  OVERWRITE_OLD_IMAGE           1: an older image is not kept as NAME-DATE\n"
    "  DIB_RELEASE                   the distribution's release\n"
    "  DIB_DISTRIBUTION_MIRROR       the mirror of its packages\n"
    "  DIB_APT_SOURCES               a sources.list for the image, for apt-sources\n"
    "  DIB_APT_SOURCES_CONF          lines NAME:deb … in place of the mirror's\n"
    "  DIB_DEFAULT_INSTALLTYPE       source or package: how elements install theirs\n"
    "  DIB_INSTALLTYPE_ELEMENT       the same of one element\n"
    "  DIB_PYTHON_VERSION            2 or 3: which packages of Python are meant\n"
    "  DIB_PYTHON_EXEC               the Python that hooks start (python3)\n"
    "  DIB_HEAT_METADATA             metadata that the image is given, as --metadata\n"
    "  DIB_MANIFEST_IMAGE_DIR        where the image has its manifests\n"
    "                                (/etc/dib-manifests)\n"
    "  DIB_OFFLINE                   not empty: as --offline\n"
    "  DIB_IMAGE_SIZE                of the disk in GiB, as --image-size\n"
    "  DIB_IMAGE_EXTRA_SIZE          MiB on top, as --image-extra-size\n"
    "  DIB_JOURNAL_SIZE              MiB of ext4's journal, as --mkfs-journal-size\n"
    "  MAX_ONLINE_RESIZE             blocks, as --max-online-resize\n"
    "  FS_TYPE                       kind of the root file system (ext4)\n"
    "  ROOT_LABEL                    its label, as --root-label\n"
    "  DIB_ROOT_FSTYPE               what hooks hear of that kind; is set for them\n"
    "  DIB_ROOT_LABEL                of that label, likewise\n"
    "  DIB_BOOT_LABEL                of that of /boot, likewise\n"
    "  DIB_BLOCK_SIZE                bytes of a sector: 512 or 4096\n"
    "  DIB_BLOCK_DEVICE_CONFIG       the layout of the disk: YAML, or file://PATH\n"
    "  DIB_BLOCK_DEVICE_PARAMS_YAML  a build's parameters, for dib-block-device\n"
    "  DIB_BOOTLOADER                grub, grub-signed, systemd-boot or uki\n"
    "  DIB_BOOTLOADER_ROOT           how the root is named: uuid, partuuid or label\n"
    "  DIB_BOOTLOADER_DEFAULT_CMDLINE\n"
    "                                more words of the kernel's command line\n"
    "  DIB_BOOTLOADER_VIRTUAL_TERMINAL\n"
    "                                its console (tty0)\n"
    "  DIB_BOOTLOADER_USE_SERIAL_CONSOLE\n"
    "                                False: no serial one (True)\n"
    "  DIB_BOOTLOADER_SERIAL_CONSOLE which one (ttyS0,115200)\n"
    "  DIB_GRUB_TIMEOUT              seconds of the loader's menu\n"
    "  QEMU_IMG_OPTIONS              as --qemu-img-options\n"
    "  DIB_GZIP_BIN                  the program that packs tgz\n"
    "  DIB_CHECKSUM                  md5, sha256 or both (A,B), as --checksums\n"
    "  DOCKER_TARGET                 the name of -t docker, as --docker-target\n"
    "  ACI_MANIFEST                  the manifest that -t aci gets\n"
    "  DIB_CONTAINER_CONFIG          how containers start, an instruction a line\n"
    "  DIB_IMAGE_CACHE               what is kept (~/.cache/image-create)\n"
    "  DIB_LOCKFILES                 where hooks lock (~/.cache/dib/lockfiles)\n"
    "  TMPDIR, TMP_DIR               where a build lies that is not in memory (/tmp)\n"
    "  DIB_NO_TMPFS                  1: not in memory, as --no-tmpfs\n"
    "  DIB_MIN_TMPFS                 in memory where twice so many GiB are free (2)\n"
    "  GENTOO_PROFILE                one that is hardened: not in memory\n"
    "  SOURCE_DATE_EPOCH             seconds: no time in the image is newer\n"
    "  LOGFILE                       a log there, too, as --logfile\n"
    "  DIB_QUIET                     1: nothing is shown; so it is with LOGFILE\n"
    "  DIB_NO_TIMESTAMP              1: lines without the time\n"
    "  DIB_DEBUG_TRACE               1: trace hooks, as -x; 2: the helpers, too\n"
    "  DIB_SHOW_IMAGE_USAGE          1: say what takes room in the image\n"
    "  DIB_SHOW_IMAGE_USAGE_FULL     1: of every directory\n"
    "  break                         a shell there, as --break\n\n"
    "What elements read stands in their READMEs (hearth help ELEMENT).\n\n"
    "Of images in channels (image publish, image channel, NAME@CHANNEL):\n\n"
    "  HEARTH_CHANNELS               their place: a directory, https://, oci://;\n"
    "                                may have a password\n"
    "  HEARTH_CHANNEL_KEY            the public key that must have signed them\n\n"
    "Of node, baremetal, image load and deploy:\n\n"
    "  HEARTH_NODE_URL               the conductor's URL, where it runs elsewhere\n"
    "  HEARTH_NODE_STATE             where nodes are kept (/var/lib/hearth/node)\n\n"
    "Of stack, where neither --ca-file nor the service's own authority is there, and of seed handover, as OpenStack's "
    "own client reads them:\n\n"
    "  OS_CACERT                     whom to trust (PEM)\n"
    "  OS_APPLICATION_CREDENTIAL_ID  the login\n"
    "  OS_APPLICATION_CREDENTIAL_SECRET\n"
    "                                its secret\n"
    "  OS_USERNAME, OS_PASSWORD      the login, where there is no such credential;\n"
    "                                OS_USER_DOMAIN_NAME or _ID goes along\n"
    "  OS_PROJECT_NAME               in which project; OS_PROJECT_DOMAIN_NAME or _ID\n"
    "  OS_REGION_NAME                the region of its catalog\n\n"
    "Of hearth-agent:\n\n"
    "  HEARTH_AGENT_COMPAT           upstream or strict, as os-apply-config --compat\n"
    "  HEARTH_SITE_AUTHORITY         whom it trusts beside the system's authorities\n"
    "                                (PEM; /etc/hearth/authority.pem)\n"
    "  OS_CONFIG_FILES               metadata of os-apply-config (A:B); else those\n"
    "                                that the list in OS_CONFIG_FILES_PATH names\n"
    "  OS_CONFIG_FILES_PATH          that list\n"
    "  OS_CONFIG_APPLIER_TEMPLATES   where its templates are\n"
    "  OS_REFRESH_CONFIG_BASE_DIR    where the phases of os-refresh-config are\n\n"
    "Hooks of elements are given HEARTH_PROGRAM, HEARTH_AGENT_BINARY, HEARTH_INPUTS, HEARTH_INSTALL_TYPE, "
    "HEARTH_PYTHON, "
    "HEARTH_BOOTSTRAP_PACKAGES, HEARTH_TARGET_PATH, HEARTH_TARGET_APT_CONFIG, HEARTH_GRUB_FACTS and, where fetches are "
    "recorded or replayed, "
    "HEARTH_FETCH, HEARTH_TARGET_WGETRC and the caller's own proxies (HEARTH_CALLER_http_proxy, …). They set "
    "HEARTH_NOTED=1 for programs whose fetches they note.\n\n"
    "Of this machine, whatever the command:\n\n"
    "  http_proxy, https_proxy, no_proxy\n"
    "                                are followed\n"
    "  COLUMNS                       how wide help and tables are\n"
    "  NO_COLOR, TERM                not empty, dumb: no colours, no live picture\n"
    "  XDG_CACHE_HOME                in place of ~/.cache: what was fetched\n"
    "  XDG_CONFIG_HOME               in place of ~/.config: hearth.conf\n"
    "  XDG_STATE_HOME                in place of ~/.local/state: channels.json\n"
    "  XDG_DATA_HOME                 in place of ~/.local/share: what element fetch\n"
    "                                fetched\n"
    "  REGISTRY_AUTH_FILE            logins of oci://, as podman keeps them; else\n"
    "                                below XDG_RUNTIME_DIR, or ~/.docker\n"
    "  LIBGUESTFS_PATH               an appliance of your own\n"
    "  LIBGUESTFS_CACHEDIR           where the one that is made is kept\n"
    "  LIBGUESTFS_HV                 the QEMU that starts it\n"
    "  LIBGUESTFS_BACKEND_SETTINGS   force_tcg: without KVM";

constexpr const char* k_files =
    "Beside an image NAME.qcow2:\n\n"
    "  NAME.d/                       log, manifest, timings, SBOM, provenance\n"
    "  hearth.lock                   with --record: what hooks fetched\n\n"
    "Of this machine:\n\n"
    "  ~/.cache/image-create/        downloads, layers\n"
    "  ~/.cache/hearth/fetched/      what recorded builds fetched\n"
    "  /etc/hearth.conf              of all builds here: the shared cache, its key\n"
    "  ~/.config/hearth/hearth.conf  likewise of its user's, who comes first\n"
    "  ~/.cache/hearth/channels/     images that were taken from channels\n"
    "  ~/.local/state/hearth/        channels.json: the newest of each that was seen\n"
    "  /var/lib/hearth/node/         of a conductor, see below (--state)\n"
    "  /var/lib/hearth/metadata/     of hearth metadata serve, likewise (--state)\n"
    "  /var/lib/hearth-pxe/          of hearth pxe serve: leases, events.jsonl\n"
    "  /etc/hearth/pxe.json          the site that hearth-pxe.service boots\n"
    "  /etc/hearth/conductor.env     options of hearth-conductor.service\n\n"
    "In the state directory of a conductor:\n\n"
    "  state.db                      nodes, ports, events, networks\n"
    "  database                      where nodes are in PostgreSQL instead: its URL\n"
    "  seal-key                      opens the passwords in it: as secret as they are\n"
    "  api-token                     the token of whoever set the site up\n"
    "  people                        further tokens, as digests, with their roles\n"
    "  server.key, server.pem        by which it is known to machines, for TLS\n"
    "  server-authority.pem          that signed server.pem: give it to clients\n"
    "  files/                        what machines fetch; files/images: loaded images\n"
    "  leases, events.jsonl          of its DHCP; what machines asked for\n"
    "  agents/                       ramdisks' certificates and what these logged\n"
    "  consoles/, qemu/              of sessions that are open; of the driver qemu\n"
    "  lock, endpoint, api.socket    of the process that serves it\n"
    "  handover.bundle, taken-over   of a handover to another machine\n"
    "  metadata/                     of its stack engine, as below\n"
    "\nIn that of a stack engine:\n\n"
    "  state.db, seal-key, api-token stacks and events; as above\n"
    "  audit.log                     who asked for what, chained (hearth metadata\n"
    "                                audit)\n"
    "  authority.pem                 whom clients of its TLS trust (hearth stack)\n"
    "  transport                     how its ports are served: tls or clear\n"
    "  events/                       what sinks of events have had\n"
    "  signals.jsonl                 of a service of compiled files: what came back\n"
    "\nWhere it is called:\n\n"
    "  NODE-TIME.incident.tar.zst    what hearth incident packs of a node\n"
    "  SITE.rehearsal/               of hearth rehearse: node/ is its state directory\n\n"
    "Installed with the program, below the same prefix:\n\n"
    "  share/hearth/elements/        Hearth's elements\n"
    "  share/hearth/schemas/         JSON schemas of files, for editors\n"
    "  share/doc/hearth/             README.md, those of the rooms, examples/";

/// Of the stack engine. What it routes by is in its own code; a test finds a word of that which is not here.
constexpr const char* k_stack_calls =
    "A stack service (hearth metadata serve, node serve --engine) answers Heat's orchestration API 1.0 at port 8004: "
    "hearth stack and python-heatclient ask it. The token (X-Auth-Token) is one of people (hearth metadata token), or "
    "that of a server's agent, which reads the metadata of its own resource and signals.\n\n"
    "  /v1/PROJECT/stacks\n"
    "      GET, POST (also adopts one); ?name, status, tags, not_tags, show_nested,\n"
    "      limit, marker, sort_keys, sort_dir\n"
    "  …/stacks/preview\n"
    "      POST\n"
    "  …/stacks/NAME\n"
    "      GET: redirects to …/stacks/NAME/ID, with whatever follows\n"
    "  …/stacks/NAME/ID\n"
    "      GET (?resolve_outputs), PUT, PATCH, DELETE\n"
    "  …/stacks/NAME/ID/preview\n"
    "      PUT, PATCH\n"
    "  …/stacks/NAME/ID/actions\n"
    "      POST: check, suspend, resume, cancel_update, cancel_without_rollback,\n"
    "      rotate\n"
    "  …/stacks/NAME/ID/template, …/environment, …/files, …/export\n"
    "      GET\n"
    "  …/stacks/NAME/ID/abandon\n"
    "      DELETE\n"
    "  …/stacks/NAME/ID/outputs, …/outputs/*\n"
    "      GET\n"
    "  …/stacks/NAME/ID/events\n"
    "      GET\n"
    "  …/stacks/NAME/ID/resources\n"
    "      GET; ?nested_depth, with_detail, name, status, action, type, hook\n"
    "  …/stacks/NAME/ID/resources/*\n"
    "      GET, PATCH (marks it unhealthy)\n"
    "  …/resources/*/metadata, …/events, …/events/*\n"
    "      GET\n"
    "  …/resources/*/signal, …/run\n"
    "      POST\n"
    "  …/resources/*/machine\n"
    "      PUT\n"
    "  …/stacks/NAME/ID/snapshots\n"
    "      GET, POST; …/snapshots/*: GET, DELETE; …/snapshots/*/restore: POST\n"
    "  …/stacks/NAME/ID/servers, …/servers/*\n"
    "      GET; of one PUT, too\n"
    "  …/stacks/NAME/ID/given\n"
    "      GET, PUT, DELETE: a stack that another service takes over\n"
    "  /v1/PROJECT/software_deployments\n"
    "      GET (?server_id), POST; …/*: GET, PUT, DELETE; …/metadata/SERVER: GET\n"
    "  /v1/PROJECT/software_configs\n"
    "      GET, POST; …/*: GET, DELETE\n"
    "  /v1/PROJECT/resource_types\n"
    "      GET (?name, support_status); …/*, …/*/template (?template_type): GET\n"
    "  /v1/PROJECT/template_versions\n"
    "      GET; …/*/functions: GET\n"
    "  /v1/PROJECT/validate\n"
    "      POST (?show_nested)\n"
    "  /v1/PROJECT/build_info, …/services\n"
    "      GET\n"
    "\nIts other ports are for agents, each with the keys that its metadata give it:\n\n"
    "  8000, CFN\n"
    "      /v1: ?Action=DescribeStackResource (StackName, LogicalResourceId,\n"
    "      ContentType=JSON) or ReportRun; /v1/signal/…, /v1/waitcondition/…, signed\n"
    "  8080, objects\n"
    "      GET, HEAD, PUT, POST, DELETE of what a temporary URL names\n"
    "  80, EC2 metadata of machines\n"
    "      GET\n"
    "  5000, Keystone for agents\n"
    "      /v3: GET; /v3/auth/tokens: POST";

/// The calls stand in the table by which requests are taken.
std::string rest_text() {
  return cat(
      "What a conductor (hearth node serve) answers at its port, 6385: Ironic's API 1.1 to 1.87, ironic-inspector's "
      "and its own. * is a name or UUID; behind a method stands the role of the token that it takes, behind ? the "
      "parameters. Another path is answered 404, another method 405, another parameter 400. A body is JSON; refusals "
      "are Ironic's: {\"error_message\": …}. With ?secrets=true an export takes the role admin.\n\n"
      "Without a token machines ask for /v1/lookup, /v1/heartbeat/*, /v1/continue_inspection and "
      "/v1/hearth/progress, by ironic-python-agent's protocol.\n\n",
      bootstrap::routes_text(), "\n", k_stack_calls);
}

constexpr const char* k_elements =
    "An element is a directory of hook scripts. It is looked up by name in the directories of ELEMENTS_PATH (a colon "
    "between them), then among Hearth's own, then among diskimage-builder's where they are installed; the first one "
    "counts.\n\n"
    "  element-deps, element-provides      other elements, one a line\n"
    "  package-installs.yaml, pkg-map      packages, and how distributions call them\n"
    "  svc-map                             services likewise\n"
    "  environment.d/                      variables, read by bash\n"
    "  PHASE.d/NN-name                     hooks, in the order of NN\n\n";

/// "root, extra-data (…)": the phases that run there, in their order.
std::string phases_at(builder::Place place) {
  std::vector<std::string> names;
  for (const builder::PhaseInfo& phase : builder::k_phases) {
    if (phase.place == place) names.emplace_back(phase.name);
  }
  return join(names, ", ");
}

std::string element_text() {
  std::vector<std::string> all;
  for (const builder::PhaseInfo& phase : builder::k_phases) all.emplace_back(phase.name);
  return cat(k_elements, "Phases, in this order: ", join(all, ", "), ". In the image, as root of a sandbox, run ",
             phases_at(builder::Place::target),
             "; beside it, with its root in TMP_MOUNT_PATH (in root.d and cleanup.d in TARGET_ROOT, too), ",
             phases_at(builder::Place::host), ".\n\n",
             "Example: hearth element new web; hearth element lint web; hearth element info debian-minimal");
}

}  // namespace

std::vector<cli::Group> journeys() {
  return {
      {"images", "Images", "Elements become disks, trees and archives that boot; they are started, compared and kept."},
      {"elements", "Elements",
       "What images are composed of: directories of hook scripts ('hearth help writing-elements')."},
      {"metadata", "Metadata",
       "Heat templates become what each machine is told: compiled to files, or alive in a stack engine."},
      {"network-boot", "Network boot", "Machines get addresses, boot loaders and kernels: DHCP, TFTP and HTTP."},
      {"nodes", "Nodes", "An inventory becomes machines that are switched, inspected, written and configured."},
      {"site", "Seed and site", "The first machine of a site, and the whole site played on this one."},
      {"offline", "Offline", "All that a site without network needs, in one signed file."},
  };
}

std::vector<cli::Topic> help_topics() {
  return {
      {"exit-codes", "Exit status", k_exit_codes},
      {"environment", "Environment", k_environment},
      {"files", "Files", k_files},
      {"rest-calls", "REST calls", rest_text()},
      {"writing-elements", "Writing elements", element_text()},
  };
}

}  // namespace hearth::bootstrap::program
