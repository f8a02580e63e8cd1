#include "core/device.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/environment.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"

using namespace matchcount;
namespace fs = std::filesystem;

namespace {

DeviceInfo device_named(int index, const std::string& name) {
  DeviceInfo device;
  device.index = index;
  device.name = name;
  return device;
}

std::vector<int> indices(const std::vector<DeviceInfo>& devices) {
  std::vector<int> result;
  for (const DeviceInfo& device : devices) result.push_back(device.index);
  return result;
}

// Returns the text of an exception of this type; fails if none of the type is thrown.
template <class Exception, class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  FAIL("nothing was thrown");
  return {};
}

constexpr const char* kernels = R"(
extern "C" __global__ void add(const double* a, const double* b, double* sums, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) sums[i] = a[i] + b[i];
}
extern "C" __global__ void wait_and_write(long long cycles, unsigned* out, unsigned value) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
  *out = value;
}
extern "C" __global__ void copy(const unsigned char* from, unsigned char* to, unsigned long long count) {
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    to[i] = from[i];
  }
}
// Reverses blockDim.x words through dynamic shared memory.
extern "C" __global__ void reverse(unsigned* words) {
  extern __shared__ unsigned shared[];
  shared[threadIdx.x] = words[threadIdx.x];
  __syncthreads();
  words[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void fail() { __trap(); }
)";

CompiledKernel compiled_for(const DeviceInfo& device) {
  return compile_kernel(kernels, device.major, device.minor, "");
}

template <class T>
void upload(DeviceBuffer& buffer, const std::vector<T>& values, std::size_t offset = 0) {
  buffer.upload(std::as_bytes(std::span(values)), offset);
}
template <class T>
std::vector<T> downloaded(const DeviceBuffer& buffer, std::size_t count, std::size_t offset = 0) {
  std::vector<T> values(count);
  buffer.download(std::as_writable_bytes(std::span(values)), offset);
  return values;
}

}  // namespace

TEST_CASE("a choice names devices in its own order, and what is not there is unable, with the reason") {
  const FoundDevices none{{}, "no driver (libcuda.so.1)"};
  const FoundDevices two{{device_named(0, "one"), device_named(1, "another")}, ""};
  CHECK(choose_devices(parse_device_choice("cpu"), two).empty());
  CHECK(choose_devices(parse_device_choice("auto"), none).empty());
  CHECK(indices(choose_devices(parse_device_choice("auto"), two)) == std::vector<int>{0, 1});
  CHECK(indices(choose_devices(parse_device_choice("cuda"), two)) == std::vector<int>{0, 1});
  CHECK(indices(choose_devices(parse_device_choice("cuda:1,0"), two)) == std::vector<int>{1, 0});
  CHECK_THAT(complaint<Unable>([&] { choose_devices(parse_device_choice("cuda"), none); }),
             ContainsSubstring("no driver (libcuda.so.1)"));
  CHECK_THAT(complaint<Unable>([&] { choose_devices(parse_device_choice("cuda:0"), none); }),
             ContainsSubstring("no driver (libcuda.so.1)"));
  CHECK_THAT(complaint<Unable>([&] { choose_devices(parse_device_choice("cuda:1,2"), two); }),
             ContainsSubstring("cuda:2") && ContainsSubstring("another"));
}

TEST_CASE("either there are devices or there is a reason, and asking for one says it") {
  const FoundDevices found = find_devices();
  CHECK(found.devices.empty() != found.reason.empty());
  CHECK(choose_devices(parse_device_choice("cpu")).empty());
  CHECK(indices(choose_devices(parse_device_choice("auto"))) == indices(found.devices));
  if (!found.devices.empty()) return;
  CHECK_THAT(complaint<Unable>([] { choose_devices(parse_device_choice("cuda")); }), ContainsSubstring(found.reason));
  // Made up: what the driver does not have is an error and no crash.
  CHECK_THROWS_AS(DeviceContext(device_named(0, "none")), Unable);
}

TEST_CASE("a build without CUDA has the same functions, and they say so") {
  if (built_with_cuda()) MATCHCOUNT_SKIP("this build has CUDA");
  CHECK(find_devices().reason == "this build has no CUDA");
  CHECK(why_no_kernel_compiler() == "this build has no CUDA");
  CHECK_THROWS_AS(compile_kernel(kernels, 9, 0, ""), NotCompiled);
  CHECK_THROWS_AS(choose_devices(parse_device_choice("cuda")), NotCompiled);
  CHECK_THROWS_AS(DeviceContext(device_named(0, "none")), NotCompiled);
  CHECK_THROWS_AS(tile_map(0, 1, 128, 128, 1), NotCompiled);
}

TEST_CASE("compiled kernels go where the environment says") {
  {
    const test::Environment ours("MATCHCOUNT_CACHE_DIR", "/some/folder");
    CHECK(default_kernel_cache() == "/some/folder");
  }
  {
    const test::Environment ours("MATCHCOUNT_CACHE_DIR", "");
    CHECK(default_kernel_cache().empty());
  }
  const test::Environment ours("MATCHCOUNT_CACHE_DIR", std::nullopt);
  {
    const test::Environment cache("XDG_CACHE_HOME", "/var/cache/me");
    CHECK(default_kernel_cache() == "/var/cache/me/matchcount");
  }
  for (const std::optional<std::string>& unusable :
       {std::optional<std::string>(), std::optional<std::string>("here")}) {
    const test::Environment cache("XDG_CACHE_HOME", unusable);
    const test::Environment home("HOME", "/home/me");
    CHECK(default_kernel_cache() == "/home/me/.cache/matchcount");
  }
  const test::Environment cache("XDG_CACHE_HOME", std::nullopt);
  const test::Environment home("HOME", std::nullopt);
  CHECK(default_kernel_cache().empty());
}

TEST_CASE("a kernel compiles to machine code without a device") {
  if (!why_no_kernel_compiler().empty()) MATCHCOUNT_SKIP("no NVRTC");
  const CompiledKernel first = compile_kernel(kernels, 8, 0, "");
  const CompiledKernel second = compile_kernel(kernels, 9, 0, "");
  for (const CompiledKernel* kernel : {&first, &second}) {
    REQUIRE(kernel->image.size() > 4);
    CHECK(std::memcmp(kernel->image.data(),
                      "\x7f"
                      "ELF",
                      4) == 0);
    CHECK_FALSE(kernel->from_cache);
    CHECK(kernel->seconds > 0);
  }
  CHECK(first.image != second.image);
}

TEST_CASE("for a capability that the compiler does not know there is PTX of an older one, or nothing") {
  if (!why_no_kernel_compiler().empty()) MATCHCOUNT_SKIP("no NVRTC");
  // No device ever had version 8.5.
  const CompiledKernel kernel = compile_kernel(kernels, 8, 5, "");
  const std::string text(reinterpret_cast<const char*>(kernel.image.data()), kernel.image.size());
  CHECK_THAT(text, ContainsSubstring(".target sm_80"));
  CHECK_THAT(complaint<Unable>([] { compile_kernel(kernels, 1, 0, ""); }), ContainsSubstring("1.0"));
}

TEST_CASE("source that does not compile is an error that names the line") {
  if (!why_no_kernel_compiler().empty()) MATCHCOUNT_SKIP("no NVRTC");
  const test::Folder folder;
  const std::string broken = "extern \"C\" __global__ void f() {\n  int here = 1;\n  here = there;\n}\n";
  for (int i = 0; i < 2; ++i) {  // the second time as well: failures are not kept
    CHECK_THAT(complaint<DeviceError>([&] { compile_kernel(broken, 9, 0, folder.path()); }),
               ContainsSubstring("(3)") && ContainsSubstring("there"));
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a compiled kernel comes from the cache, unless its file was edited, and each of its own") {
  if (!why_no_kernel_compiler().empty()) MATCHCOUNT_SKIP("no NVRTC");
  const test::Folder folder;
  const std::string source(kernels);
  const CompiledKernel first = compile_kernel(source, 9, 0, folder.path());
  CHECK_FALSE(first.from_cache);
  const CompiledKernel second = compile_kernel(source, 9, 0, folder.path());
  CHECK(second.from_cache);
  CHECK(second.image == first.image);

  for (const auto& entry : fs::directory_iterator(folder.path())) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-100, std::ios::end);
    file.put('!');
  }
  const CompiledKernel third = compile_kernel(source, 9, 0, folder.path());
  CHECK_FALSE(third.from_cache);
  CHECK(third.image == first.image);
  CHECK(compile_kernel(source, 9, 0, folder.path()).from_cache);

  CHECK_FALSE(compile_kernel(source, 8, 0, folder.path()).from_cache);
  CHECK_FALSE(compile_kernel(source + " ", 9, 0, folder.path()).from_cache);
  CHECK_FALSE(compile_kernel(source, 9, 0, "/proc/no/such/folder").from_cache);
}

TEST_CASE("several threads compile at once") {
  if (!why_no_kernel_compiler().empty()) MATCHCOUNT_SKIP("no NVRTC");
  const test::Folder folder;
  const CompiledKernel expected = compile_kernel(kernels, 9, 0, "");
  std::atomic<int> equal = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        // Two share a file of the cache.
        const CompiledKernel kernel = compile_kernel(kernels, 9, 0, i < 2 ? folder.path().string() : "");
        if (kernel.image == expected.image) ++equal;
      });
    }
  }
  CHECK(equal == 4);
}

// ---- on a device

TEST_CASE("the devices found are described", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  CHECK(found.reason.empty());
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const DeviceInfo& device = found.devices[i];
    CHECK(device.index == static_cast<int>(i));
    CHECK_FALSE(device.name.empty());
    CHECK(device.major >= 5);
    CHECK(device.multiprocessors > 0);
    CHECK(device.clock_khz > 100'000);
    CHECK(device.memory_bytes > std::uint64_t{1} << 30);
    CHECK(device.driver_version >= 11000);
    const DeviceContext context(device);
    CHECK(context.free_bytes() > 0);
    CHECK(context.free_bytes() <= device.memory_bytes);
    CHECK(context.device().index == device.index);
  }
  DeviceInfo missing = found.devices.back();
  ++missing.index;
  CHECK_THROWS_AS(DeviceContext(missing), DeviceError);
}

TEST_CASE("vectors are added, on every device", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  for (const DeviceInfo& device : found.devices) {
    const DeviceContext context(device);
    DeviceModule module(context, compiled_for(device).image);
    DeviceStream stream(context);
    for (const unsigned count : {0u, 1u, 31u, 32u, 33u, 63u, 64u, 65u, 100000u}) {
      CAPTURE(device.index, count);
      std::vector<double> a(count), b(count), expected(count);
      for (unsigned i = 0; i < count; ++i) {
        a[i] = i;
        b[i] = 0.5 * i * i;
        expected[i] = a[i] + b[i];
      }
      const std::size_t bytes = 8 * std::size_t{count};
      DeviceBuffer left(context, bytes), right(context, bytes), sums(context, bytes);
      CHECK(left.size_bytes() == bytes);
      upload(left, a);
      upload(right, b);
      sums.clear();
      module.launch("add", {count / 64 + 1, 64, 0}, stream,
                    {argument(left), argument(right), argument(sums), argument(count)});
      stream.synchronize();
      CHECK(downloaded<double>(sums, count) == expected);
    }
  }
}

TEST_CASE("PTX, which the driver translates, runs too", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo& device = found.devices[0];
  if (device.major < 8) MATCHCOUNT_SKIP("needs capability 8.0");
  const DeviceContext context(device);
  DeviceModule module(context, compile_kernel(kernels, 8, 5, "").image);
  DeviceStream stream(context);
  DeviceBuffer words(context, 8);
  upload<unsigned>(words, {1, 2});
  module.launch("reverse", {1, 2, 8}, stream, {argument(words)});
  CHECK(downloaded<unsigned>(words, 2) == std::vector<unsigned>{2, 1});
}

TEST_CASE("buffers keep to their range, and parts of them are parts", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  DeviceBuffer buffer(context, 16);
  std::array<std::byte, 17> bytes{};
  const std::span<std::byte> all(bytes);
  CHECK_THROWS_AS(buffer.upload(all), InputError);
  CHECK_THROWS_AS(buffer.download(all), InputError);
  CHECK_THROWS_AS(buffer.upload(all.first(1), 16), InputError);
  CHECK_THROWS_AS(buffer.download(all.first(16), 1), InputError);
  CHECK_THROWS_AS(buffer.upload(all.first(2), std::numeric_limits<std::size_t>::max()), InputError);
  CHECK_THROWS_AS(buffer.upload(all.first(0), 17), InputError);
  buffer.upload(all.first(0), 16);

  buffer.clear();
  upload<unsigned>(buffer, {7, 9}, 4);
  CHECK(downloaded<unsigned>(buffer, 4) == std::vector<unsigned>{0, 7, 9, 0});
  CHECK(downloaded<unsigned>(buffer, 1, 8) == std::vector<unsigned>{9});

  DeviceBuffer moved(std::move(buffer));
  CHECK(downloaded<unsigned>(moved, 1, 4) == std::vector<unsigned>{7});
  moved = DeviceBuffer(context, 0);
  CHECK(moved.size_bytes() == 0);
  moved.clear();
  CHECK(downloaded<unsigned>(moved, 0).empty());
}

TEST_CASE("memory that can't be had is unable, with the amounts, and the rest goes on", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo& device = found.devices[0];
  const DeviceContext context(device);
  const std::size_t bytes = device.memory_bytes + (std::size_t{1} << 30);
  CHECK_THAT(complaint<Unable>([&] { const DeviceBuffer buffer(context, bytes); }),
             ContainsSubstring(std::to_string(bytes)) && ContainsSubstring("free"));
  DeviceBuffer small(context, 4);
  small.clear();
  CHECK(downloaded<unsigned>(small, 1) == std::vector<unsigned>{0});
}

TEST_CASE("memory comes back when buffers, streams and modules go", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  const std::size_t bytes = found.devices[0].memory_bytes / 8;
  const std::vector<std::byte> image = compiled_for(found.devices[0]).image;
  for (int i = 0; i < 20; ++i) {  // eight at once would not fit
    const DeviceStream stream(context);
    const DeviceEvent event(context);
    const DeviceModule module(context, image);
    DeviceBuffer buffer(context, bytes);
  }
}

TEST_CASE("what is no image, an image cut off, and a kernel that is not there are errors", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  const std::vector<std::byte> image = compiled_for(found.devices[0]).image;
  const std::string text = "this is no kernel";
  CHECK_THROWS_AS(DeviceModule(context, {}), DeviceError);
  CHECK_THROWS_AS(DeviceModule(context, std::as_bytes(std::span(text))), DeviceError);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, image.size() / 2, image.size() - 1}) {
    CAPTURE(size);
    CHECK_THROWS_AS(DeviceModule(context, std::span(image).first(size)), DeviceError);
  }
  DeviceModule module(context, image);
  DeviceStream stream(context);
  CHECK_THAT(complaint<DeviceError>([&] { module.launch("nobody", {}, stream, {}); }), ContainsSubstring("'nobody'"));
}

TEST_CASE("launches of no threads, of too many, and with arguments that don't fit are refused", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  DeviceModule module(context, compiled_for(found.devices[0]).image);
  DeviceStream stream(context);
  DeviceBuffer word(context, 4);
  const std::vector<KernelArgument> fitting{argument(std::int64_t{0}), argument(word), argument(1u)};
  CHECK_THROWS_AS(module.launch("wait_and_write", {0, 1, 0}, stream, fitting), InputError);
  CHECK_THROWS_AS(module.launch("wait_and_write", {1, 0, 0}, stream, fitting), InputError);
  CHECK_THROWS_AS(module.launch("wait_and_write", {1, 4096, 0}, stream, fitting), DeviceError);
  CHECK_THROWS_AS(module.launch("wait_and_write", {1, 1, 64u << 20}, stream, fitting), DeviceError);
  if (found.devices[0].driver_version >= 12040) {
    CHECK_THROWS_AS(module.launch("wait_and_write", {}, stream, {fitting[0], fitting[1]}), InputError);
    CHECK_THROWS_AS(module.launch("wait_and_write", {}, stream, {fitting[0], fitting[1], fitting[2], fitting[2]}),
                    InputError);
    CHECK_THROWS_AS(module.launch("wait_and_write", {}, stream, {fitting[2], fitting[1], fitting[2]}), InputError);
  }
  module.launch("wait_and_write", {}, stream, fitting);
  CHECK(downloaded<unsigned>(word, 1) == std::vector<unsigned>{1});
}

TEST_CASE("a stream is finished when its work is, events time it, and a download waits for it", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo& device = found.devices[0];
  const DeviceContext context(device);
  DeviceModule module(context, compiled_for(device).image);
  DeviceStream stream(context);
  DeviceBuffer word(context, 4);
  word.clear();
  stream.synchronize();
  CHECK(stream.finished());

  // A fifth of a second at the highest clock, which the device may not reach.
  const std::int64_t cycles = std::int64_t{device.clock_khz} * 200;
  DeviceEvent start(context), end(context);
  CHECK_THROWS_AS(end.seconds_since(start), InputError);
  stream.record(start);
  module.launch("wait_and_write", {}, stream, {argument(cycles), argument(word), argument(5u)});
  stream.record(end);
  CHECK_FALSE(stream.finished());
  CHECK_THROWS_AS(end.seconds_since(start), InputError);
  CHECK(downloaded<unsigned>(word, 1) == std::vector<unsigned>{5});
  CHECK(stream.finished());
  const double seconds = end.seconds_since(start);
  CHECK(seconds > 0.15);
  CHECK(seconds < 5);
}

TEST_CASE("a stream copies by pinned memory, in its order and behind what it waits for", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceInfo& device = found.devices[0];
  const DeviceContext context(device);
  DeviceModule module(context, compiled_for(device).image);
  DeviceStream kernels_stream(context), copies(context);
  DeviceBuffer word(context, 4), other(context, 12);
  const PinnedBuffer pinned(context, 8);
  REQUIRE(pinned.bytes().size() == 8);
  word.clear();
  other.clear();
  DeviceEvent written(context);
  const std::int64_t cycles = std::int64_t{device.clock_khz} * 50;  // a twentieth of a second or more
  module.launch("wait_and_write", {}, kernels_stream, {argument(cycles), argument(word), argument(5u)});
  kernels_stream.record(written);
  copies.wait(written);
  copies.download(word, 0, pinned.bytes().first(4));
  copies.upload(other, 8, pinned.bytes().first(4));
  copies.download(other, 8, pinned.bytes().last(4));
  copies.synchronize();
  CHECK(downloaded<unsigned>(other, 3) == std::vector<unsigned>{0, 0, 5});
  CHECK(std::equal(pinned.bytes().begin(), pinned.bytes().begin() + 4, pinned.bytes().begin() + 4));
  CHECK_THROWS_AS(copies.upload(word, 1, pinned.bytes().first(4)), InputError);
  CHECK_THROWS_AS(copies.download(word, 4, pinned.bytes().first(1)), InputError);
}

TEST_CASE("a kernel that follows an upload sees all of it", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  DeviceModule module(context, compiled_for(found.devices[0]).image);
  DeviceStream stream(context);
  const std::size_t bytes = 32 << 20;
  DeviceBuffer from(context, bytes), to(context, bytes);
  std::vector<std::byte> host(bytes);
  for (unsigned round = 1; round <= 10; ++round) {
    std::fill(host.begin(), host.end(), static_cast<std::byte>(round));
    from.upload(host);
    std::fill(host.begin(), host.end(), std::byte{0});
    module.launch("copy", {256, 256, 0}, stream, {argument(from), argument(to), argument(std::uint64_t{bytes})});
    to.download(host);
    CAPTURE(round);
    CHECK(std::count(host.begin(), host.end(), static_cast<std::byte>(round)) == static_cast<std::ptrdiff_t>(bytes));
  }
}

TEST_CASE("shared memory above 48 KB is had by asking, and a kernel tells what it takes", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  DeviceModule module(context, compiled_for(found.devices[0]).image);
  DeviceStream stream(context);
  std::vector<unsigned> words(1024), expected(1024);
  for (unsigned i = 0; i < 1024; ++i) expected[1023 - i] = words[i] = i;
  DeviceBuffer buffer(context, 4096);
  for (const unsigned shared_bytes : {4096u, 64u << 10, 4096u}) {
    CAPTURE(shared_bytes);
    upload(buffer, words);
    module.launch("reverse", {1, 1024, shared_bytes}, stream, {argument(buffer)});
    CHECK(downloaded<unsigned>(buffer, 1024) == expected);
  }
  const KernelInfo small = module.info("reverse", 128);
  CHECK(small.registers > 0);
  CHECK(small.shared_bytes == 0);
  CHECK(small.local_bytes == 0);
  CHECK(small.blocks_per_multiprocessor > 1);
  CHECK(module.info("reverse", 128, 64 << 10).blocks_per_multiprocessor < small.blocks_per_multiprocessor);
}

TEST_CASE("threads with streams of their own share a context and a module", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const DeviceContext context(found.devices[0]);
  DeviceModule module(context, compiled_for(found.devices[0]).image);
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (unsigned id = 0; id < 4; ++id) {
      threads.emplace_back([&, id] {
        DeviceStream stream(context);
        DeviceBuffer word(context, 4);
        for (unsigned i = 0; i < 50; ++i) {
          const unsigned value = 1000 * id + i;
          module.launch("wait_and_write", {}, stream, {argument(std::int64_t{1000}), argument(word), argument(value)});
          stream.synchronize();
          if (downloaded<unsigned>(word, 1)[0] == value) ++right;
        }
      });
    }
  }
  CHECK(right == 200);
}

// A kernel that fails takes the process's context with it, so it does so in a process of its own.
TEST_CASE("in its own process: a kernel that fails shows at synchronisation and everything after it fails",
          "[.fault]") {
  const DeviceInfo device = find_devices().devices.at(0);
  const DeviceContext context(device);
  DeviceModule module(context, compiled_for(device).image);
  DeviceStream stream(context);
  DeviceBuffer word(context, 4);
  word.clear();
  stream.synchronize();
  module.launch("fail", {}, stream, {});
  CHECK_THROWS_AS(stream.synchronize(), DeviceError);
  CHECK_THROWS_AS(context.synchronize(), DeviceError);
  CHECK_THROWS_AS(downloaded<unsigned>(word, 1), DeviceError);
  CHECK_THROWS_AS(DeviceBuffer(context, 4), DeviceError);
}

TEST_CASE("a kernel that fails is an error, and the process ends in order", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  const std::string program = fs::read_symlink("/proc/self/exe");
  CHECK(std::system(("'" + program + "' '[fault]'").c_str()) == 0);
}
