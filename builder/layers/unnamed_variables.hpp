// Whether a text reads variables without saying their names (`env`, `${!name}`, os.environ): then all that it could
// see are its inputs. Pure text work; what it takes for such a reading wrongly costs time, what it misses a wrong
// image.
#pragma once

#include <string_view>

namespace hearth::builder {

[[nodiscard]] bool lists_variables(std::string_view text);

}  // namespace hearth::builder
