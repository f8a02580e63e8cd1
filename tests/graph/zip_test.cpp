// ZIP archives of one file.

#include <zlib.h>

#include <string>
#include <vector>

#include "core/run.hpp"
#include "graph/formats.hpp"
#include "support/packed.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

std::string little_endian(std::size_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return bytes;
}

struct Archive {
  std::vector<std::string> texts;
  std::size_t method = 8;
  std::size_t flags = 0;
  std::size_t wrong_sum = 0;
  std::size_t wrong_size = 0;
  std::size_t wrong_place = 0;
};

std::string zipped(const Archive& archive) {
  std::string bytes, list;
  for (const std::string& text : archive.texts) {
    const std::string packed = archive.method == 8 ? test::deflated(text, -15, 9) : text;
    const std::size_t sum = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
    // Sizes and sums stand in the list alone, as where they were not known at first.
    list += "PK\x01\x02" + little_endian(0x00140014, 4) + little_endian(archive.flags, 2) +
            little_endian(archive.method, 2) + little_endian(0, 4) + little_endian(sum + archive.wrong_sum, 4) +
            little_endian(packed.size(), 4) + little_endian(text.size() + archive.wrong_size, 4) + little_endian(5, 2) +
            little_endian(0, 12) + little_endian(bytes.size() + archive.wrong_place, 4) + "a.txt";
    bytes += "PK\x03\x04" + little_endian(20, 2) + little_endian(archive.flags | 8, 2) +
             little_endian(archive.method, 2) + little_endian(0, 16) + little_endian(5, 2) + little_endian(4, 2) +
             "a.txt" + "xtra" + packed;
  }
  const std::size_t begin = bytes.size();
  return bytes + list + "PK\x05\x06" + little_endian(0, 4) + little_endian(archive.texts.size(), 2) +
         little_endian(archive.texts.size(), 2) + little_endian(list.size(), 4) + little_endian(begin, 4) +
         little_endian(0, 2);
}

}  // namespace

TEST_CASE("a ZIP archive of one file is that file, of any format") {
  const std::string text = "a x 1\nb y 2\n";
  for (const std::size_t method : {0, 8}) {
    CHECK(named_edges(read_usual(zipped({{text}, method}))) == NamedEdges{{"a", "x"}, {"b", "y"}});
    CHECK(read_input_text(zipped({{"1 one\n2 two\n#\n1 2\n"}, method}), "x.tgf.zip", usual()).format ==
          InputFormat::tgf);
  }
  CHECK(read_usual(zipped({{file("float64.npy")}})).format == InputFormat::npy);
}

TEST_CASE("other ZIP archives are refused: several files, encrypted, damaged, larger than a limit") {
  const std::string text = "a x 1\nb y 2\n";
  const auto check = [](const Archive& archive, const std::string& found) {
    check_refused(zipped(archive), usual(), 0, found,
                  archive.texts.size() > 1 ? "--member" : "a ZIP archive of one file");
  };
  check({{text, text}}, "an archive of 2 files");
  check({{text}, 8, 1}, "encrypted");
  check({{text}, 12}, "of another method");
  check({{text}, 8, 0, 1}, "a damaged ZIP archive");
  check({{text}, 0, 0, 1}, "a damaged ZIP archive");
  check({{text}, 8, 0, 0, 1}, "a damaged ZIP archive");
  check({{text}, 8, 0, 0, 0, 40}, "a damaged ZIP archive");
  check({{text}, 8, 0, 0, 0, std::size_t{1} << 31}, "a damaged ZIP archive");
  const std::string whole = zipped({{text}});
  for (std::size_t length = 4; length < whole.size(); ++length)
    check_refused(whole.substr(0, length), usual(), 0, "a damaged ZIP archive", "");
  const RunOptions options{.memory_limit_bytes = 1'000'000};
  const std::string bomb = zipped({{std::string(30'000'000, '#') + "\n"}});
  REQUIRE(bomb.size() < 100'000);
  CHECK_THROWS_AS(read_input_text(bomb, "test", usual(), RunContext(options)), Unable);
}
