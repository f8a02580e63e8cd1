#pragma once
// Packs texts by zlib.

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace matchcount::test {

// Returns what zlib makes of the text; window_bits as it has them: -15 without a head.
inline std::string deflated(std::string text, int window_bits, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string gzipped(const std::string& text) { return deflated(text, 15 + 16); }

}  // namespace matchcount::test
