# Read by ctest when it begins, once for each unit test program: its suites are tests. Given are program, prefix, timeout
# (seconds), labels, and the directory to run in.
if(EXISTS ${program})
  execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${program} --gtest_list_tests ended with ${code}")
  endif()
  string(REGEX MATCHALL "(^|\n)[^ \n]+\\.[^\n]*" suites "${listed}")  # tests are indented
  foreach(suite IN LISTS suites)
    string(REGEX REPLACE "^\n?([^ \n]+)\\..*" "\\1" suite "${suite}")  # "  # TypeParam = …" comes behind some
    add_test(${prefix}.${suite} ${program} "--gtest_filter=${suite}.*")
    set_tests_properties(${prefix}.${suite} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}" WORKING_DIRECTORY ${directory}
      PROCESSORS 2)  # both places of one: tests/places/CMakeLists.txt
  endforeach()
else()
  get_filename_component(target ${program} NAME)
  add_test(${prefix}_NOT_BUILT ${CMAKE_COMMAND} -E env sh -c "echo '${target} is not built: cmake --build --preset dev --target ${target}' >&2; exit 1")
  set_tests_properties(${prefix}_NOT_BUILT PROPERTIES LABELS "${labels}")
endif()
