// The old name of WebClient.
#pragma once

#include "base/net/web_client.hpp"

namespace hearth {
using BeastClient = WebClient;
}  // namespace hearth
