// With M the matrix and X its inverse, det M is linear in every row, and so the share of the matchings in which row r
// is matched by a part q of it (an edge, or what one child has) is q X e_r. Once one is chosen q takes the row's place,
// and with w = q X and p = w_r the inverse becomes X - (X e_r)(w - e_r) / p. When all rows have been given away,
// columns are. Of a skew matrix, of pairs of vertices, the Pfaffian is linear in a row and its column together, so that
// one pass is enough: X - (x (w - e_r) - (w - e_r) x) / p, x = X e_r.
//
// Errors. Let M be off by at most E, entry by entry, X be what was computed of the inverse, by whatever means, and
// R = I - M X. Then a share q X e_r is off by q M^-1 R e_r, about w R e_r: at most |w| (|R e_r| + E |X e_r|) and what
// is off of q itself, which is found anew at each choice.

#include "permanent/planar/cpu/node_draw.hpp"

#include <limits>
#include <type_traits>
#include <utility>

namespace matchcount {
namespace {

template <class Number, class Given>
Number rounded(const Given& value) {
  if constexpr (std::is_same_v<Number, Given>)
    return value;
  else
    return static_cast<Number>(value);
}

template <class Number, class Given>
class Draw {
 public:
  Draw(const NodeMatrix<Given>& given, double limit, SampleNumbers& numbers, const RunContext& run)
      : given_(given),
        limit_(limit),
        numbers_(numbers),
        run_(run),
        size_(given.size),
        matrix_(size_ * size_, Number(0.0)),
        error_(size_ * size_, 0.0),
        edges_(size_),
        lines_(size_, open),
        others_(given.skew ? 0 : size_, open),
        column_(size_),
        column_sizes_(size_),
        part_(size_),
        products_(size_) {
    // A product of `size` terms, its sum, and the rounding of what a child left over.
    const double rounding = (static_cast<double>(size_) + 6) * unit_roundoff<Number>();
    for (const typename NodeMatrix<Given>::Child& child : given.children) {
      std::vector<Number> mine(size_ * size_);
      for (std::size_t i = 0; i < mine.size(); ++i) {
        mine[i] = rounded<Number>(child.part.value(i));
        matrix_[i] = matrix_[i] + mine[i];
        error_[i] += child.part.error[i] + rounding * size_of(mine[i]);
      }
      parts_.push_back({child.has_row, child.has_column, std::move(mine)});
    }
    for (const typename NodeMatrix<Given>::Entry& entry : given.edges) {
      const auto add = [&](std::uint32_t row, std::uint32_t column, Number value) {
        matrix_[row * size_ + column] = matrix_[row * size_ + column] + value;
        error_[row * size_ + column] += rounding * size_of(value);
        edges_[row].push_back({column, entry.edge, value});
      };
      const Number value = rounded<Number>(entry.value);
      add(entry.row, entry.column, value);
      if (given.skew) add(entry.column, entry.row, -value);
    }
    inverse_ = matrix_;
  }

  NodeDraw draw() {
    if (!invert(inverse_, size_)) {
      result_.relative_error = std::numeric_limits<double>::infinity();
      return std::move(result_);
    }
    decide_all();
    result_.child_of_row = lines_;
    if (!given_.skew) {
      transpose();
      decide_all();
      result_.child_of_column = lines_;
    }
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t open = NodeDraw::matched - 1;
  struct Part {
    std::vector<bool> has_line, has_other;
    std::vector<Number> entries;
  };
  struct EdgeOfLine {
    std::uint32_t other;
    EdgeId edge;
    Number value;
  };
  struct Option {
    double share = 0;
    const EdgeOfLine* edge = nullptr;  // null: the child
    std::uint32_t child = 0;
  };

  std::vector<std::uint32_t>& others() { return given_.skew ? lines_ : others_; }
  Number* inverse_row(std::size_t other) { return inverse_.data() + other * size_; }

  // Rows and columns change places.
  void transpose() {
    const auto flip = [&](auto& values) {
      for (std::size_t i = 0; i < size_; ++i)
        for (std::size_t j = 0; j < i; ++j) std::swap(values[i * size_ + j], values[j * size_ + i]);
    };
    flip(matrix_);
    flip(error_);
    flip(inverse_);
    for (Part& part : parts_) {
      flip(part.entries);
      std::swap(part.has_line, part.has_other);
    }
    std::swap(lines_, others_);
    for (auto& edges : edges_) edges.clear();  // all rows are settled
  }

  void decide_all() {
    for (std::size_t line = 0; line < size_ && result_.relative_error <= limit_; ++line) {
      run_.check();
      if (lines_[line] == open) decide(line);
    }
  }

  void decide(std::size_t line) {
    std::uint32_t holders = 0, holder = 0;
    for (std::uint32_t child = 0; child < parts_.size(); ++child) {
      if (!parts_[child].has_line[line]) continue;
      ++holders;
      holder = child;
    }
    const bool has_edges =
        std::ranges::any_of(edges_[line], [&](const EdgeOfLine& edge) { return others()[edge.other] == open; });
    if (holders == 1 && !has_edges) {
      lines_[line] = holder;
      return;
    }
    for (std::size_t i = 0; i < size_; ++i) {
      column_[i] = inverse_row(i)[line];
      column_sizes_[i] = size_of(column_[i]);
    }
    const Option option = chosen(line);
    fill_part(line, option);
    replace(line);
    if (option.edge)
      match(line, *option.edge);
    else
      lines_[line] = option.child;
  }

  bool allows(std::uint32_t child, std::size_t other) {
    const std::uint32_t state = others()[other];
    return state == open || state == child;
  }

  Option chosen(std::size_t line) {
    options_.clear();
    double total = 0;
    const auto add = [&](Number share, const EdgeOfLine* edge, std::uint32_t child) {
      const double value = std::max(0.0, static_cast<double>(share));
      options_.push_back({value, edge, child});
      total += value;
    };
    for (const EdgeOfLine& edge : edges_[line])
      if (others()[edge.other] == open) add(edge.value * column_[edge.other], &edge, 0);
    for (std::uint32_t child = 0; child < parts_.size(); ++child) {
      if (!parts_[child].has_line[line]) continue;
      Number share = 0.0;
      for (std::size_t i = 0; i < size_; ++i)
        if (allows(child, i)) share = share + parts_[child].entries[line * size_ + i] * column_[i];
      add(share, nullptr, child);
    }
    return drawn_from(options_, total, numbers_);
  }

  // q.
  void fill_part(std::size_t line, const Option& option) {
    std::ranges::fill(part_, Number(0.0));
    if (option.edge) {
      part_[option.edge->other] = option.edge->value;
      return;
    }
    if (parts_.empty()) return;
    for (std::size_t i = 0; i < size_; ++i)
      if (allows(option.child, i)) part_[i] = parts_[option.child].entries[line * size_ + i];
  }

  void replace(std::size_t line) {
    multiply_row(part_, inverse_, products_);
    const Number share = products_[line];
    if (!(size_of(share) > 0)) {
      result_.relative_error = std::numeric_limits<double>::infinity();
      return;
    }
    result_.relative_error += error_of_share(line) / size_of(share);
    replace_row(line, products_, column_, given_.skew, inverse_);
    for (std::size_t i = 0; i < size_; ++i) {
      matrix_[line * size_ + i] = part_[i];
      if (given_.skew) matrix_[i * size_ + line] = -part_[i];
    }
  }

  // Bounds the error of the share q X e_r that products_ and column_ make up.
  double error_of_share(std::size_t line) {
    double error = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const double size = size_of(products_[i]);
      if (size == 0 && i != line) continue;
      Number residual = i == line ? 1.0 : 0.0;
      double uncertain = 0;
      const Number* row = matrix_.data() + i * size_;
      const double* error_row = error_.data() + i * size_;
      for (std::size_t j = 0; j < size_; ++j) {
        residual = residual - row[j] * column_[j];
        uncertain += error_row[j] * column_sizes_[j];
      }
      error += size * (size_of(residual) + uncertain);
      if (i == line) error += 2 * uncertain;  // of q, and of the product
    }
    return 1.01 * error;
  }

  void match(std::size_t line, const EdgeOfLine& edge) {
    result_.edges.push_back(edge.edge);
    lines_[line] = NodeDraw::matched;
    others()[edge.other] = NodeDraw::matched;
    const auto clear = [&](std::size_t row, std::size_t column) {
      for (std::size_t i = 0; i < size_; ++i) {
        inverse_row(column)[i] = inverse_row(i)[row] = 0.0;
        matrix_[row * size_ + i] = matrix_[i * size_ + column] = 0.0;
      }
    };
    clear(line, edge.other);
    if (given_.skew) clear(edge.other, line);
  }

  const NodeMatrix<Given>& given_;
  double limit_;
  SampleNumbers& numbers_;
  const RunContext& run_;
  std::size_t size_;
  std::vector<Number> matrix_, inverse_;
  std::vector<double> error_;  // of the matrix
  std::vector<Part> parts_;
  std::vector<std::vector<EdgeOfLine>> edges_;  // by line
  std::vector<std::uint32_t> lines_, others_;   // children, `matched` or open; lines are rows, then columns
  std::vector<Number> column_;                  // X e_r
  std::vector<double> column_sizes_;
  std::vector<Number> part_, products_;  // q and q X
  std::vector<Option> options_;
  NodeDraw result_;
};

}  // namespace

template <class Number, class Given>
NodeDraw draw_node(const NodeMatrix<Given>& matrix, double limit, SampleNumbers& numbers, const RunContext& run) {
  return Draw<Number, Given>(matrix, limit, numbers, run).draw();
}

template NodeDraw draw_node<double>(const NodeMatrix<DoubleDouble>&, double, SampleNumbers&, const RunContext&);
template NodeDraw draw_node<DoubleDouble>(const NodeMatrix<DoubleDouble>&, double, SampleNumbers&, const RunContext&);
template NodeDraw draw_node<WideReal<4>>(const NodeMatrix<WideReal<4>>&, double, SampleNumbers&, const RunContext&);
template NodeDraw draw_node<WideReal<10>>(const NodeMatrix<WideReal<10>>&, double, SampleNumbers&, const RunContext&);

}  // namespace matchcount
