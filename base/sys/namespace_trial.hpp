// Whether this process may have what NamespacedProcess is made of (namespace.cpp), found out by trying.
#pragma once

#include <cstdint>
#include <optional>

#include "base/sys/namespace.hpp"

namespace hearth {

struct NamespaceRefusal {
  enum class What : std::uint8_t {
    namespaces,
    ids,    ///< the maps of their ids
    mounts  ///< within them, where this process is root
  };
  What what = What::namespaces;
  int error_number = 0;  ///< of the call that was refused; 0 = a program said no
};

/// Nothing where all of it is there.
[[nodiscard]] std::optional<NamespaceRefusal> refused_namespaces(const IdMaps& maps);

}  // namespace hearth
