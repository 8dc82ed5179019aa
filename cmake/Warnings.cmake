# hearth_warnings: each flag with its reason. Errors, for developers and CI (HEARTH_WERROR). Users get none: to look for them
# takes a twelfth of GCC's time, most of it for those that follow values (maybe-uninitialized, array-bounds,
# stringop-overflow, restrict). Clang keeps them: clang-tidy would find nothing beside -w.
# Not -Wnull-dereference: GCC 12 sees null pointers in libstdc++'s inlined code, another place at each optimisation level.
add_library(hearth_warnings INTERFACE)
if(NOT HEARTH_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(hearth_warnings INTERFACE -w)
  return()
endif()
target_compile_options(hearth_warnings INTERFACE
  -Wall -Wextra            # the usual suspects
  -Wshadow                 # a name that hides another is misread sooner or later
  -Wconversion             # sizes and ids that silently lose bits
  -Wnon-virtual-dtor       # deleting through a base would leak
  -Woverloaded-virtual     # an override that is none
  -Wcast-qual              # const taken away unseen
  -Wformat=2               # format strings that are not literals
  -Wimplicit-fallthrough   # a missing break
  $<$<BOOL:${HEARTH_UNITY}>:-Wno-subobject-linkage>  # a source in a unit looks to GCC like a header
  -Wno-missing-field-initializers)  # designated initialisers leave the rest to its defaults, on purpose
if(HEARTH_WERROR)
  target_compile_options(hearth_warnings INTERFACE -Werror)
endif()
