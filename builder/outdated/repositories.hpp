// Package repositories as they are now: each is asked once, however many images were made from it. Its Release file has
// to be signed by a key of this machine, or the report says that nobody answers for it; lists are checked against it,
// and kept by their digests.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/net/http.hpp"
#include "base/sys/process.hpp"
#include "builder/blobs/blob_store.hpp"
#include "builder/outdated/package_offers.hpp"
#include "builder/outdated/release_file.hpp"

namespace hearth::builder {

struct RepositoryLook {
  std::string name;       ///< its suite, else its URL
  std::size_t offer = 0;  ///< its number in offers()
  std::string fault;      ///< why what it has is not known; empty when it is
  std::string unchecked;  ///< why nobody answers for its signature; empty when somebody does
};

struct RepositoriesSetup {
  HttpClient& client;
  CommandRunner& runner;
  const Clock& clock;
  BlobStore lists;
  fs::path scratch;  ///< of gpgv's input
  std::vector<fs::path> keyrings;
  Environment environment;              ///< may have credentials for a URL (RepositoryStates)
  std::set<std::string> architectures;  ///< of all images
};

class Repositories {
 public:
  explicit Repositories(RepositoriesSetup setup) : setup_(std::move(setup)) {}
  /// `url` of an InRelease or Release file, http, https or file. Never throws for what a server does.
  [[nodiscard]] const RepositoryLook& at(const std::string& url);
  [[nodiscard]] const PackageOffers& offers() const { return offers_; }

 private:
  [[nodiscard]] RepositoryLook look(const std::string& url);
  [[nodiscard]] std::string fetched(const std::string& url, std::size_t limit) const;
  void take_list(const std::string& base, const ReleaseFile& release, const PackageListFile& list);
  void fetch_list(const std::string& base, const ReleaseFile& release, const PackageListFile& list) const;

  RepositoriesSetup setup_;
  PackageOffers offers_;
  std::map<std::string, RepositoryLook> looks_;
};

}  // namespace hearth::builder
