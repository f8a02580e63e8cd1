# Settings for WebAssembly, read behind project(): code that stays where it is put, and one thread (FindOpenMP.cmake).
set(CMAKE_CXX_COMPILE_OPTIONS_PIC "")
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(MATCHCOUNT_INTERRUPT ${CMAKE_CURRENT_LIST_DIR}/interrupt.cpp)
# A function that makes instances of the program, whose main is called for each; its memory grows to what a browser gives,
# and a stack that overflows ends it, for nothing is below.
add_link_options(-sMODULARIZE -sEXPORT_NAME=createMatchcount -sENVIRONMENT=worker,node -sINVOKE_RUN=0 -sEXIT_RUNTIME=1
                 -sEXPORTED_RUNTIME_METHODS=callMain,FS -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=8MB -Wl,--stack-first)
