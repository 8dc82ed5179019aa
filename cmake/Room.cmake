# hearth_room(NAME SOURCES…) makes the static library of one room; hearth_program(NAME SOURCES…) a thin executable.
#
# What costs when Hearth is compiled is reading headers (JSON, Boost and the C++ library: 2 s), not our own lines. So the
# sources of a target are compiled several at once, in one unit, each time the headers once. The price: names in
# anonymous namespaces are unique within a target's namespace; tests/lint/names.py says where they are not. The preset
# fuzz, and HEARTH_UNITY=OFF, compile each source alone: it must include what it uses. Larger units cost less in
# all, and more after an edit. `release` has those of `dev`, though units twice as large would save 7 % of it: what a unit
# holds decides which overload is called, so what is tested must be what people get.
#
# Rooms are compiled by -O1, in `release` too: no benchmark saw a difference to -O2, which takes half as long again. Where
# one does, the source goes into hearth_fast. The passes of -O1 below take 6 % of the compiler's time and save 2.6 % of the
# instructions of `metadata compile`, our dearest; -Og would spare 20 %, for 18 % more instructions.
set(HEARTH_ROOM_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-fno-tree-copy-prop;-fno-tree-dominator-opts;-fno-tree-dse;-fno-tree-pta;-fno-tree-sink;-fno-tree-sra>)
set(HEARTH_UNIT_BYTES 160000 CACHE STRING "About how many bytes of sources are compiled at once")
mark_as_advanced(HEARTH_UNIT_BYTES)

function(hearth_room name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE ${HEARTH_ROOM_OPTIONS})
  hearth_units(${name} ${ARGN})
endfunction()

function(hearth_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE hearth_settings hearth_warnings)
  target_compile_options(${name} PRIVATE ${HEARTH_ROOM_OPTIONS})
  hearth_units(${name} ${ARGN})
endfunction()

# hearth_units(TARGET SOURCE…): divides the sources, in their order, into the fewest units of at most HEARTH_UNIT_BYTES, of
# about the same size (the last one would else be small, and both processors wait for the largest). CMake's own units name
# sources by their absolute paths, so that ccache could not share them between checkouts; ours name them by the tree. A
# source that is alone is a unit, too: another target of the same directory may have it in one with others, and what that
# says of the source (HEADER_FILE_ONLY) holds for both.
function(hearth_units target)
  if(NOT HEARTH_UNITY)
    return()
  endif()
  set(bytes 0)
  set(sources "")
  foreach(source ${ARGN})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})  # not what is generated
      list(APPEND sources ${source})
      file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
      math(EXPR bytes "${bytes} + ${size}")
    endif()
  endforeach()
  math(EXPR units "${bytes} / ${HEARTH_UNIT_BYTES} + 1")
  math(EXPR share "${bytes} / ${units} + 1")
  set(bytes 0)
  foreach(source ${sources})
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    math(EXPR unit "(${bytes} + ${size} / 2) / ${share}")
    math(EXPR bytes "${bytes} + ${size}")
    list(APPEND unit_${unit} ${source})
  endforeach()
  file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(unit RANGE ${units})
    list(LENGTH unit_${unit} count)
    if(count GREATER 0)
      list(TRANSFORM unit_${unit} REPLACE "(.+)" "#include \"${room}/\\1\"\n" OUTPUT_VARIABLE includes)
      list(JOIN includes "" includes)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/units/${target}_${unit}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "${includes}" @ONLY)
      set_source_files_properties(${unit_${unit}} PROPERTIES HEADER_FILE_ONLY ON)
      target_sources(${target} PRIVATE ${file})
    endif()
  endforeach()
endfunction()

# hearth_fast(ROOM SOURCE…): sources of ROOM, named here only, that are an inner loop, or on the way of each request that
# Hearth's servers answer: compiled for speed where the room is compiled for size.
function(hearth_fast room)
  add_library(${room}_fast OBJECT ${ARGN})
  target_link_libraries(${room}_fast PRIVATE hearth_settings hearth_warnings)
  target_compile_features(${room}_fast PUBLIC cxx_std_20)
  target_compile_options(${room}_fast PRIVATE -O2 -ffunction-sections -fdata-sections)
  hearth_units(${room}_fast ${ARGN})
  target_sources(${room} PRIVATE $<TARGET_OBJECTS:${room}_fast>)
endfunction()

# hearth_embedded(NAME HEADER NAMESPACE BASE FILE…): the library hearth_NAME with the bytes of files, which embedded_NAME() gives
# under their paths below BASE. It links nothing: what a command makes waits for all libraries of its target, and the sources
# of the target would wait for that.
function(hearth_embedded name header namespace base)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DOUT=${source} -DHEADER=${header} -DNAMESPACE=${namespace} -DFUNCTION=embedded_${name}
      "-DFILES=${ARGN}" -DBASE=${base} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake VERBATIM)
  add_library(hearth_${name} STATIC ${source})
  target_link_libraries(hearth_${name} PRIVATE hearth_settings hearth_warnings)
endfunction()
