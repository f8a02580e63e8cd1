# CUDA: whether it is built in, for which devices, and how kernels that are compiled beforehand get into a library. The
# toolkit is needed to build alone: programs find the driver and the run-time compiler when they start to need them.

# Finding it costs a second, so only where somebody may want it.
if(NOT DEFINED MATCHCOUNT_WITH_CUDA OR MATCHCOUNT_WITH_CUDA)
  find_package(CUDAToolkit QUIET)
endif()
set(cuda_missing "")
if(NOT CUDAToolkit_NVCC_EXECUTABLE)
  list(APPEND cuda_missing nvcc)
endif()
foreach(header cuda.h nvrtc.h)
  find_file(MATCHCOUNT_${header} ${header} PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH NO_CACHE)
  if(NOT MATCHCOUNT_${header})
    list(APPEND cuda_missing ${header})
  endif()
endforeach()
if(cuda_missing)
  set(cuda_found OFF)
else()
  set(cuda_found ON)
endif()
option(MATCHCOUNT_WITH_CUDA "Build for NVIDIA GPUs (needs the CUDA toolkit: nvcc, cuda.h, nvrtc.h)" ${cuda_found})
set(MATCHCOUNT_CUDA_ARCHITECTURES native CACHE STRING "Compute capabilities that kernels are compiled for beforehand, such \
as 80;90; native: those of this machine's GPUs, and where there is none PTX alone, which the driver compiles once")
if(MATCHCOUNT_WITH_CUDA AND NOT cuda_found)
  list(JOIN cuda_missing ", " cuda_missing)
  message(FATAL_ERROR "MATCHCOUNT_WITH_CUDA is ON, but not found: ${cuda_missing}. Give the toolkit's folder with "
                      "-DCUDAToolkit_ROOT=..., or build without CUDA: -DMATCHCOUNT_WITH_CUDA=OFF")
endif()
set(ptx_alone OFF)
set(cuda_architectures ${MATCHCOUNT_CUDA_ARCHITECTURES})
if(MATCHCOUNT_WITH_CUDA AND cuda_architectures STREQUAL native)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities RESULT_VARIABLE no_driver ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" cuda_architectures "${capabilities}")
  list(TRANSFORM cuda_architectures REPLACE "\\." "")
  list(REMOVE_DUPLICATES cuda_architectures)
  if(no_driver OR NOT cuda_architectures)
    set(ptx_alone ON)
    set(cuda_architectures 80)
  endif()
endif()
if(MATCHCOUNT_WITH_CUDA AND NOT cuda_architectures MATCHES "^[0-9]+[af]?(;[0-9]+[af]?)*$")
  message(FATAL_ERROR "MATCHCOUNT_CUDA_ARCHITECTURES is '${MATCHCOUNT_CUDA_ARCHITECTURES}'; native or a list such as "
                      "80;90 is expected")
endif()

# matchcount_fatbin(TARGET NAME FILE.cu [FLAG...] [ARCHITECTURES A...]): compiles FILE, with these flags for nvcc, for
# every one of ARCHITECTURES, else those above, and as PTX for the newest of them (or that alone), and puts into TARGET
#   matchcount::KernelImage matchcount::gpu::NAME();
# of core/kernel_image.hpp, which in a build without CUDA gives an empty one. Needs no CUDA language in CMake. Includes
# are by module path.
function(matchcount_fatbin target name file)
  cmake_parse_arguments(arg "" "" "ARCHITECTURES" ${ARGN})
  get_target_property(imported ${target} IMPORTED)
  if(imported)
    return()
  endif()
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES ${cuda_architectures})
  endif()
  set(definition ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  # nvcc knows sm_90a from CUDA 12 on.
  if(NOT MATCHCOUNT_WITH_CUDA OR ("90a" IN_LIST arg_ARCHITECTURES AND CUDAToolkit_VERSION VERSION_LESS 12))
    file(CONFIGURE OUTPUT ${definition} CONTENT [[
// A build without CUDA, or without these architectures: no kernels are compiled; generated.
#include "core/kernel_image.hpp"

namespace matchcount::gpu {
KernelImage @name@() { return {}; }
}  // namespace matchcount::gpu
]] @ONLY)
    target_sources(${target} PRIVATE ${definition})
    return()
  endif()
  get_filename_component(source ${file} ABSOLUTE)
  set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin)
  set(wanted ${arg_ARCHITECTURES})
  list(SORT wanted COMPARE NATURAL)
  list(GET wanted -1 newest)
  set(architectures "")
  if(NOT ptx_alone)
    foreach(architecture IN LISTS wanted)
      list(APPEND architectures -gencode arch=compute_${architecture},code=sm_${architecture})
    endforeach()
  endif()
  list(APPEND architectures -gencode arch=compute_${newest},code=compute_${newest})
  # nvcc knows GCC; any other compiler of ours need not be one that it takes.
  set(host "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set(host -ccbin ${CMAKE_CXX_COMPILER})
  endif()
  add_custom_command(
    OUTPUT ${fatbin}
    COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} ${host} -fatbin --std=c++17 -O3 ${arg_UNPARSED_ARGUMENTS} ${architectures} -I${PROJECT_SOURCE_DIR}
            -MD -MT ${fatbin} -MF ${fatbin}.d -o ${fatbin} ${source}
    DEPENDS ${source}
    DEPFILE ${fatbin}.d
    COMMENT "Compiling ${name} for the GPUs"
    VERBATIM)
  # The assembler includes the bytes: the compiler would take minutes over a list of numbers.
  list(JOIN arg_ARCHITECTURES "," names_of_architectures)
  file(CONFIGURE OUTPUT ${definition} CONTENT [[
// The bytes of @name@.fatbin; generated.
#include "core/kernel_image.hpp"

asm(R"(
    .section .rodata
    .balign 16
    .global @name@_begin
    .hidden @name@_begin
@name@_begin:
    .incbin "@fatbin@"
.L@name@_end:
    .balign 8
    .global @name@_size
    .hidden @name@_size
@name@_size:
    .quad .L@name@_end - @name@_begin
    .text
)");

extern "C" {
extern const unsigned char @name@_begin[];
extern const std::size_t @name@_size;
}

namespace matchcount::gpu {
KernelImage @name@() {
  return {std::as_bytes(std::span(@name@_begin, @name@_size)), "@names_of_architectures@"};
}
}  // namespace matchcount::gpu
]] @ONLY)
  set_source_files_properties(${definition} PROPERTIES OBJECT_DEPENDS ${fatbin})
  target_sources(${target} PRIVATE ${definition})
endfunction()
