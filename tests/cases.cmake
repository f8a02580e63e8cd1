# matchcount_cases(FOLDER PROGRAM LABELS SECONDS ENVIRONMENT FILE...): makes a ctest test of every test case in the
# sources FILE of PROGRAM, paths below FOLDER, named as the file and the case are: "graph/digraph_test: a loop counts".
# ctest calls it whenever it starts, so that names and tags are those in the sources; no program is asked for its cases.
#
# A process for every case costs about 6 ms, 4 s for all; in exchange ctest spreads the cases over its jobs, names
# the claim that failed, and sees each case that was skipped.
#
# Cases with the tag [cuda] have that label, and the GPU and its kernels' cache for themselves, others have LABELS, see no
# GPU, and have no cache; each has two threads where it asks for no number, on machines of any size. [slow] is a label
# too, and [timing]: limits, stops, kills, and all that other work on the machine might change. A case with a hidden tag
# ([.name]) is run by other cases alone. A case that is skipped ends with status 4.
function(matchcount_cases folder program labels seconds environment)
  foreach(file IN LISTS ARGN)
    file(READ ${folder}/${file} text)
    # Characters that lists of CMake treat in a way of their own.
    string(REPLACE ";" "<semicolon>" text "${text}")
    string(REPLACE "[" "<open>" text "${text}")
    string(REPLACE "]" "<close>" text "${text}")
    string(REGEX MATCHALL "\nTEST_CASE" all "${text}")
    string(REGEX MATCHALL "\nTEST_CASE\\(\"[^\"]*\"(,[ \n]*\"[^\"]*\")?\\)" cases "${text}")
    list(LENGTH all num_all)
    list(LENGTH cases num_cases)
    if(NOT num_all EQUAL num_cases)
      message(FATAL_ERROR "${folder}/${file}: the name of a test case, and its tags, are one string each")
    endif()
    string(REGEX REPLACE "\\.cpp$" "" group ${file})
    foreach(case IN LISTS cases)
      string(REGEX MATCH "\"([^\"]*)\"(,[ \n]*\"([^\"]*)\")?" ignored "${case}")
      set(name "${CMAKE_MATCH_1}")
      set(tags "${CMAKE_MATCH_3}")
      if(tags MATCHES "<open>\\.")
        continue()
      endif()
      # Catch2 reads commas and brackets as more than a name.
      string(REPLACE "," "\\," pattern "${name}")
      string(REPLACE "<open>" "\\[" pattern "${pattern}")
      string(REPLACE "<close>" "\\]" pattern "${pattern}")
      string(REPLACE "<semicolon>" ";" pattern "${pattern}")
      string(REPLACE "<open>" "[" name "${name}")
      string(REPLACE "<close>" "]" name "${name}")
      string(REPLACE "<semicolon>" ";" name "${name}")
      set(case_labels ${labels})
      set(case_seconds ${seconds})
      set(case_environment ${environment})
      set(properties "")
      if(tags MATCHES "<open>cuda<close>")
        set(case_labels cuda)
        set(properties RESOURCE_LOCK gpu)
        # The driver maps memory where the sanitizer keeps a gap, and frees less than it takes.
        set(case_environment ASAN_OPTIONS=protect_shadow_gap=0:detect_leaks=0
                             MATCHCOUNT_CACHE_DIR=${program}.kernels)
      else()
        list(APPEND case_environment CUDA_VISIBLE_DEVICES= MATCHCOUNT_CACHE_DIR= OMP_NUM_THREADS=2)
      endif()
      foreach(tag slow timing)
        if(tags MATCHES "<open>${tag}<close>")
          list(APPEND case_labels ${tag})
        endif()
      endforeach()
      if(case_labels MATCHES "slow|cuda")
        set(case_seconds 3600)
      endif()
      add_test("${group}: ${name}" ${program} "${pattern}")
      set_tests_properties("${group}: ${name}" PROPERTIES
        LABELS "${case_labels}" TIMEOUT ${case_seconds} SKIP_RETURN_CODE 4 ENVIRONMENT "${case_environment}" ${properties})
    endforeach()
  endforeach()
endfunction()
