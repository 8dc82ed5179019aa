// JSON's members are instantiated in json.cpp; without this each test would make them anew.
#pragma once

#include "base/json.hpp"

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
