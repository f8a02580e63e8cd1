#include "permanent/ryser/cuda/kernel_source.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "core/numbers/integer.hpp"
#include "permanent/ryser/cuda/row_errors.hpp"

namespace matchcount::gpu {
namespace {

constexpr int threads = Kernel::most_threads;
constexpr double registers_of_multiprocessor = 65536;
// The compiler gets along with a few registers less than are estimated. Dense n = 42 on one H200: 10.4 s with four
// blocks of 128 registers a thread, 10.8 s with three.
constexpr double register_slack = 0.15;

std::string hexadecimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}
std::string hexadecimal_float(double value) {
  // Rounded up: magnitudes may only grow.
  auto rounded = static_cast<float>(value);
  if (rounded < value) rounded = std::nextafter(rounded, HUGE_VALF);
  return hexadecimal(static_cast<double>(rounded)) + "f";
}

class Writer {
 public:
  explicit Writer(const KernelInput& input)
      : in_(input),
        numbers_(input.numbers),
        order_(input.plan.order),
        inner_(input.plan.inner_bits),
        num_bits_(static_cast<int>(order_.bit_column.size())),
        top_(std::min(top_level(input.magnitudes, order_, inner_), input.walk_bits)),
        size_(static_cast<int>(input.magnitudes.size)),
        rows_(walk_rows(input.magnitudes, order_, inner_)),
        errors_(input, special_rows()) {}

  Kernel write() {
    make_levels();
    write_text();
    Kernel kernel;
    kernel.source = text_.str();
    kernel.name = "sum_tasks";
    kernel.threads = threads;
    kernel.out_bytes = numbers_.exact() ? 4 * static_cast<std::size_t>(numbers_.words) : 5 * sizeof(double);
    kernel.num_chunks = std::uint64_t{1} << (num_bits_ - in_.walk_bits);
    kernel.num_tasks = (kernel.num_chunks + threads - 1) / threads;
    // Every bit above the block that is off stands for a factor -1; the kernel counts those that are on.
    kernel.negated = (num_bits_ - inner_) % 2 != 0;
    kernel.doubled = numbers_.ends && order_.special_column != unmatched;
    write_data(kernel);
    if (!numbers_.exact()) {
      // Roundings of a leaf. Every product joins rows that no other does, so that there are fewer than rows, each of at
      // most three where pairs are multiplied, and one where complex numbers are (whose unit is larger); one where ends
      // are, and one more where a row's special entry is added to its sum. Then a difference for every bit of the
      // block, and sums over sixteen blocks and over chunks.
      const double depth = size_ * (numbers_.ends ? 2 : numbers_.has_pairs() ? 3 : 1) + inner_ + 40;
      kernel.log2_size_scale = -errors_.log2_scale(scaled_);
      kernel.error_per_size = errors_.error_per_size(depth * numbers_.unit_roundoff());
    }
    return kernel;
  }

 private:
  using Kind = Operation::Kind;

  // ---- Types.
  bool wide_rows() const { return numbers_.exact() && row_bits() > 61.9; }
  double row_bits() const {
    double bits = 0;
    for (const WalkRow& row : rows_) bits = std::max(bits, row.bits);
    return bits;
  }
  std::string row_type() const {
    switch (numbers_.arithmetic) {
      case Arithmetic::exact:
        return row_bits() < 29.9 ? "int" : row_bits() < 61.9 ? "s64" : "Wide<3>";
      case Arithmetic::double_double:
        return "DD";
      case Arithmetic::complex:
        return "Complex<double>";
      case Arithmetic::complex_double:
        return "Complex<DD>";
      default:
        return "double";
    }
  }
  std::string type(double bits) const {
    if (!numbers_.exact()) return row_type();
    if (!wide_rows() && bits < 30.999) return "int";
    if (!wide_rows() && bits < 62.999) return "s64";
    const int words = std::max(static_cast<int>((bits + 1.001) / 32) + 1, wide_rows() ? 3 : 2);
    return "Wide<" + std::to_string(std::min(words, std::max(numbers_.words, wide_rows() ? 3 : 2))) + ">";
  }

  // Return the type of pairs of this kind, and the function of this name on them.
  std::string pair_type(const std::string& kind) const { return numbers_.ends ? "Ends" : "Pair<" + kind + ">"; }
  std::string pair_function(const char* name, const std::string& kind) const {
    return numbers_.ends ? std::string("ends_") + name : std::string("pair_") + name + "<" + kind + ">";
  }

  // Returns the second number of a pair; of ends twice that.
  std::string second_of(const std::string& pair) const {
    return numbers_.ends ? "difference_of(" + pair + ")" : pair + ".f1";
  }

  // ---- Values.
  std::size_t place(int row, Vertex column) const {
    return order_.transposed ? std::size_t{column} * in_.magnitudes.size + static_cast<std::size_t>(row)
                             : static_cast<std::size_t>(row) * in_.magnitudes.size + column;
  }
  std::string literal(const std::array<double, 4>& v) const {
    const auto dd = [](double hi, double lo) { return "DD{" + hexadecimal(hi) + "," + hexadecimal(lo) + "}"; };
    switch (numbers_.arithmetic) {
      case Arithmetic::double_double:
        return dd(v[0], v[1]);
      case Arithmetic::complex:
        return "Complex<double>{" + hexadecimal(v[0]) + "," + hexadecimal(v[1]) + "}";
      case Arithmetic::complex_double:
        return "Complex<DD>{" + dd(v[0], v[1]) + "," + dd(v[2], v[3]) + "}";
      default:
        return hexadecimal(v[0]);
    }
  }
  std::vector<std::uint32_t> words(const Integer& value, int count) const {
    Integer modulus = Integer(1) << (32 * count);
    Integer rest = value < 0 ? Integer(value + modulus) : value;
    std::vector<std::uint32_t> result;
    for (int i = 0; i < count; ++i) {
      result.push_back(static_cast<std::uint32_t>(Integer(rest & Integer(0xffffffffu))));
      rest >>= 32;
    }
    return result;
  }
  std::string literal(const Integer& value) const {
    const std::string kind = row_type();
    if (kind == "Wide<3>") {
      std::string text = "Wide<3>{{";
      for (const std::uint32_t w : words(value, 3)) text += std::to_string(w) + "u,";
      text.back() = '}';
      return text + "}";
    }
    return "(" + kind + ")" + to_decimal(value) + (kind == "s64" ? "LL" : "");
  }
  // A sum of entries, each times a factor: an integer, or components of a field's number.
  struct Number {
    Integer integer = 0;
    std::array<double, 4> parts{};
  };
  void add(Number& sum, int factor, int row, Vertex column) const {
    const std::size_t at = place(row, column);
    if (numbers_.exact())
      sum.integer += factor * Integer(in_.integers[at]);
    else
      for (std::size_t c = 0; c < 4; ++c) sum.parts[c] += factor * in_.values[at][c];
  }
  std::string literal(const Number& number) const {
    return numbers_.exact() ? literal(number.integer) : literal(number.parts);
  }
  // Writes the change of a row sum when the bits in `subset` are turned on.
  std::string flip_literal(int row, std::uint32_t subset) const {
    Number sum;
    for (std::size_t bit = 0; subset >> bit; ++bit) {
      if (subset >> bit & 1) add(sum, 2, row, order_.bit_column[bit]);
    }
    return literal(sum);
  }
  std::string special_literal(int row) const {
    Number entry;
    add(entry, 1, row, order_.special_column);
    return literal(entry);
  }

  // ---- Magnitudes.
  std::uint64_t special_rows() const {
    std::uint64_t set = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      set |= std::uint64_t{rows_[row].special && numbers_.has_pairs()} << row;
    return set;
  }
  // Rows that are zero are counted, and a leaf that has one is passed over: where a zero is one of the entries as they
  // are, not only of the rounded ones, and kills the leaf.
  bool counting() const {
    return order_.variant == Method::sparyser && in_.skip_zeros && order_.special_column == unmatched;
  }
  void include(const std::vector<Operation>& operations) {
    for (const Operation& operation : operations) errors_.include(operation.rows);
  }

  // ---- Text.
  std::string name(const char* prefix, int index) const { return prefix + std::to_string(index); }

  void write_operations(const std::vector<Operation>& operations, const char* prefix) {
    const auto v = [&](int index) { return name(prefix, index); };
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const Operation& op = operations[i];
      const std::string kind = type(op.bits), out = v(static_cast<int>(i));
      std::string result = op.pair ? pair_type(kind) : kind, value;
      const auto call = [&](const std::string& function, const std::string& second) {
        value = function + "(" + v(op.a) + ", " + second + ")";
      };
      switch (op.kind) {
        case Kind::row_sum:
        case Kind::flipped:
          value = op.kind == Kind::flipped && op.a >= 0 ? v(op.a) : "x[" + std::to_string(op.row) + "]";
          if (op.kind == Kind::flipped) value = "moved(" + value + ", " + flip_literal(op.row, op.subset) + ")";
          value = "value_of(" + value + ")";
          if (numbers_.exact()) result = row_type();
          break;
        case Kind::multiply:
          call("mul<" + kind + ">", v(op.b));
          break;
        case Kind::subtract:
          call(op.pair ? pair_function("subtract", kind) : "sub<" + kind + ">", v(op.b));
          break;
        case Kind::pair_start:
          call(pair_function("start", kind), special_literal(op.row));
          break;
        case Kind::pair_row:
          call(pair_function("row", kind), v(op.b) + (numbers_.unit_special ? "" : ", " + special_literal(op.row)));
          break;
        case Kind::pair_scale:
        case Kind::pair_multiply:
          call(pair_function(op.kind == Kind::pair_scale ? "scale" : "multiply", kind), v(op.b));
          break;
        case Kind::size:
          result = op.pair ? "double" : "float";
          if (op.pair) {
            value = "bulk(" + v(op.a) + ")";
          } else {
            const double s = errors_.scale(op.rows);
            call("size_of", (std::fabs(std::log2(s)) < 40 ? hexadecimal_float(s) : hexadecimal(s)) + ", " +
                                hexadecimal_float(errors_.floor_of(op.rows)));
          }
          break;
        case Kind::size_multiply:
        case Kind::size_add:
          result = op.pair ? "double" : "float";
          value = v(op.a) + (op.kind == Kind::size_add ? " + " : " * ") + v(op.b);
          break;
      }
      text_ << "    const " << result << " " << out << " = " << value << ";\n";
    }
  }

  // Finds the operations that stand at each level of the walk, and in its block.
  void make_levels() {
    block_ = BlockProgram(rows_, inner_, numbers_);
    block_operations_ = block_.operations();
    levels_.resize(static_cast<std::size_t>(top_ - inner_ + 1));
    for (int level = top_; level >= inner_; --level) {
      Level& here = levels_[static_cast<std::size_t>(level - inner_)];
      if (level < top_) {
        const Level& above = levels_[static_cast<std::size_t>(level + 1 - inner_)];
        here.scalar = above.scalar;
        here.pair = above.pair;
        here.scalar_bits = above.scalar_bits;
        here.pair_bits = above.pair_bits;
      }
      for (int row = 0; row < size_; ++row) {
        const int stage = rows_[static_cast<std::size_t>(row)].stage;
        if (level < top_ ? stage == level : stage >= level) here.rows.push_back(row);
      }
      std::vector<Factor> scalars, pairs;
      for (const Factor& factor : BlockProgram::append_products(here.operations, rows_, here.rows, numbers_))
        (factor.pair ? pairs : scalars).push_back(factor);
      for (auto* list : {&scalars, &pairs}) {
        if (list->empty()) continue;
        Factor product = append_product(here.operations, *list, numbers_);
        if (!numbers_.exact() && !product.pair) append_size(here.operations, product);
        scaled_ |= product.scaled;
        (product.pair ? here.pair : here.scalar) = true;
        (product.pair ? here.pair_bits : here.scalar_bits) += product.bits;
        here.factors.push_back(product);
      }
      include(here.operations);
    }
    include(block_operations_);
  }

  // Estimates how many blocks of threads the registers of a multiprocessor hold.
  int blocks_of_multiprocessor() const {
    const int row_registers = numbers_.exact() ? (row_type() == "int"   ? 1
                                                  : row_type() == "s64" ? 2
                                                                        : 3)
                                               : 2 * numbers_.components();
    int registers = size_ * row_registers + block_.live_registers();
    for (const Level& level : levels_) {
      const int value = numbers_.exact() ? numbers_.words / 2 : 2 * numbers_.components();
      registers += (level.scalar ? value + 1 : 0) + (level.pair ? 2 * value : 0);
    }
    return std::clamp(static_cast<int>(registers_of_multiprocessor / (threads * registers) + register_slack), 2, 8);
  }

  void write_text() {
    text_ << "constexpr int ROWS = " << size_ << ", BITS = " << num_bits_ << ", WALK_BITS = " << in_.walk_bits
          << ", INNER_BITS = " << inner_ << ", TOP_LEVEL = " << top_ << ", LOOP_SIGNS = " << (numbers_.ends ? 2 : 1)
          << ", THREADS = " << threads << ", BLOCKS = " << blocks_of_multiprocessor() << ";\n"
          << kernel_library_text << "\ntypedef " << row_type() << " RowSum;\ntypedef "
          << (numbers_.exact()                                 ? "IntegerSum<" + std::to_string(numbers_.words) + ">"
              : numbers_.arithmetic == Arithmetic::compensated ? "FieldSum<true>"
                                                               : "FieldSum<false>")
          << " Sum;\n\nstruct Walk {\n  RowSum x[ROWS];\n";
    if (counting()) text_ << "  int zeros;\n";
    write_levels();
    write_flips();
    write_block();
    text_ << "};\n\n" << kernel_frame_text;
  }

  void write_levels() {
    // From the top down: each level's product is the one above times its own rows.
    for (int level = top_; level >= inner_; --level) {
      const Level& here = levels_[static_cast<std::size_t>(level - inner_)];
      if (here.scalar)
        text_ << "  " << type(here.scalar_bits) << " scalar" << level << ";\n"
              << (numbers_.exact() ? "" : "  float scale" + std::to_string(level) + ";\n");
      if (here.pair) text_ << "  " << pair_type(type(here.pair_bits)) << " pair" << level << ";\n";
    }
    text_ << "  MC_DEVICE void start() {\n";
    if (counting()) {
      text_ << "    zeros = 0;\n";
      for (int row = 0; row < size_; ++row) text_ << "    zeros += is_zero(x[" << row << "]);\n";
    }
    text_ << "  }\n  MC_DEVICE int refresh(int bit) {\n";
    if (counting()) text_ << "    if (whole_warp(zeros > 0)) return INNER_BITS;\n";
    for (int level = top_; level >= inner_; --level) {
      const Level& here = levels_[static_cast<std::size_t>(level - inner_)];
      if (!here.scalar && !here.pair) continue;
      const Level* above = level < top_ ? &levels_[static_cast<std::size_t>(level + 1 - inner_)] : nullptr;
      text_ << "    if (bit >= " << level << ") {\n";
      write_operations(here.operations, "l");
      bool own_scalar = false, own_pair = false;
      for (const Factor& factor : here.factors) {
        const std::string value = name("l", factor.value);
        const std::string upper = std::to_string(level + 1),
                          kind = type(factor.pair ? here.pair_bits : here.scalar_bits);
        if (factor.pair) {
          own_pair = true;
          text_ << "    pair" << level << " = "
                << (above && above->pair ? pair_function("multiply", kind) + "(pair" + upper + ", " + value + ")"
                                         : value)
                << ";\n";
        } else {
          own_scalar = true;
          text_ << "    scalar" << level << " = "
                << (above && above->scalar ? "mul<" + kind + ">(scalar" + upper + ", " + value + ")" : value) << ";\n";
          if (!numbers_.exact())
            text_ << "    scale" << level << " = " << (above && above->scalar ? "scale" + upper + " * " : "")
                  << name("l", factor.size) << ";\n";
        }
      }
      if (here.scalar && !own_scalar) {
        text_ << "    scalar" << level << " = scalar" << level + 1 << ";\n";
        if (!numbers_.exact()) text_ << "    scale" << level << " = scale" << level + 1 << ";\n";
      }
      if (here.pair && !own_pair) text_ << "    pair" << level << " = pair" << level + 1 << ";\n";
      if (in_.skip_zeros && !counting() && order_.variant != Method::ryser) {
        std::string zero;
        if (here.scalar) zero = "is_zero(scalar" + std::to_string(level) + ")";
        if (here.pair) zero += (zero.empty() ? "" : " || ") + ("is_zero(pair" + std::to_string(level) + ")");
        text_ << "    if (whole_warp(" << zero << ")) return " << level << ";\n";
      }
      text_ << "    }\n";
    }
    text_ << "    return -1;\n  }\n";

    text_ << "  MC_DEVICE double skipped(int level) const {\n    switch (level) {\n";
    // Without floors a row sum of 0 is one, and what is skipped owes nothing.
    if (in_.skip_zeros && !numbers_.exact() && numbers_.floors) {
      for (int level = inner_; level <= top_; ++level) {
        const Level& here = levels_[static_cast<std::size_t>(level - inner_)];
        double tail = std::ldexp(1, level);
        for (int row = 0; row < size_; ++row) {
          // A counted zero is found before any product is made.
          if (rows_[static_cast<std::size_t>(row)].stage >= level && !counting()) continue;
          const auto r = static_cast<std::size_t>(row);
          const bool pair = rows_[r].special && numbers_.has_pairs();
          tail *= pair ? in_.row_bound[r] + in_.special_value[r]
                       : std::ldexp(in_.row_bound[r], errors_.log2_scale(std::uint64_t{1} << r));
        }
        text_ << "      case " << level << ": return " << hexadecimal(tail * (1 + 0x1p-40))
              << (here.scalar && !counting() ? " * scale" + std::to_string(level) : "")
              << (here.pair && !counting() ? " * bulk(pair" + std::to_string(level) + ")" : "") << ";\n";
      }
    }
    text_ << "    }\n    return 0;\n  }\n";
  }

  void write_block() {
    const Level& above = levels_.front();
    text_ << "  MC_DEVICE void block(Sum& sum, bool negative) const {\n";
    // Scalars, narrow ones first, then the second component of the pairs' product.
    struct Scalar {
      std::string value;
      double bits;
    };
    std::vector<Scalar> scalars;
    std::vector<std::string> sizes;
    std::string pair;
    double bits = 0;
    for (Factor factor : block_.results()) {
      if (factor.pair) {
        pair = name("b", factor.value);
        bits += factor.bits;
      } else {
        scalars.push_back({name("b", factor.value), factor.bits});
      }
      if (!numbers_.exact()) sizes.push_back(name("b", append_size(block_operations_, factor)));
      scaled_ |= factor.scaled;
    }
    write_operations(block_operations_, "b");
    const std::string level = std::to_string(inner_);
    if (above.scalar) {
      scalars.push_back({"scalar" + level, above.scalar_bits});
      if (!numbers_.exact()) sizes.push_back("scale" + level);
    }
    std::string value;
    if (above.pair) {
      bits += above.pair_bits;
      value = pair.empty()    ? second_of("pair" + level)
              : numbers_.ends ? "difference_of_product(pair" + level + ", " + pair + ")"
                              : "second_of_product<" + type(bits) + ">(pair" + level + ", " + pair + ")";
      if (!numbers_.exact()) sizes.push_back("bulk(pair" + level + ")");
    } else if (!pair.empty()) {
      value = second_of(pair);
    }
    std::stable_sort(scalars.begin(), scalars.end(), [](const Scalar& a, const Scalar& b) { return a.bits < b.bits; });
    for (const Scalar& scalar : scalars) {
      bits += scalar.bits;
      value = value.empty() ? scalar.value : "mul<" + type(bits) + ">(" + value + ", " + scalar.value + ")";
    }
    std::string size = "0.0";
    for (std::size_t i = 0; i < sizes.size(); ++i) size = i == 0 ? "(double)" + sizes[0] : size + " * " + sizes[i];
    text_ << "    sum.add(" << value << ", " << size << ", negative);\n  }\n";
  }

  void write_flips() {
    const auto line = [&](int row, const std::string& by, bool has_sign) {
      const std::string x = "x[" + std::to_string(row) + "]";
      const std::string turn =
          x + (has_sign ? " = moved(" + x + ", " + by + ");" : " = turned(" + x + ", " + by + ", on);");
      if (counting()) return "zeros -= is_zero(" + x + "); " + turn + " zeros += is_zero(" + x + ");";
      return turn;
    };
    text_ << "  MC_DEVICE void flip(int bit, bool on, const RowSum* loops) {\n    switch (bit) {\n";
    for (int bit = inner_; bit < top_; ++bit) {
      text_ << "      case " << bit << ":\n";
      for (int row = 0; row < size_; ++row) {
        const bool touched =
            in_.magnitudes.magnitude[place(row, order_.bit_column[static_cast<std::size_t>(bit)])] != 0;
        if (touched || order_.variant == Method::ryser)
          text_ << "        " << line(row, flip_literal(row, 1u << bit), false) << "\n";
      }
      text_ << "        break;\n";
    }
    // Both signs in sparse matrices, where little is looped over, cost sparyser a quarter of its speed.
    text_ << "      default: {\n        const RowSum* column = loops + (bit - TOP_LEVEL) * LOOP_SIGNS * ROWS"
          << (numbers_.ends ? " + (on ? ROWS : 0)" : "") << ";\n";
    for (int row = 0; row < size_; ++row)
      text_ << "        " << line(row, "column[" + std::to_string(row) + "]", numbers_.ends) << "\n";
    text_ << "      }\n    }\n  }\n";
  }

  void write_data(Kernel& kernel) const {
    // Row sums with all bits off, and what turning a bit on adds to them: [row], [bit][row].
    std::vector<std::byte> base, columns;
    const auto append = [&](std::vector<std::byte>& out, const auto& number) {
      const auto bytes = std::as_bytes(std::span(&number, 1));
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    const std::string kind = row_type();
    const auto append_number = [&](std::vector<std::byte>& out, const Number& number) {
      if (numbers_.exact()) {
        for (const std::uint32_t w : words(number.integer, kind == "int" ? 1 : kind == "s64" ? 2 : 3)) append(out, w);
      } else {
        for (int c = 0; c < numbers_.components(); ++c) append(out, number.parts[static_cast<std::size_t>(c)]);
      }
    };
    for (int row = 0; row < size_; ++row) {
      Number sum;
      add(sum, 1, row, order_.fixed_column);
      for (const Vertex column : order_.bit_column) add(sum, -1, row, column);
      append_number(base, sum);
    }
    for (const Vertex column : order_.bit_column) {
      for (int row = 0; row < size_; ++row) {
        Number twice;
        add(twice, 2, row, column);
        append_number(columns, twice);
      }
    }
    kernel.data = {std::move(base), std::move(columns)};
  }

  struct Level {
    std::vector<Operation> operations;
    std::vector<Factor> factors;            // a scalar, a pair, both or none: the level's own rows
    double scalar_bits = 0, pair_bits = 0;  // with those above
    bool scalar = false, pair = false;
    std::vector<int> rows;
  };

  const KernelInput& in_;
  const Numbers numbers_;
  const RyserPlan& order_;
  const int inner_, num_bits_, top_, size_;
  const std::vector<WalkRow> rows_;
  std::vector<Level> levels_;  // by level, from inner_ to top_
  BlockProgram block_;
  std::vector<Operation> block_operations_;
  std::ostringstream text_;
  RowErrors errors_;
  std::uint64_t scaled_ = 0;  // rows that magnitudes were scaled for
};

}  // namespace

Kernel make_kernel(const KernelInput& input) { return Writer(input).write(); }

}  // namespace matchcount::gpu
