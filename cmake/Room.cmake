# hearth_room(NAME SOURCES… ) makes the static library of one room; hearth_program(NAME SOURCES…) a thin executable.
# Heavy headers are precompiled once, in base's list, and shared by all rooms.
function(hearth_room name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  hearth_precompile(${name})
endfunction()

function(hearth_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings)
endfunction()

function(hearth_precompile name)
  if(HEARTH_FUZZ)
    return()
  endif()
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <functional> <map> <memory> <optional> <string> <string_view> <variant> <vector>
    <boost/filesystem/operations.hpp> <nlohmann/json.hpp>)
endfunction()
