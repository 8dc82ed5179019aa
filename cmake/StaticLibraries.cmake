# hearth_gnutls and hearth_yaml: libraries that a program links shared, unless it is a fully static one
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

# hearth_small_archives(NAME LIBRARY…): NAME's archive and those that it needs, in the order in which archives must come. C code
# throws nothing: without unwind tables GnuTLS is a third of a megabyte smaller.
function(hearth_small_archives name)
  set(directory ${CMAKE_BINARY_DIR}/archives)
  file(MAKE_DIRECTORY ${directory})
  foreach(library ${ARGN})
    find_library(hearth_${library}_archive lib${library}.a REQUIRED)
    mark_as_advanced(hearth_${library}_archive)
    execute_process(COMMAND ${CMAKE_OBJCOPY} --remove-section .eh_frame ${hearth_${library}_archive} ${directory}/lib${library}.a
      COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND small ${directory}/lib${library}.a)
  endforeach()
  list(POP_FRONT small first)
  set_target_properties(${name}_archive PROPERTIES IMPORTED_LOCATION ${first})
  target_link_libraries(${name}_archive INTERFACE ${small})
endfunction()

hearth_library_choice(hearth_gnutls GnuTLS::GnuTLS libgnutls.a)
hearth_small_archives(hearth_gnutls gnutls hogweed nettle gmp tasn1 idn2 unistring z)
set(yaml yaml-cpp)  # before yaml-cpp 0.8
if(TARGET yaml-cpp::yaml-cpp)
  set(yaml yaml-cpp::yaml-cpp)
endif()
# yaml-cpp has another name for each of its releases (0.7 in Debian 12, 0.8 in 13): all programs take the archive, so that one
# package of hearth serves both.
hearth_library_choice(hearth_yaml ${yaml} libyaml-cpp.a)
set_target_properties(hearth_yaml PROPERTIES INTERFACE_LINK_LIBRARIES hearth_yaml_archive)

# hearth_static_program(NAME LAYOUT SCRIPT ONLY SOURCES…): runs on any Linux of this architecture; nothing is loaded at run time.
# ONLY are sources for the static program: what shared libraries would bring, or what is smaller than the archives' own; LAYOUT
# tells the linker in which order code lies. Not with sanitizers, whose runtime must be shared.
function(hearth_static_program name)
  cmake_parse_arguments(ARG "" "LAYOUT" "ONLY" ${ARGN})
  if(HEARTH_SANITIZE OR HEARTH_COVERAGE)
    return()
  endif()
  set_target_properties(${name} PROPERTIES HEARTH_STATIC ON POSITION_INDEPENDENT_CODE ON)
  target_sources(${name} PRIVATE ${ARG_ONLY})
  set(layout ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_LAYOUT})
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${layout})
  target_link_options(${name} PRIVATE -static-pie -Wl,--gc-sections -Wl,-z,pack-relative-relocs -Wl,-T,${layout}
    $<$<BOOL:$<CONFIG:Release>>:-s>)
endfunction()

# hearth_small(ROOM…): code that ends up in the static agent is compiled for size; unused functions are dropped by the
# linker one by one.
function(hearth_small)
  foreach(room ${ARGN})
    target_compile_options(${room} PRIVATE -Os -ffunction-sections -fdata-sections)
  endforeach()
endfunction()
