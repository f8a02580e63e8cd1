# cmake -DSOURCE=<folder> -DTEMPLATE=<file> -DOUTPUT=<file> -P commit.cmake: writes the commit of SOURCE where it
# changed.
set(commit unknown)
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse HEAD RESULT_VARIABLE status OUTPUT_VARIABLE found
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit ${found})
    execute_process(COMMAND ${git} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET OUTPUT_QUIET)
    if(changed)
      string(APPEND commit " with changes")
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
