# cmake -DCOMPILER=... -DINCLUDE=<folder of matchcount/> -P check_messages.cmake: the compiler says what is missing.
foreach(pair IN ITEMS "c++20=matchcount/boost.hpp" "c++17=matchcount needs C\\+\\+20: compile with -std=c\\+\\+20")
  string(REGEX MATCH "^([^=]*)=(.*)$" pair "${pair}")
  set(standard ${CMAKE_MATCH_1})
  set(message "error: [^\n]*${CMAKE_MATCH_2}")
  execute_process(COMMAND ${COMPILER} -std=${standard} -fsyntax-only -I${INCLUDE} ${CMAKE_CURRENT_LIST_DIR}/foreign_graph.cpp
                  RESULT_VARIABLE status ERROR_VARIABLE output)
  string(REGEX MATCH "[^\n]*error: [^\n]*" first "${output}")
  if(status EQUAL 0 OR NOT output MATCHES "${message}" OR (standard STREQUAL "c++17" AND NOT first MATCHES "C\\+\\+20"))
    message(FATAL_ERROR "-std=${standard} says\n${output}")
  endif()
endforeach()
