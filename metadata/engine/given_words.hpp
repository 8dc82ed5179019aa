// How far an agent is that is to ask another service from now on: "state" of what was given of its server.
#pragma once

namespace hearth::metadata::live {

constexpr const char* k_to_mark = "to mark";  ///< it is to mark as run what ran here, by the ids that these have there
constexpr const char* k_told = "told";        ///< where to ask
constexpr const char* k_follows = "follows";  ///< the other service's document has reached it

constexpr const char* k_mark_name = "hearth-handover";      ///< of the entry in its metadata
constexpr const char* k_given_to = "given_to";              ///< in a stack's body
constexpr const char* k_given_for_good = "given_for_good";  ///< likewise: it does not come back, and can be forgotten

}  // namespace hearth::metadata::live
