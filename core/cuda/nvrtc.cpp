// The run-time compiler (NVRTC). The cache is asked first, with everything that the image depends on as its key:
// source, options and the compiler's version.

#include <glob.h>
#include <nvrtc.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "core/cuda/library.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/file_cache.hpp"

namespace matchcount {
namespace {

struct Compiler {
  cuda::Library from;
  decltype(&::nvrtcVersion) nvrtcVersion = from("nvrtcVersion");
  decltype(&::nvrtcGetErrorString) nvrtcGetErrorString = from("nvrtcGetErrorString");
  decltype(&::nvrtcGetNumSupportedArchs) nvrtcGetNumSupportedArchs = from("nvrtcGetNumSupportedArchs");
  decltype(&::nvrtcGetSupportedArchs) nvrtcGetSupportedArchs = from("nvrtcGetSupportedArchs");
  decltype(&::nvrtcCreateProgram) nvrtcCreateProgram = from("nvrtcCreateProgram");
  decltype(&::nvrtcDestroyProgram) nvrtcDestroyProgram = from("nvrtcDestroyProgram");
  decltype(&::nvrtcCompileProgram) nvrtcCompileProgram = from("nvrtcCompileProgram");
  decltype(&::nvrtcGetProgramLogSize) nvrtcGetProgramLogSize = from("nvrtcGetProgramLogSize");
  decltype(&::nvrtcGetProgramLog) nvrtcGetProgramLog = from("nvrtcGetProgramLog");
  decltype(&::nvrtcGetCUBINSize) nvrtcGetCUBINSize = from("nvrtcGetCUBINSize");
  decltype(&::nvrtcGetCUBIN) nvrtcGetCUBIN = from("nvrtcGetCUBIN");
  decltype(&::nvrtcGetPTXSize) nvrtcGetPTXSize = from("nvrtcGetPTXSize");
  decltype(&::nvrtcGetPTX) nvrtcGetPTX = from("nvrtcGetPTX");

  std::string reason = {};  // why it can't be used
  std::string version = {};
  std::vector<int> capabilities = {};  // 10 * major + minor, ascending

  void check(nvrtcResult result, const char* what) const {
    if (result == NVRTC_SUCCESS) return;
    const std::string text = std::string(what) + ": " + nvrtcGetErrorString(result);
    if (result == NVRTC_ERROR_OUT_OF_MEMORY) throw Unable(text);
    throw DeviceError(text);
  }
};

// Lists what pip has installed beside the package for Python that this is in, or beside its program.
std::vector<std::string> beside_package() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&why_no_kernel_compiler), &here) == 0) return {};
  std::error_code failed;
  const bool is_path = std::strchr(here.dli_fname, '/') != nullptr;  // a program's may be its name alone
  const auto folder = std::filesystem::canonical(is_path ? here.dli_fname : "/proc/self/exe", failed).parent_path();
  std::vector<std::string> names;
  for (const char* packages : {"/..", "/../lib/python3*/site-packages"}) {
    ::glob_t found{};
    if (::glob((folder.string() + packages + "/nvidia/*/lib/libnvrtc.so.1[23]").c_str(), 0, nullptr, &found) == 0)
      names.insert(names.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
  }
  return names;
}

Compiler load() {
  const std::vector<std::string> libraries{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> names = libraries;
  for (const std::string& name : beside_package()) names.push_back(name);
  for (const std::string& name : libraries) names.push_back(MATCHCOUNT_NVRTC_FOLDER "/" + name);
  Compiler compiler{cuda::Library(names)};
  if (!compiler.from.found()) {
    compiler.reason =
        "NVRTC, which compiles kernels, is not found: install CUDA's package cuda-nvrtc or, for drivers of CUDA 13 or "
        "12, `pip install nvidia-cuda-nvrtc` or nvidia-cuda-nvrtc-cu12, or name the folder of libnvrtc.so in "
        "LD_LIBRARY_PATH";
    return compiler;
  }
  if (compiler.from.missing() != nullptr) {
    compiler.reason = std::string("the run-time compiler NVRTC is too old: it lacks ") + compiler.from.missing();
    return compiler;
  }
  try {
    int major = 0, minor = 0, count = 0;
    compiler.check(compiler.nvrtcVersion(&major, &minor), "nvrtcVersion");
    compiler.version = std::to_string(major) + "." + std::to_string(minor);
    compiler.check(compiler.nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
    compiler.capabilities.resize(static_cast<std::size_t>(count));
    compiler.check(compiler.nvrtcGetSupportedArchs(compiler.capabilities.data()), "nvrtcGetSupportedArchs");
  } catch (const Error& error) {
    compiler.reason = error.what();
  }
  std::sort(compiler.capabilities.begin(), compiler.capabilities.end());
  return compiler;
}

const Compiler& loaded_compiler() {
  static const Compiler compiler = load();
  return compiler;
}

class Program {
 public:
  Program(const Compiler& compiler, const std::string& source) : compiler_(compiler) {
    compiler_.check(compiler_.nvrtcCreateProgram(&program_, source.c_str(), "kernel.cu", 0, nullptr, nullptr),
                    "nvrtcCreateProgram");
  }
  ~Program() { compiler_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcProgram get() const { return program_; }
  // Returns the output of two functions of NVRTC, one for the size and one for the bytes.
  template <class Bytes>
  Bytes bytes(nvrtcResult (*size_of)(nvrtcProgram, std::size_t*), nvrtcResult (*copy)(nvrtcProgram, char*),
              const char* what) const {
    std::size_t size = 0;
    compiler_.check(size_of(program_, &size), what);
    Bytes result(size, typename Bytes::value_type{});
    if (size != 0) compiler_.check(copy(program_, reinterpret_cast<char*>(result.data())), what);
    return result;
  }

 private:
  const Compiler& compiler_;
  nvrtcProgram program_ = nullptr;
};

struct Target {
  bool machine_code;
  int capability;  // 10 * major + minor
};

// Chooses machine code for this very capability, or PTX for the next older one, which the driver translates.
Target target_for(const Compiler& compiler, int major, int minor) {
  const int wanted = 10 * major + minor;
  const auto above = std::upper_bound(compiler.capabilities.begin(), compiler.capabilities.end(), wanted);
  if (above == compiler.capabilities.begin()) {
    throw Unable("NVRTC " + compiler.version + " does not compile for devices of capability " + std::to_string(major) +
                 "." + std::to_string(minor));
  }
  return {above[-1] == wanted, above[-1]};
}

CompiledKernel compile(const Compiler& compiler, const std::string& source, Target target,
                       const std::vector<std::string>& options) {
  const Program program(compiler, source);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult result =
      compiler.nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  CompiledKernel kernel;
  kernel.log =
      program.bytes<std::string>(compiler.nvrtcGetProgramLogSize, compiler.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  while (!kernel.log.empty() && (kernel.log.back() == '\0' || kernel.log.back() == '\n')) kernel.log.pop_back();
  if (result == NVRTC_ERROR_COMPILATION) throw DeviceError("a kernel does not compile:\n" + kernel.log);
  if (result != NVRTC_SUCCESS && !kernel.log.empty()) {
    throw DeviceError(std::string("nvrtcCompileProgram: ") + compiler.nvrtcGetErrorString(result) + "\n" + kernel.log);
  }
  compiler.check(result, "nvrtcCompileProgram");
  using Image = std::vector<std::byte>;
  kernel.image = target.machine_code
                     ? program.bytes<Image>(compiler.nvrtcGetCUBINSize, compiler.nvrtcGetCUBIN, "nvrtcGetCUBIN")
                     : program.bytes<Image>(compiler.nvrtcGetPTXSize, compiler.nvrtcGetPTX, "nvrtcGetPTX");
  return kernel;
}

}  // namespace

std::string why_no_kernel_compiler() { return loaded_compiler().reason; }

CompiledKernel compile_kernel(const std::string& source, int major, int minor, const std::string& cache) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Compiler& compiler = loaded_compiler();
  if (!compiler.reason.empty()) throw Unable(compiler.reason);
  const Target target = target_for(compiler, major, minor);
  const std::vector<std::string> options{std::string("--gpu-architecture=") +
                                             (target.machine_code ? "sm_" : "compute_") +
                                             std::to_string(target.capability),
                                         "--std=c++17", "--device-as-default-execution-space"};

  std::string key = "NVRTC " + compiler.version;
  for (const std::string& option : options) key += " " + option;
  key += "\n" + source;
  const FileCache files(cache);
  CompiledKernel kernel;
  if (auto image = files.find(key)) {
    kernel.image = std::move(*image);
    kernel.from_cache = true;
  } else {
    kernel = compile(compiler, source, target, options);
    files.store(key, kernel.image);
  }
  kernel.seconds = seconds();
  return kernel;
}

}  // namespace matchcount
