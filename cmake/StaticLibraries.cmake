# hearth_crypto and hearth_tls: libraries that a program links shared, unless it is a fully static one
# (target property HEARTH_STATIC), which needs the archives. Rooms link these names and need not know.
function(hearth_library_choice name shared archive)
  find_library(${name}_path ${archive} REQUIRED)
  mark_as_advanced(${name}_path)
  add_library(${name}_archive STATIC IMPORTED)
  set_target_properties(${name}_archive PROPERTIES IMPORTED_LOCATION ${${name}_path})
  add_library(${name} INTERFACE)
  set(static $<BOOL:$<TARGET_PROPERTY:HEARTH_STATIC>>)
  target_link_libraries(${name} INTERFACE $<IF:${static},${name}_archive,${shared}>)
  target_include_directories(${name} SYSTEM INTERFACE $<TARGET_PROPERTY:${shared},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

# C code throws nothing: without its unwind tables OpenSSL is half a megabyte smaller.
function(hearth_drop_unwind_tables name)
  get_target_property(archive ${name}_archive IMPORTED_LOCATION)
  set(small ${CMAKE_BINARY_DIR}/archives/${name}.a)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/archives)
  execute_process(COMMAND ${CMAKE_OBJCOPY} --remove-section .eh_frame ${archive} ${small} COMMAND_ERROR_IS_FATAL ANY)
  set_target_properties(${name}_archive PROPERTIES IMPORTED_LOCATION ${small})
endfunction()

hearth_library_choice(hearth_crypto OpenSSL::Crypto libcrypto.a)
hearth_library_choice(hearth_tls OpenSSL::SSL libssl.a)
target_link_libraries(hearth_tls_archive INTERFACE hearth_crypto_archive)  # archives must come in this order
hearth_drop_unwind_tables(hearth_crypto)
hearth_drop_unwind_tables(hearth_tls)
# yaml-cpp has another name for each of its releases (0.7 in Debian 12, 0.8 in 13): all programs take the archive, so that one
# package of hearth serves both.
hearth_library_choice(hearth_yaml yaml-cpp libyaml-cpp.a)
set_target_properties(hearth_yaml PROPERTIES INTERFACE_LINK_LIBRARIES hearth_yaml_archive)

# hearth_static_program(NAME SMALLER SOURCES…): runs on any Linux of this architecture; nothing is loaded at run time.
# SMALLER are sources that define what would else come, larger, out of the libraries' archives. Not with sanitizers,
# whose runtime must be shared.
function(hearth_static_program name)
  cmake_parse_arguments(ARG "" "" "SMALLER" ${ARGN})
  if(HEARTH_SANITIZE OR HEARTH_COVERAGE)
    return()
  endif()
  set_target_properties(${name} PROPERTIES HEARTH_STATIC ON POSITION_INDEPENDENT_CODE ON)
  target_sources(${name} PRIVATE ${ARG_SMALLER})
  target_link_options(${name} PRIVATE -static-pie -Wl,--gc-sections -Wl,-z,pack-relative-relocs -Wl,-z,noseparate-code
    $<$<BOOL:$<CONFIG:Release>>:-s>)
endfunction()

# hearth_small(ROOM…): code that ends up in the static agent is compiled for size; unused functions are dropped by the
# linker one by one.
function(hearth_small)
  foreach(room ${ARGN})
    target_compile_options(${room} PRIVATE -Os -ffunction-sections -fdata-sections)
  endforeach()
endfunction()
