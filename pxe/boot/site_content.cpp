#include "pxe/boot/site_content.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

std::optional<std::string> file_of(const Profile& profile, const std::string& name) {
  if (name == "kernel") return profile.kernel.text();
  if (name == "ramdisk" && !profile.ramdisk.empty()) return profile.ramdisk.text();
  return std::nullopt;
}

}  // namespace

SiteContent::SiteContent(Site site, FoundFiles files, LearningBook& nodes, AddressBook& addresses,
                         std::function<std::string()> metrics)
    : files_(std::move(files)), nodes_(nodes), addresses_(addresses), metrics_(std::move(metrics)) {
  use(std::move(site));
}

std::shared_ptr<const SiteContent::Settings> SiteContent::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

void SiteContent::use(Site site) {
  auto next = std::make_shared<Settings>();
  if (!site.root.empty()) next->root.emplace(site.root);
  next->site = std::move(site);
  const std::lock_guard lock(mutex_);
  settings_ = std::move(next);
}

Identified SiteContent::who(const ComputedName& name, Ipv4 client) const {
  if (!name.identity.empty()) return identify(nodes_, name.identity);
  if (const std::optional<Mac> mac = addresses_.find(client)) return {nodes_.find({.mac = *mac}), *mac, true};
  const NodeRef node = nodes_.find({.address = client});
  return {node, node != nullptr && !node->macs.empty() ? node->macs.front() : Mac{}, true};
}

std::optional<std::string> SiteContent::computed(const Site& site, const ContentRequest& request) const {
  if (request.name == "metrics" && request.protocol == Protocol::http) return metrics_();
  const std::optional<ComputedName> name = computed_name(request.name);
  if (!name) return std::nullopt;
  const Identified found = who(*name, request.client);
  if (!found.known) return std::nullopt;
  if (name->kind == ComputedName::Kind::ipxe && !found.told_serial && found.node == nullptr && nodes_.has_serial_only())
    return ipxe_identify(site, request.server);
  if (found.told_serial && found.node != nullptr) nodes_.learn(found.mac, *found.node);
  // Beside another DHCP server nothing else tells whose address it is.
  if (site.mode == Mode::proxy && !name->identity.empty() && found.mac != Mac{})
    addresses_.put(request.client, found.mac);
  const BootPlan plan = plan_for(site, found.node);
  switch (name->kind) {
    case ComputedName::Kind::ipxe: return ipxe_script(site, plan, found.mac, request.server);
    case ComputedName::Kind::pxelinux: return pxelinux_config(site, plan, request.server);
    case ComputedName::Kind::grub: return grub_config(site, plan, request.server);
  }
  return std::nullopt;
}

std::optional<std::string> SiteContent::path_of(const Site& site, const std::string& name) const {
  const std::vector<std::string> parts = split(name, '/');
  if (parts.size() == 3 && parts[0] == "image") {
    const std::optional<BootState> state = parse_state(parts[1]);
    const auto profile = state ? site.profiles.find(*state) : site.profiles.end();
    return profile == site.profiles.end() ? std::nullopt : file_of(profile->second, parts[2]);
  }
  if (parts.size() == 4 && parts[0] == "image" && parts[1] == "node") {
    const NodeRef node = nodes_.find({.id = parts[2]});
    return node == nullptr || !node->profile ? std::nullopt : file_of(*node->profile, parts[3]);
  }
  const auto found = files_.paths.find(name.starts_with("boot/") ? name.substr(5) : name);
  if (found == files_.paths.end()) return std::nullopt;
  return found->second;
}

std::variant<Content, Refusal> SiteContent::open(const ContentRequest& request) {
  const std::shared_ptr<const Settings> now = settings();
  if (std::optional<std::string> text = computed(now->site, request)) return Content::of_bytes(std::move(*text));
  if (const std::optional<std::string> path = path_of(now->site, request.name)) {
    try {
      return open_content(*path);
    } catch (const Error&) {
      return Refusal{Refusal::Kind::not_found, "File not found"};  // check_files() has named it at start
    }
  }
  if (now->root) return now->root->open(request.name);
  return Refusal{Refusal::Kind::not_found, "File not found"};
}

}  // namespace hearth::pxe
