#include "pxe/boot/node.hpp"

#include <map>

namespace hearth::pxe {

std::string_view state_name(BootState state) {
  switch (state) {
    case BootState::deploy: return "deploy";
    case BootState::inspect: return "inspect";
    case BootState::rescue: return "rescue";
    case BootState::hold: return "hold";
    case BootState::local: break;
  }
  return "local";
}

std::optional<BootState> parse_state(std::string_view text) {
  static const std::map<std::string_view, BootState> names = {{"local", BootState::local},
                                                              {"deploy", BootState::deploy},
                                                              {"inspect", BootState::inspect},
                                                              {"rescue", BootState::rescue},
                                                              {"hold", BootState::hold},
                                                              {"active", BootState::local},
                                                              {"available", BootState::local},
                                                              {"manageable", BootState::local},
                                                              {"error", BootState::local},
                                                              {"deploying", BootState::deploy},
                                                              {"wait call-back", BootState::deploy},
                                                              {"cleaning", BootState::deploy},
                                                              {"clean wait", BootState::deploy},
                                                              {"inspecting", BootState::inspect},
                                                              {"inspect wait", BootState::inspect},
                                                              {"rescuing", BootState::rescue},
                                                              {"rescue wait", BootState::rescue},
                                                              {"servicing", BootState::deploy},
                                                              {"service wait", BootState::deploy},
                                                              {"unrescuing", BootState::local},
                                                              {"deploy hold", BootState::hold},
                                                              {"clean hold", BootState::hold},
                                                              {"service hold", BootState::hold},
                                                              {"enroll", BootState::inspect},
                                                              {"deploy failed", BootState::hold},
                                                              {"clean failed", BootState::hold},
                                                              {"inspect failed", BootState::hold},
                                                              {"rescue failed", BootState::hold}};
  const auto found = names.find(text);
  if (found == names.end()) return std::nullopt;
  return found->second;
}

}  // namespace hearth::pxe
