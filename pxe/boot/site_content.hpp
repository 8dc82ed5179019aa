// What the boot servers hand out for a site: configurations computed for the machine that asks, its profile's kernel
// and ramdisk, the boot loaders' files, and a directory of further files. Called from several threads.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pxe/boot/address_book.hpp"
#include "pxe/boot/answer.hpp"
#include "pxe/boot/boot_files.hpp"
#include "pxe/boot/names.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/serve/content.hpp"

namespace hearth::pxe {

class SiteContent final : public ContentSource {
 public:
  /// `metrics` makes the text of /metrics. The books must outlive it.
  SiteContent(Site site, FoundFiles files, LearningBook& nodes, AddressBook& addresses,
              std::function<std::string()> metrics);

  [[nodiscard]] std::variant<Content, Refusal> open(const ContentRequest& request) override;
  /// New settings, from the next request on. Throws Error when their root can't be opened.
  void use(Site site);

 private:
  struct Settings {
    Site site;
    std::optional<FileRoot> root;
  };
  [[nodiscard]] std::shared_ptr<const Settings> settings() const;
  [[nodiscard]] Identified who(const ComputedName& name, Ipv4 client) const;
  [[nodiscard]] std::optional<std::string> computed(const Site& site, const ContentRequest& request) const;
  [[nodiscard]] std::optional<std::string> path_of(const Site& site, const std::string& name) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const Settings> settings_;
  const FoundFiles files_;
  LearningBook& nodes_;
  AddressBook& addresses_;
  const std::function<std::string()> metrics_;
};

}  // namespace hearth::pxe
