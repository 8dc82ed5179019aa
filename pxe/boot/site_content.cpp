#include "pxe/boot/site_content.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

void AddressBook::put(Ipv4 address, const Mac& mac) {
  const std::lock_guard lock(mutex_);
  macs_[address] = mac;
}

std::optional<Mac> AddressBook::find(Ipv4 address) const {
  const std::lock_guard lock(mutex_);
  const auto found = macs_.find(address);
  if (found == macs_.end()) return std::nullopt;
  return found->second;
}

SiteContent::SiteContent(Site site, FoundFiles files, const AddressBook& addresses,
                         std::function<std::string()> metrics)
    : site_(std::make_shared<const Site>(std::move(site))),
      files_(std::move(files)),
      addresses_(addresses),
      metrics_(std::move(metrics)) {
  if (!site_->root.empty()) root_.emplace(site_->root);
}

std::shared_ptr<const Site> SiteContent::site() const {
  const std::lock_guard lock(mutex_);
  return site_;
}

void SiteContent::use(Site site) {
  auto next = std::make_shared<const Site>(std::move(site));
  const std::lock_guard lock(mutex_);
  site_ = std::move(next);
}

Identified SiteContent::who(const Site& site, const ComputedName& name, Ipv4 client) const {
  if (!name.identity.empty()) return identify(site, name.identity);
  if (const std::optional<Mac> mac = addresses_.find(client)) return {site.find(*mac), *mac, true};
  const Node* node = site.find_address(client);
  return {node, node != nullptr && !node->macs.empty() ? node->macs.front() : Mac{}, true};
}

std::optional<std::string> SiteContent::computed(const Site& site, const ContentRequest& request) const {
  if (request.name == "metrics" && request.protocol == Protocol::http) return metrics_();
  const std::optional<ComputedName> name = computed_name(request.name);
  if (!name) return std::nullopt;
  const Identified found = who(site, *name, request.client);
  if (!found.known) return std::nullopt;
  const BootPlan plan = plan_for(site, found.node);
  switch (name->kind) {
    case ComputedName::Kind::ipxe: return ipxe_script(site, plan, found.mac, request.server);
    case ComputedName::Kind::pxelinux: return pxelinux_config(site, plan, request.server);
    case ComputedName::Kind::grub: return grub_config(site, plan, request.server);
  }
  return std::nullopt;
}

std::optional<std::string> SiteContent::path_of(const Site& site, const std::string& name) const {
  for (const auto& [state, profile] : site.profiles) {
    const std::string folder = cat("image/", state_name(state), '/');
    if (name == folder + "kernel") return profile.kernel;
    if (name == folder + "ramdisk" && !profile.ramdisk.empty()) return profile.ramdisk;
  }
  const auto found = files_.paths.find(name.starts_with("boot/") ? name.substr(5) : name);
  if (found == files_.paths.end()) return std::nullopt;
  return found->second;
}

std::variant<Content, Refusal> SiteContent::open(const ContentRequest& request) {
  const std::shared_ptr<const Site> site = this->site();
  if (std::optional<std::string> text = computed(*site, request)) return Content::of_bytes(std::move(*text));
  if (const std::optional<std::string> path = path_of(*site, request.name)) {
    try {
      return open_content(*path);
    } catch (const Error&) {
      return Refusal{Refusal::Kind::not_found, "File not found"};  // check_files() has named it at start
    }
  }
  if (root_) return root_->open(request.name);
  return Refusal{Refusal::Kind::not_found, "File not found"};
}

}  // namespace hearth::pxe
