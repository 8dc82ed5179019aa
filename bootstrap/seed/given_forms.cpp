#include "bootstrap/seed/given_forms.hpp"

#include <algorithm>
#include <array>

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::bootstrap {

namespace {

namespace evidence = builder::evidence;

constexpr const char* k_record_type = "urn:hearth:handover:1";
constexpr std::array<const char*, 4> k_goals = {"active", "available", "manageable", "enroll"};
/// What boots a node's ramdisk: no other word of driver_info means an image.
constexpr std::array<const char*, 4> k_boot_words = {"deploy_kernel", "deploy_ramdisk", "rescue_kernel",
                                                     "rescue_ramdisk"};

bool is_url(const std::string& word) { return word.starts_with("http://") || word.starts_with("https://"); }

/// A file of the seed, and by what it is meant there.
struct SeedFile {
  std::string name;
  std::string file;
  std::string format;
  std::string sha256;
  std::string url;
};

/// One that has several names there goes once, and each of them means it.
void take(std::vector<GivenImage>& found, const SeedFile& seed, const std::map<std::string, fs::path>& given) {
  const auto is_it = [&](const GivenImage& image) {
    return !seed.file.empty() && image.sha256 == seed.sha256 && image.words.back() == seed.file;
  };
  auto image = std::find_if(found.begin(), found.end(), is_it);
  if (image == found.end())
    image = found.insert(found.end(), {seed.name, seed.file, seed.sha256, 0, seed.format, {}, "", false});
  if (const auto own = given.find(seed.name); own != given.end()) image->file = own->second;
  std::vector<std::string> words = {seed.name, seed.url};
  words.insert(words.end(), image->words.begin(), image->words.end());
  if (image->words.empty()) words.push_back(seed.file);
  std::erase(words, "");
  image->words = std::move(words);
}

}  // namespace

std::vector<GivenImage> images_to_give(const Json& images, const std::map<std::string, fs::path>& given) {
  std::vector<GivenImage> found;
  for (const Json& row : list_member(images, "images")) {
    const std::string name = text_in(row, "name");
    const std::string sha256 =
        text_in(row, "image_os_hash_algo") == "sha256" ? text_in(row, "image_os_hash_value") : "";
    const std::string format = text_in(row, "image_disk_format", "raw");
    take(found, {name, text_in(row, "file"), format, sha256, text_in(row, "image_source")}, given);
    for (const auto& [part, kind] : {std::pair{"kernel", "aki"}, std::pair{"ramdisk", "ari"}}) {
      if (const std::string file = text_in(row, part); !file.empty())
        take(found, {cat(name, "-", part), file, kind, "", ""}, given);
    }
  }
  return found;
}

std::vector<GivenNode> nodes_to_give(const Json& nodes, const std::set<std::string>& left) {
  std::vector<GivenNode> found;
  for (const Json& node : list_member(nodes, "nodes")) {
    const std::string uuid = text_in(node, "uuid");
    const std::string name = text_in(node, "name", uuid);
    if (left.contains(uuid) || left.contains(name)) continue;
    found.push_back({uuid, name, text_in(node, "provision_state")});
  }
  return found;
}

std::vector<std::string> node_faults(const Json& node, const std::set<std::string>& drivers) {
  std::vector<std::string> faults;
  const std::string name = text_in(node, "name", text_in(node, "uuid"));
  const std::string state = text_in(node, "provision_state");
  if (std::find(k_goals.begin(), k_goals.end(), state) == k_goals.end())
    faults.push_back(cat(name, " is ", state, ": it goes as active, available, manageable or enroll only"));
  if (node.value("maintenance", false))
    faults.push_back(cat(name, " is in maintenance: ", text_in(node, "maintenance_reason", "no reason is told")));
  const std::string driver = text_in(node, "driver");
  if (!drivers.contains(driver))
    faults.push_back(cat(name, " has the driver ", driver, ", which no conductor of the cloud has (it has ",
                         join(std::vector<std::string>(drivers.begin(), drivers.end()), ", "), ")"));
  return faults;
}

std::string image_meant(const std::string& word, const std::vector<GivenImage>& images) {
  for (const GivenImage& image : images) {
    if (std::find(image.words.begin(), image.words.end(), word) != image.words.end()) return image.id;
  }
  return "";
}

namespace {

/// A node's deploy_kernel may be the name of an image whose kernel is meant.
std::string boot_image(const std::string& key, const std::string& word, const std::vector<GivenImage>& images) {
  const std::string part = key.substr(key.find('_') + 1);
  const std::string whole = image_meant(cat(word, "-", part), images);
  return whole.empty() ? image_meant(word, images) : whole;
}

}  // namespace

std::vector<std::string> node_notes(const Json& node, const std::vector<GivenImage>& images) {
  std::vector<std::string> notes;
  const std::string name = text_in(node, "name", text_in(node, "uuid"));
  const Json& info = object_member(node, "driver_info");
  for (const char* key : k_boot_words) {
    const std::string word = text_in(info, key);
    if (!word.empty() && !is_url(word) && boot_image(key, word, images).empty())
      notes.push_back(
          cat(name, ": its ", key, " ", word, " is no registered image, and is left out: set it in the cloud"));
  }
  const Json& instance = object_member(node, "instance_info");
  const std::string source = text_in(instance, "image_source");
  if (!source.empty() && !is_url(source) && image_meant(source, images).empty())
    notes.push_back(cat(name, ": its image ", source, " is no registered image, and is left out"));
  if (instance.contains("configdrive"))
    notes.push_back(cat(name, ": its config drive stays on its disk only: who rebuilds it gives another"));
  if (object_member(node, "extra").contains("x_seed"))
    notes.push_back(cat(name, ": what the inventory tells of its first boot (x_seed) stays with the seed"));
  return notes;
}

Json node_for_cloud(const Json& whole, const std::vector<GivenImage>& images, const std::string& id) {
  Json body = {{"uuid", whole.at("uuid")}, {"driver", whole.at("driver")}, {"automated_clean", false}};
  for (const char* key :
       {"name", "resource_class", "owner", "lessee", "description", "instance_uuid", "conductor_group"}) {
    if (const Json& value = member_or_null(whole, key); !value.is_null() && value != "") body[key] = value;
  }
  body["properties"] = object_member(whole, "properties");
  Json info = object_member(whole, "driver_info");
  for (const char* key : k_boot_words) {
    const std::string word = text_in(info, key);
    if (word.empty()) continue;
    if (const std::string meant = boot_image(key, word, images); !meant.empty())
      info[key] = meant;
    else if (!is_url(word))
      info.erase(key);
  }
  body["driver_info"] = std::move(info);
  Json instance = object_member(whole, "instance_info");
  instance.erase("configdrive");
  if (const std::string source = text_in(instance, "image_source"); !source.empty()) {
    const std::string meant = image_meant(source, images);
    if (!meant.empty())
      instance["image_source"] = meant;
    else if (!is_url(source))
      instance.erase("image_source");
    if (!instance.contains("image_type") && !instance.contains("kernel")) instance["image_type"] = "whole-disk";
  }
  body["instance_info"] = std::move(instance);
  Json extra = object_member(whole, "extra");
  extra.erase("x_seed");
  extra[k_handover_mark] = id;
  body["extra"] = std::move(extra);
  return body;
}

Json port_for_cloud(const Json& port) {
  Json body = Json::object();
  for (const char* key : {"uuid", "address", "node_uuid", "pxe_enabled", "is_smartnic", "local_link_connection",
                          "physical_network", "extra"}) {
    if (const Json& value = member_or_null(port, key); !value.is_null()) body[key] = value;
  }
  return body;
}

std::string next_verb(const std::string& state, const std::string& goal) {
  if (state == goal) return "done";
  if (state == "enroll") return "manage";
  if (state == "manageable") return goal == "active" ? "adopt" : "provide";
  if (state == "adopt failed") return "adopt";
  if (state == "clean failed" || state == "inspect failed") return "manage";
  return "";
}

std::string signed_record(const std::vector<GivenImage>& images, const Json& predicate, std::string_view key_pem) {
  Json subjects = Json::array();
  for (const GivenImage& image : images)
    subjects.push_back({{"name", image.name}, {"digest", {{"sha256", image.sha256}}}});
  const std::string payload = format_json({{"_type", evidence::k_statement_type},
                                           {"subject", std::move(subjects)},
                                           {"predicateType", k_record_type},
                                           {"predicate", predicate}});
  return json_document(evidence::envelope(payload, frames::sign(evidence::signed_text(payload), key_pem),
                                          frames::public_key_of(key_pem)));
}

Json open_record(const std::string& envelope, const std::string& source, const std::string& key) {
  const Json outer = parse_json(envelope, source).value_or_throw();
  const std::optional<std::string> payload = base64_decode(text_in(outer, "payload"));
  for (const Json& signature : list_member(outer, "signatures")) {
    const std::optional<std::string> bytes = base64_decode(text_in(signature, "sig"));
    if (!payload || !bytes || !frames::verify(evidence::signed_text(*payload), *bytes, key)) continue;
    const Json statement = parse_json(*payload, source).value_or_throw();
    if (text_in(statement, "predicateType") != k_record_type) break;
    return statement;
  }
  throw Error(ErrorKind::input, cat(source, ": no record of a handover that this key has signed, as it stands"))
      .hint("It was altered, or another key has signed it.");
}

}  // namespace hearth::bootstrap
