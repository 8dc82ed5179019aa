// The files of Hiera that a server's deployments write, so that puppet finds them without an agent. Formats: the maps
// of the deployment group `hiera` ({"hierarchy": […], "datafiles": {NAME: {…}}}) and of the key `hiera` of
// os-apply-config (datafiles with raw_data and mapped_data); hiera.yaml of version 3.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata {

/// Names below /etc/puppet ("hieradata/NAME.json", "hieradata/NAME.yaml", "hiera.yaml") and texts, of the server's
/// whole document; empty where nothing in it is for Hiera. Of files of one name the later deployment's wins. A map of
/// group hiera without datafiles is one file, named as the deployment. Throws Fault: a name leads out of hieradata/.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> hiera_files(const Value& document);

}  // namespace hearth::metadata
