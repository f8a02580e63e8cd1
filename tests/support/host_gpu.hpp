#pragma once
// Compiles kernels' text for the host, where fibers play a GPU's threads: all of a launch take turns on one thread, and
// hand over where they wait. Include it last, and then the text within namespace host_gpu: it defines what CUDA gives.

#include <ucontext.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace host_gpu {

struct Index {
  unsigned x = 0;
};

class Launch;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  Index block, thread;
  bool done = false;
  unsigned exchanges = 0;
};

struct Block {
  int waiting = 0, finished = 0;
  std::uint64_t round = 0;
  std::vector<double> memory;  // dynamic
  std::vector<double> exchanged;
  std::vector<std::unique_ptr<double[]>> statics;  // shared arrays by the order in which they are first met
  std::vector<const void*> names;
};

class Launch {
 public:
  // Blocks [first_block, first_block + blocks).
  Launch(unsigned blocks, unsigned threads, unsigned shared_bytes, std::function<void()> kernel,
         unsigned first_block = 0)
      : first_block_(first_block),
        threads_(threads),
        kernel_(std::move(kernel)),
        blocks_(blocks),
        fibers_(blocks * threads) {
    for (Block& block : blocks_) block.memory.resize(shared_bytes / sizeof(double) + 1);
  }

  void run() {
    current_launch = this;
    for (std::size_t i = 0; i < fibers_.size(); ++i) {
      fibers_[i].block.x = first_block_ + static_cast<unsigned>(i / threads_);
      fibers_[i].thread.x = static_cast<unsigned>(i % threads_);
      prepare(fibers_[i]);
    }
    for (bool left = true; left;) {
      left = false;
      for (std::size_t i = 0; i < fibers_.size(); ++i) {
        if (fibers_[i].done) continue;
        left = true;
        at_ = i;
        swapcontext(&main_, &fibers_[i].context);
      }
    }
    current_launch = nullptr;
  }

  Fiber& fiber() { return fibers_[at_]; }
  Block& block() { return blocks_[fiber().block.x - first_block_]; }
  void yield() {
    Fiber& self = fiber();
    swapcontext(&self.context, &main_);
  }
  void barrier() {
    Block& here = block();
    const std::uint64_t round = here.round;
    if (++here.waiting == static_cast<int>(threads_) - here.finished) {
      here.waiting = 0;
      ++here.round;
      return;
    }
    while (here.round == round) yield();
  }
  // Returns the value of another thread, where all of the block ask for one.
  double exchange(double value, int distance) {
    const unsigned self = fiber().thread.x, place = fiber().exchanges++ % 2 * threads_;  // by turns: one barrier does
    std::vector<double>& values = block().exchanged;
    values.resize(std::size_t{2} * threads_);
    values[place + self] = value;
    barrier();
    return values[place + (self ^ static_cast<unsigned>(distance))];
  }
  unsigned threads() const { return threads_; }

  static inline Launch* current_launch = nullptr;

 private:
  // getcontext returns twice, as far as a compiler can tell: a function of its own, so that it fears for no variable.
  [[gnu::noinline]] void prepare(Fiber& fiber) {
    constexpr std::size_t stack_bytes = 128 << 10;
    fiber.stack.reset(new char[stack_bytes]);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = &main_;
    makecontext(&fiber.context, &Launch::start, 0);
  }
  static void start() {
    Launch& launch = *current_launch;
    launch.kernel_();
    Block& block = launch.block();
    launch.fiber().done = true;
    ++block.finished;
    if (block.waiting > 0 && block.waiting == static_cast<int>(launch.threads_) - block.finished) {
      block.waiting = 0;
      ++block.round;
    }
  }

  unsigned first_block_, threads_;
  std::function<void()> kernel_;
  std::vector<Block> blocks_;
  std::vector<Fiber> fibers_;
  std::size_t at_ = 0;
  ucontext_t main_;
};

// One array a block for every place in the text.
inline void* shared_array(const void* name, std::size_t bytes) {
  Block& block = Launch::current_launch->block();
  for (std::size_t i = 0; i < block.names.size(); ++i) {
    if (block.names[i] == name) return block.statics[i].get();
  }
  block.names.push_back(name);
  block.statics.emplace_back(new double[bytes / sizeof(double) + 1]);
  return block.statics.back().get();
}

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using std::fma;
inline unsigned atomicAdd(unsigned* place, unsigned value) { return std::exchange(*place, *place + value); }
template <class T>
T load_fresh(const T* p) {
  return *p;
}
inline void relax() { Launch::current_launch->yield(); }
inline double partner(double value, int distance) { return Launch::current_launch->exchange(value, distance); }
inline void* dynamic_shared() { return Launch::current_launch->block().memory.data(); }
inline int lowest_one(unsigned mask) { return __builtin_ctz(mask); }
inline int count_ones(unsigned mask) { return __builtin_popcount(mask); }

}  // namespace host_gpu

// Names that CUDA provides, and those that kernels' texts take from who includes them.
#define MC_DEVICE inline
#define MC_UNROLL
#define MC_ROLLED
#define __device__
#define blockIdx (host_gpu::Launch::current_launch->fiber().block)
#define threadIdx (host_gpu::Launch::current_launch->fiber().thread)
#define blockDim (host_gpu::Index{host_gpu::Launch::current_launch->threads()})
#define __syncthreads() host_gpu::Launch::current_launch->barrier()
#define __threadfence() static_cast<void>(0)
#define SHARED(type, name, size)     \
  static const char name##_name = 0; \
  type* const name = static_cast<type*>(host_gpu::shared_array(&name##_name, sizeof(type) * (size)))

#define UNROLL
