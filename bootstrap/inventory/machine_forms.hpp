// The forms of other projects, each to entries with instackenv's keys: what a table of fields (form_fields.hpp) can't
// say. Each function gets entries as the file has them, and changes them in place.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

/// All objects of a file. Other namespaces have others of the same name, with other passwords.
class KubernetesObjects {
 public:
  /// They must outlive this.
  explicit KubernetesObjects(const std::vector<ListingEntry>& objects);

  /// The object that `path` of `entry` names; where there is none, or one can't tell which, a fault there. What has no
  /// namespace in the file belongs to any: kubectl gives it one.
  [[nodiscard]] const ListingEntry* find(const char* kind, const std::string& space, const std::string& name,
                                         ListingEntry& entry, const std::string& path) const;

 private:
  /// By kind, name and namespace.
  std::map<std::tuple<std::string, std::string, std::string>, const ListingEntry*> by_name_;
};

/// BareMetalHost, with the Secret that it names.
void from_metal3_form(ListingEntry& host, const KubernetesObjects& objects);
/// Hardware, with its Machine (bmc.tinkerbell.org) and that one's Secret.
void from_tinkerbell_form(ListingEntry& hardware, const KubernetesObjects& objects);
/// A row of Tinkerbell's hardware.csv.
void from_tinkerbell_row(ListingEntry& row);
/// An item of `maas machines read`, with power_parameters where somebody put them in.
void from_maas_form(ListingEntry& machine);
/// A row of NetBox' devices. Custom fields (cf_…) that have names of ours mean the same.
void from_netbox_row(ListingEntry& row);
/// A node of nodes.conf, on which its profiles lie already.
void from_warewulf_form(const std::string& name, ListingEntry& node);
/// A node of OpenCHAMI's nodes.yaml; `bmcs` are those of the file (its newer form), by xname and name.
void from_openchami_form(ListingEntry& node, const std::map<std::string, const Json*>& bmcs);
/// What ansible-vault has encrypted begins so, and what is said of it.
inline constexpr std::string_view k_vault_mark = "$ANSIBLE_VAULT;";
inline constexpr std::string_view k_vaulted =
    "is encrypted by ansible-vault, and only Ansible has its password: give it decrypted (ansible-vault view FILE; "
    "ansible HOST -m debug -a var=NAME for a value)";
/// A host with all its variables.
void from_ansible_form(const std::string& name, ListingEntry& host);
/// Whether a host is a machine that somebody manages: one of its variables says how.
[[nodiscard]] bool is_managed_host(const Json& variables);

/// "redfish+https://192.0.2.5:8000/redfish/v1/Systems/1" → pm_type, pm_addr, pm_port, pm_system_id, as Metal3 reads it;
/// empty, or what is wrong.
[[nodiscard]] std::string take_bmc_address(const std::string& address, Json& made);

/// x86_64 for amd64, aarch64 for arm64; others as they are.
[[nodiscard]] std::string kernel_arch(std::string_view name);

}  // namespace hearth::bootstrap
