// The names that boot loaders ask for, and what each means: whose configuration, in which language. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pxe/boot/node_table.hpp"

namespace hearth::pxe {

struct ComputedName {
  enum class Kind { ipxe, pxelinux, grub };
  Kind kind = Kind::ipxe;
  std::string identity;  ///< a MAC, UUID, serial or address, or what ipxe_identify() makes; empty: whoever asks
};

/// Nothing for names of ordinary files. PXELINUX asks pxelinux.cfg/<UUID>, 01-<mac>, <hex address>, its prefixes,
/// default; GRUB asks grub.cfg-01-<mac>, grub.cfg; iPXE what we told it, or autoexec.ipxe.
[[nodiscard]] std::optional<ComputedName> computed_name(std::string_view name);

struct Identified {
  NodeRef node;
  Mac mac;             ///< zero when it isn't known
  bool known = false;  ///< the identity is of a form that says who it is: a node's, or any MAC
  bool told_serial = false;
};
/// Who an identity names. A UUID may stand in wire order, as PXELINUX prints it.
[[nodiscard]] Identified identify(const NodeBook& nodes, const std::string& identity);

}  // namespace hearth::pxe
