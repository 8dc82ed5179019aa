// What the boot servers hand out for a site: configurations computed for the machine that asks, its profile's kernel
// and ramdisk, the boot loaders' files, and a directory of further files. Called from several threads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pxe/boot/answer.hpp"
#include "pxe/boot/boot_files.hpp"
#include "pxe/boot/names.hpp"
#include "pxe/content.hpp"

namespace hearth::pxe {

/// Which machine has which address, as far as leases tell.
class AddressBook {
 public:
  void put(Ipv4 address, const Mac& mac);
  [[nodiscard]] std::optional<Mac> find(Ipv4 address) const;

 private:
  mutable std::mutex mutex_;
  std::map<Ipv4, Mac> macs_;
};

class SiteContent final : public ContentSource {
 public:
  /// `metrics` makes the text of /metrics.
  SiteContent(Site site, FoundFiles files, const AddressBook& addresses, std::function<std::string()> metrics);

  [[nodiscard]] std::variant<Content, Refusal> open(const ContentRequest& request) override;
  /// A new inventory, from the next request on.
  void use(Site site);

 private:
  [[nodiscard]] std::shared_ptr<const Site> site() const;
  [[nodiscard]] Identified who(const Site& site, const ComputedName& name, Ipv4 client) const;
  [[nodiscard]] std::optional<std::string> computed(const Site& site, const ContentRequest& request) const;
  [[nodiscard]] std::optional<std::string> path_of(const Site& site, const std::string& name) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const Site> site_;
  const FoundFiles files_;
  const AddressBook& addresses_;
  const std::function<std::string()> metrics_;
  std::optional<FileRoot> root_;
};

}  // namespace hearth::pxe
