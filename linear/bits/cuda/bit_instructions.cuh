#pragma once
// Names the instructions that the kernels of bit products are made of.

typedef unsigned int u32;
typedef unsigned long long u64;

#define UNROLL _Pragma("unroll")
#define SHARED(type, name, size) __shared__ type name[size]

static __device__ __forceinline__ u32 shared_base() {
  extern __shared__ unsigned char memory[];
  return (static_cast<u32>(__cvta_generic_to_shared(memory)) + 1023) & ~1023u;
}
// Copies 16 bytes, or zeros where they are not wanted.
static __device__ __forceinline__ void copy_piece(u32 to, u64 from, bool wanted) {
  const u32 bytes = wanted ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
}
static __device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;"); }
template <int pending>
static __device__ __forceinline__ void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
static __device__ __forceinline__ u32 shuffle_xor(u32 value, u32 lanes) {
  return __shfl_xor_sync(0xffffffffu, value, lanes);
}
static __device__ __forceinline__ u32 ballot(u32 value) { return __ballot_sync(0xffffffffu, value); }
static __device__ __forceinline__ void load_piece(u32 (&to)[4], u32 from) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}
static __device__ __forceinline__ u32 count_bits(u64 bits) { return static_cast<u32>(__popcll(bits)); }
static __device__ __forceinline__ u32 lowest_bit(u64 bits) { return static_cast<u32>(__ffsll(bits)) - 1; }
static __device__ __forceinline__ void atomic_or(u32* place, u32 bits) { atomicOr(place, bits); }
// Offers the least value of those threads of a warp that call it together.
static __device__ __forceinline__ void offer_least(u32* place, u32 value) {
  const u32 mask = __activemask(), least = __reduce_min_sync(mask, value);
  if (threadIdx.x % 32 == __ffs(mask) - 1) atomicMin(place, least);
}
static __device__ __forceinline__ void* dynamic_shared() {
  extern __shared__ unsigned char memory[];
  return memory;
}

static __device__ __forceinline__ void load_matrices(u32 (&to)[4], u32 from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}
static __device__ __forceinline__ void multiply_add(u32 (&sums)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// TileMap and the copies below exist on sm_90a alone: elsewhere nothing calls them. Barriers are addresses in shared
// memory.
struct alignas(64) TileMap {
  unsigned char bytes[128];
};
static __device__ __forceinline__ void start_barrier(u32 barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
static __device__ __forceinline__ void expect_bytes(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
static __device__ __forceinline__ void await_phase(u32 barrier, u32 phase) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::
          "r"(barrier),
      "r"(phase)
      : "memory");
}
static __device__ __forceinline__ void await_warp() { __syncwarp(); }
static __device__ __forceinline__ u32 block_of_pair() {
  u32 rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
static __device__ __forceinline__ void arrive_at_both(u32 barrier) {
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, 0;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "mapa.shared::cluster.u32 there, %0, 1;\nmbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier)
      : "memory");
}
// Makes barriers that were started visible, too.
static __device__ __forceinline__ void await_pair() {
  asm volatile("fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::
                   : "memory");
}
static __device__ __forceinline__ void copy_tile(u32 to, const TileMap& map, u32 byte, u32 row, u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(to),
      "l"(&map), "r"(byte), "r"(row), "r"(barrier)
      : "memory");
}
static __device__ __forceinline__ void copy_tile_to_pair(u32 to, const TileMap& map, u32 byte, u32 row, u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(byte), "r"(row), "r"(barrier), "h"(static_cast<unsigned short>(3))
      : "memory");
}
// Four rows of sums, as operands that are read and written.
#define FOUR(i) "+r"(sums[i][0]), "+r"(sums[i][1]), "+r"(sums[i][2]), "+r"(sums[i][3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 1), FOUR(i + 2), FOUR(i + 3)
static __device__ __forceinline__ void multiply_add(u32 (&sums)[32][4], u64 a, u64 b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, "
      "%21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
      "%59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, "
      "%97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, "
      "%113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, p;\n}\n"
      : SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12), SIXTEEN(16), SIXTEEN(20), SIXTEEN(24), SIXTEEN(28)
      : "l"(a), "l"(b), "r"(1));
}
#undef SIXTEEN
#undef FOUR

static __device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending>
static __device__ __forceinline__ void await_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
