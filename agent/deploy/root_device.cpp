#include "agent/deploy/root_device.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_gib = std::uint64_t{1} << 30U;
constexpr std::uint64_t k_smallest = 4 * k_gib;

struct Operator {
  std::string_view name;
  bool text;  ///< for texts; else for numbers
  bool (*holds)(int order);
};

// A longer name comes before the shorter one that it begins with.
constexpr std::array k_operators = {Operator{"s==", true, [](int order) { return order == 0; }},
                                    Operator{"s!=", true, [](int order) { return order != 0; }},
                                    Operator{"s<=", true, [](int order) { return order <= 0; }},
                                    Operator{"s>=", true, [](int order) { return order >= 0; }},
                                    Operator{"s<", true, [](int order) { return order < 0; }},
                                    Operator{"s>", true, [](int order) { return order > 0; }},
                                    Operator{"==", false, [](int order) { return order == 0; }},
                                    Operator{"!=", false, [](int order) { return order != 0; }},
                                    Operator{">=", false, [](int order) { return order >= 0; }},
                                    Operator{"<=", false, [](int order) { return order <= 0; }},
                                    Operator{"=", false, [](int order) { return order >= 0; }},
                                    Operator{"<", false, [](int order) { return order < 0; }},
                                    Operator{">", false, [](int order) { return order > 0; }}};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::optional<double> hint_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

int order_of(const std::string& actual, const std::string& wanted, bool text) {
  if (text) return actual.compare(wanted);
  const std::optional<double> left = hint_number(actual);
  const std::optional<double> right = hint_number(wanted);
  if (!left || !right) throw Error(ErrorKind::input, cat("'", !right ? wanted : actual, "' is no number"));
  return *left < *right ? -1 : *left > *right ? 1 : 0;
}

bool holds_any(std::string_view alternatives, const std::string& actual) {
  std::string text(alternatives);
  for (const std::string& part : split(replace_all(std::move(text), "<or>", "\n"), '\n')) {
    if (std::string(trim(part)) == actual) return true;
  }
  return false;
}

/// How a hint is called, and what a disk has there.
struct Hint {
  std::string_view name;
  bool number;
  std::function<std::string(const Disk&)> of;
};

const std::vector<Hint>& hints_known() {
  static const std::vector<Hint> known = {
      {"name", false, [](const Disk& disk) { return disk.name; }},
      {"model", false, [](const Disk& disk) { return disk.model; }},
      {"vendor", false, [](const Disk& disk) { return disk.vendor; }},
      {"serial", false, [](const Disk& disk) { return disk.serial; }},
      {"wwn", false, [](const Disk& disk) { return disk.wwn; }},
      {"wwn_with_extension", false, [](const Disk& disk) { return disk.wwn_with_extension; }},
      {"wwn_vendor_extension", false, [](const Disk& disk) { return disk.wwn_vendor_extension; }},
      {"hctl", false, [](const Disk& disk) { return disk.hctl; }},
      {"by_path", false, [](const Disk& disk) { return disk.by_path; }},
      {"tran", false, [](const Disk& disk) { return disk.transport; }},
      {"size", true, [](const Disk& disk) { return std::to_string(disk.size / k_gib); }},
      {"rotational", false, [](const Disk& disk) { return std::string(disk.rotational ? "true" : "false"); }}};
  return known;
}

std::string wanted_text(const std::string& name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return format_json(value);
  if (!value.is_string())
    throw Error(ErrorKind::input, cat("the root device hint ", name, " must be a text or a number"));
  std::string text = value.get<std::string>();
  if (name != "rotational") return text;
  const std::string low = to_lower(trim(text));
  const bool yes = low == "true" || low == "1" || low == "yes" || low == "on" || low == "t" || low == "y";
  return yes ? "true" : "false";
}

bool matches(const Disk& disk, const Json& hints) {
  const std::vector<Hint>& known = hints_known();
  return std::all_of(hints.items().begin(), hints.items().end(), [&](const auto& item) {
    const auto hint =
        std::find_if(known.begin(), known.end(), [&item](const Hint& one) { return one.name == item.key(); });
    if (hint == known.end()) {
      throw Error(ErrorKind::input, cat("the root device hint '", item.key(), "' is not known"))
          .hint(
              "Known are name, model, vendor, serial, wwn, wwn_with_extension, wwn_vendor_extension, hctl, by_path, "
              "tran,\n"
              "size and rotational.");
    }
    return hint_holds(wanted_text(item.key(), item.value()), hint->of(disk), hint->number);
  });
}

std::string listed(const std::vector<Disk>& disks) {
  std::string text;
  for (const Disk& disk : disks) {
    text += cat(text.empty() ? "" : ", ", disk.name, " (", human_bytes(disk.size), disk.model.empty() ? "" : ", ",
                disk.model, disk.serial.empty() ? "" : ", serial ", disk.serial, ")");
  }
  return text.empty() ? "none" : text;
}

/// Why a disk should not be overwritten; empty = it may.
std::string disk_refusal(const Disk& disk) {
  if (disk.read_only) return "is read-only";
  if (disk.removable) return "is removable";
  return disk.held ? "is part of LVM, RAID or multipath" : "";
}

}  // namespace

bool hint_holds(std::string_view wanted_as_given, std::string_view actual_as_given, bool number) {
  const std::string wanted = to_lower(trim(wanted_as_given));
  const std::string actual = to_lower(trim(actual_as_given));
  const auto after = [&wanted](std::string_view name) {
    return std::string(trim(std::string_view(wanted).substr(name.size())));
  };
  if (wanted.rfind("<in>", 0) == 0) return has(actual, after("<in>"));
  if (wanted.rfind("<or>", 0) == 0) return holds_any(after("<or>"), actual);
  if (wanted.rfind("<all-in>", 0) == 0) {
    const std::vector<std::string> parts = split_words(after("<all-in>"));
    return std::all_of(parts.begin(), parts.end(), [&actual](const std::string& part) { return has(actual, part); });
  }
  for (const Operator& one : k_operators) {
    if (wanted.rfind(one.name, 0) == 0) return one.holds(order_of(actual, after(one.name), one.text));
  }
  return order_of(actual, wanted, !number) == 0;
}

Disk choose_root_device(const std::vector<Disk>& disks, const Json& hints) {
  const bool hinted = hints.is_object() && !hints.empty();
  std::vector<Disk> fitting;
  std::string refused;
  for (const Disk& disk : disks) {
    if (hinted ? !matches(disk, hints) : disk.size < k_smallest) continue;
    const std::string why = disk_refusal(disk);
    if (why.empty()) {
      fitting.push_back(disk);
    } else {
      refused += cat(refused.empty() ? "" : "; ", disk.name, " ", why);
    }
  }
  const std::string what =
      hinted ? cat("the root device hints ", format_json(hints)) : "a root device of at least 4 GiB";
  if (fitting.empty()) {
    throw Error(ErrorKind::input, cat("No suitable device was found for deployment: no disk fits ", what,
                                      ". Disks: ", listed(disks), refused.empty() ? "" : ". Left out: ", refused))
        .hint(hinted ? "Set properties/root_device of the node to what one of these disks is."
                     : "A disk that is missing here needs its controller's driver in the ramdisk.");
  }
  if (hinted && fitting.size() > 1) {
    throw Error(ErrorKind::input, cat(what, " fit several disks: ", listed(fitting)))
        .hint("Add a hint that tells them apart, such as the serial number.");
  }
  return *std::min_element(fitting.begin(), fitting.end(), [](const Disk& a, const Disk& b) {
    return a.size != b.size ? a.size < b.size : a.name < b.name;
  });
}

}  // namespace hearth::agent::deploy
