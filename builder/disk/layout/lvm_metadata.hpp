// What LVM draws at random or takes from the clock, in the head of a physical volume: ids of the group and its volumes,
// times, the host's name, and older versions of the same text. Rewritten so that the same layout gives the same bytes.
// Format: lvm2's lib/format_text (label "LABELONE", pv_header, mda_header, text with raw locations); man 5 lvm.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::builder {

/// The bytes before a physical volume's first extent, with ids that follow from `seed` and the names of group and
/// volumes, all times `epoch`, and one version of the text. Throws Error(input) when they are not LVM's.
[[nodiscard]] std::string fixed_lvm_head(std::string head, std::string_view seed, std::int64_t epoch);

/// Where the first extent begins, by the volume's first 4 KiB. Throws Error(input) when they are not LVM's.
[[nodiscard]] std::uint64_t lvm_data_begin(std::string_view head);

/// The group's text with such ids and times. Physical volumes keep their ids.
[[nodiscard]] std::string fixed_lvm_text(std::string_view text, std::string_view seed, std::int64_t epoch);

/// The text that a physical volume's head holds now. Throws Error(input) when it is not LVM's.
[[nodiscard]] std::string lvm_text(std::string_view head);

/// A derived id in LVM's form: 32 characters in groups of 6-4-4-4-4-4-6.
[[nodiscard]] std::string lvm_id(std::string_view seed, std::string_view purpose);

}  // namespace hearth::builder
