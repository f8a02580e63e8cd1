#pragma once
// Piece is 16 bytes of a row of bits, which kernels read and write at once.

struct alignas(16) Piece {
  u32 words[4];
};

inline __device__ void add_to(Piece& piece, const Piece& other) {
  UNROLL
  for (int i = 0; i < 4; ++i) piece.words[i] ^= other.words[i];
}

template <class T>
inline __device__ T* at_address(u64 address) {
  return reinterpret_cast<T*>(address);
}
