#include "bootstrap/conductor/config_drive.hpp"

#include <libdeflate.h>

#include "base/error.hpp"
#include "base/hmac.hpp"
#include "metadata/bake/seed_drive.hpp"

namespace hearth::bootstrap {

namespace {

std::string gzipped(const std::string& bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  if (!compressor) throw Error(ErrorKind::io, "compressing a config drive: out of memory");
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
  return out;
}

std::string as_text(const Json& value) { return value.is_string() ? value.get<std::string>() : format_json(value); }

Json first_of(const Json& one, const Json& other, const char* key) {
  if (one.is_object() && one.contains(key)) return one[key];
  return other.is_object() && other.contains(key) ? other[key] : Json();
}

}  // namespace

std::string config_drive(const Json& contents) {
  std::vector<metadata::SeedFile> files;
  const auto add = [&](const char* key, const std::vector<const char*>& names) {
    if (!contents.contains(key) || contents[key].is_null()) return;
    for (const char* name : names) files.push_back({name, as_text(contents[key])});
  };
  add("meta_data", {"openstack/latest/meta_data.json", "ec2/latest/meta-data.json"});
  add("user_data", {"openstack/latest/user_data", "ec2/latest/user-data"});
  add("network_data", {"openstack/latest/network_data.json"});
  add("vendor_data", {"openstack/latest/vendor_data2.json"});
  return base64_encode(gzipped(metadata::iso_image(files, "config-2")));
}

std::string role_of(const Node& node) { return node.capability("profile").value_or(""); }

Json drive_contents(const Node& node, const Json& role) {
  const Json own = node.extra.value("x_seed", Json::object());
  const Json keys = first_of(own, role, "ssh_keys");
  const Json user_data = first_of(own, role, "user_data");
  const Json further = first_of(own, role, "meta_data");
  const Json network = node.fields.value("network_data", Json::object());
  if (keys.is_null() && user_data.is_null() && further.is_null() && network.empty()) return nullptr;
  Json meta = {{"uuid", node.instance_uuid.empty() ? node.uuid : node.instance_uuid},
               {"name", node.title()},
               {"hostname", node.title()}};
  if (keys.is_array()) {
    Json named = Json::object();
    for (const Json& key : keys)
      named[named.empty() ? std::string("default") : "key" + std::to_string(named.size())] = key;
    meta["public_keys"] = named;
  }
  if (further.is_object()) meta.update(further);
  Json contents = {{"meta_data", meta}};
  if (!user_data.is_null()) contents["user_data"] = user_data;
  if (!network.empty()) contents["network_data"] = network;
  return contents;
}

}  // namespace hearth::bootstrap
