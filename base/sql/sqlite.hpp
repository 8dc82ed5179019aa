// The former name of database.hpp.
#pragma once

#include "base/sql/database.hpp"
