// What a seed gives a cloud, in the cloud's words: nodes as Ironic takes them, images as glance does, and the signed
// record of it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

/// One file of a registered image, as an image of glance.
struct GivenImage {
  std::string name;  ///< NAME, NAME-kernel, NAME-ramdisk
  fs::path file;
  std::string sha256;
  std::uint64_t size = 0;
  std::string format;              ///< qcow2, raw, aki, ari
  std::vector<std::string> words;  ///< by which nodes of the seed mean it
  std::string id;                  ///< in glance
  bool there = false;              ///< and compared
  bool operator==(const GivenImage&) const = default;
};

struct GivenNode {
  std::string uuid;
  std::string name;
  std::string goal;  ///< its provision state, here and there
  bool there = false;
  bool operator==(const GivenNode&) const = default;
};

/// The files of registered images (`GET /v1/hearth/images`), not yet read. `given`: files of this machine, by NAME,
/// NAME-kernel and NAME-ramdisk, in place of those that the seed names.
[[nodiscard]] std::vector<GivenImage> images_to_give(const Json& images, const std::map<std::string, fs::path>& given);

/// The nodes (as `GET /v1/nodes/detail` shows them) that go; `left` stay.
[[nodiscard]] std::vector<GivenNode> nodes_to_give(const Json& nodes, const std::set<std::string>& left);

/// Why a node can't be given, a line each; `drivers` are the cloud's.
[[nodiscard]] std::vector<std::string> node_faults(const Json& node, const std::set<std::string>& drivers);

/// Glance's id of the image that a word of the seed's nodes means; empty when none does.
[[nodiscard]] std::string image_meant(const std::string& word, const std::vector<GivenImage>& images);

/// What is not, or not wholly, as it was, a line each.
[[nodiscard]] std::vector<std::string> node_notes(const Json& node, const std::vector<GivenImage>& images);

/// The body of POST /v1/nodes. `whole`: what the seed tells of a node that it gives. `id`: of the handover.
[[nodiscard]] Json node_for_cloud(const Json& whole, const std::vector<GivenImage>& images, const std::string& id);
[[nodiscard]] Json port_for_cloud(const Json& port);

/// What a node that must be reached is asked next: a verb of Ironic, "" where it is on its way, or "done".
[[nodiscard]] std::string next_verb(const std::string& state, const std::string& goal);

/// Where ours are told from others', in a node's extra and an image's properties.
constexpr const char* k_handover_mark = "hearth_handover";

/// The statement about it (in-toto v1) in a signed envelope (DSSE). `predicate` tells nodes and the like.
[[nodiscard]] std::string signed_record(const std::vector<GivenImage>& images, const Json& predicate,
                                        std::string_view key_pem);
/// What such a record says. Throws Error(input) where it was altered, or `key` (hexadecimal) has not signed it.
[[nodiscard]] Json open_record(const std::string& envelope, const std::string& source, const std::string& key);

}  // namespace hearth::bootstrap
