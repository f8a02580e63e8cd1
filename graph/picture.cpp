// Shapes of one colour share a path, and numbers have at most two decimal places: a tiling of ten thousand dominoes
// takes 200 KB. Nothing is random or depends on the locale.

#include "graph/picture.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "core/text.hpp"

namespace matchcount {
namespace {

constexpr double most_pixels = 900;          // of the longer side
constexpr double most_pixels_of_unit = 40;   // so that small graphs do not become posters
constexpr std::size_t most_named = 100;      // vertices whose names are shown
constexpr std::size_t most_characters = 24;  // of a name
constexpr double width_of_character = 0.62;  // of the font's size, on the safe side

constexpr double legend_width = 96, legend_height = 190;

// Writes at most two decimals, without zeros behind them.
std::string number(double value) {
  const double rounded = std::round(100 * value) / 100;
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), rounded == 0 ? 0 : rounded).ptr;
  return {text.data(), end};
}
std::string at(double x, double y) { return number(x) + " " + number(y); }

// Escapes for text of XML 1.0, in which most control characters, U+FFFE and U+FFFF can't stand: U+FFFD stands for them.
std::string escaped(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto three = text.substr(i, 3);
    const bool is_none = three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF";
    out += is_none || static_cast<unsigned char>(text[i]) < 0x20 ? replacement : text.substr(i, 1);
    if (is_none) i += 2;
  }
  return replaced(out, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}});
}

bool begins_character(char c) { return (c & 0xC0) != 0x80; }  // of UTF-8

std::size_t num_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string shortened(const std::string& name) {
  if (num_characters(name) <= most_characters) return name;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < name.size(); ++end) {
    if (begins_character(name[end]) && ++seen == most_characters) break;
  }
  return name.substr(0, end) + "\xE2\x80\xA6";
}

using Colour = std::array<double, 3>;  // red, green and blue from 0 to 255

std::string hex(const Colour& colour) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (const double part : colour) {
    const auto value = static_cast<unsigned>(std::lround(part));
    text += digits[value / 16];
    text += digits[value % 16];
  }
  return text;
}

// Makes the colour of a hue in degrees, by HSL with saturation 0.6 and lightness 0.58.
Colour of_hue(int degrees) {
  constexpr double saturation = 0.6, lightness = 0.58;
  const double reach = saturation * std::min(lightness, 1 - lightness);
  Colour colour{};
  constexpr std::array offsets{0.0, 8.0, 4.0};
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = std::fmod(offsets[i] + degrees / 30.0, 12.0);
    colour[i] = 255 * (lightness - reach * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0));
  }
  return colour;
}

// Returns colours evenly darker from 0 to 1, pale to dark blue, which those who do not tell red from green see as well.
Colour of_share(double share) {
  constexpr std::array<Colour, 5> stops{
      {{226, 221, 196}, {160, 209, 158}, {65, 174, 175}, {36, 104, 162}, {42, 28, 94}}};
  const double place = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i)
    colour[i] = std::lerp(stops[below][i], stops[below + 1][i], place - static_cast<double>(below));
  return colour;
}

std::string text_at(double x, double y, std::string_view anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         escaped(text) + "</text>\n";
}

std::string rectangle(double x, double y, double width, double height, double share) {
  return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
         number(height) + "\" fill=\"" + hex(of_share(share)) + "\"/>\n";
}

constexpr const char* small_words = "<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n";

// Writes a whole picture, on white.
std::string document_of(double width, double height, const std::string& title, const std::string& body) {
  const std::string size = "width=\"" + number(width) + "\" height=\"" + number(height) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " + at(width, height) + "\">\n<title>" +
         escaped(title) + "</title>\n<rect " + size + " fill=\"#fff\"/>\n" + body + "</svg>\n";
}

// Places in pixels, and the shapes there.
class Canvas {
 public:
  explicit Canvas(const PlacedGraph& graph) : graph_(graph) {
    measure();
    is_named_ = graph.names.size() <= most_named && graph.layout.cells == Layout::Cells::none;
    pad_ = cell_pad();
    if (is_named_ && graph.names_outside) name_room_ = widest_name() * font_size() + font_size();
    room_.assign(graph.names.size(), unit_);
    for (const Edge& edge : graph.edges) {
      for (const Vertex v : {edge.row, edge.column}) room_[v] = std::min(room_[v], length(edge));
    }
  }

  double unit() const { return unit_; }
  Point place(Vertex v) const {
    const Point& point = graph_.layout.points[v];
    return {pad_ + name_room_ + scale_ * (point.x - low_.x), pad_ + scale_ * (high_.y - point.y)};
  }
  // Returns the way from an edge's first vertex to its second, in pixels.
  Point step(const Edge& edge) const {
    const Point step = step_of(graph_, edge);
    return {scale_ * step.x, -scale_ * step.y};
  }
  double length(const Edge& edge) const { return std::hypot(step(edge).x, step(edge).y); }
  // Returns a stroke of this width as a share of the unit, thinner where the edge is short.
  double stroke(const Edge& edge, double share) const {
    return std::max(0.5, share * std::min(unit_, 1.5 * length(edge)));
  }
  bool wraps(const Edge& edge) const {
    const Point &from = graph_.layout.points[edge.row], &to = graph_.layout.points[edge.column];
    const Point step = step_of(graph_, edge);
    return step.x != to.x - from.x || step.y != to.y - from.y;
  }
  // Writes the line of an edge; on a torus twice where it leaves on one side and comes in on the other.
  std::string line(const Edge& edge) const {
    const Point from = place(edge.row), to = place(edge.column), by = step(edge);
    std::string text = "M" + at(from.x, from.y) + "l" + at(by.x, by.y);
    if (wraps(edge)) text += "M" + at(to.x, to.y) + "l" + at(-by.x, -by.y);
    return text;
  }
  // Draws what an edge covers where vertices are cells.
  std::string tile(const Edge& edge) const {
    const Point from = place(edge.row), to = place(edge.column), by = step(edge);
    std::string text = tile_at({from.x + by.x / 2, from.y + by.y / 2}, by);
    if (wraps(edge)) text += tile_at({to.x - by.x / 2, to.y - by.y / 2}, by);
    return text;
  }

  // Writes the whole picture: what was drawn on boards, on white, and a legend on the right.
  std::string document(const std::string& title, const std::string& body, const std::string& legend = {},
                       std::size_t columns = 1, std::size_t rows = 1) const {
    const double width = static_cast<double>(columns) * right() + (legend.empty() ? 0 : legend_width);
    const double height = std::max(static_cast<double>(rows) * bottom(), legend.empty() ? 0 : legend_height);
    const std::string clip = is_torus() ? "<clipPath id=\"board\"><rect width=\"" + number(right()) + "\" height=\"" +
                                              number(bottom()) + "\"/></clipPath>\n"
                                        : std::string();
    return document_of(width, height, title, clip + body + legend);
  }
  // Cuts off what leaves a torus.
  std::string board(const std::string& body) const {
    return is_torus() ? "<g clip-path=\"url(#board)\">\n" + body + "</g>\n" : body;
  }
  // Says where a board ends: on the right the legend begins.
  double right() const { return 2 * pad_ + 2 * name_room_ + scale_ * (high_.x - low_.x); }
  double bottom() const { return 2 * pad_ + scale_ * (high_.y - low_.y); }

  // Dots, or circles with names where they are few.
  std::string vertices() const {
    std::string text;
    if (!is_named_) {
      text = "<path fill=\"none\" stroke=\"#333\" stroke-linecap=\"round\" stroke-width=\"" +
             number(std::max(0.5, 0.16 * unit_)) + "\" d=\"";
      for (Vertex v = 0; v < graph_.names.size(); ++v) text += "M" + at(place(v).x, place(v).y) + "h.01";
      return text + "\"/>\n";
    }
    text = "<g fill=\"#fff\" stroke=\"#333\" stroke-width=\"" + number(std::max(0.4, 0.04 * unit_)) + "\">\n";
    for (Vertex v = 0; v < graph_.names.size(); ++v) {
      text += "<circle cx=\"" + number(place(v).x) + "\" cy=\"" + number(place(v).y) + "\" r=\"" +
              number(graph_.names_outside ? 0.12 * unit_ : 0.3 * room_[v]) + "\"/>\n";
    }
    return text + "</g>\n" + names();
  }

 private:
  bool is_torus() const { return graph_.layout.period != Point{}; }
  void measure() {
    const std::vector<Point>& points = graph_.layout.points;
    if (!points.empty()) {
      const auto [left, right] = std::ranges::minmax(points, {}, &Point::x);
      const auto [bottom, top] = std::ranges::minmax(points, {}, &Point::y);
      low_ = {left.x, bottom.y};
      high_ = {right.x, top.y};
    }
    const double extent = std::max(high_.x - low_.x, high_.y - low_.y) + graph_.unit;
    scale_ = std::min(most_pixels_of_unit / graph_.unit, most_pixels / extent);
    // Whole pixels for squares, so that their sides are sharp.
    if (graph_.layout.cells == Layout::Cells::squares && scale_ > 2) scale_ = std::floor(scale_ / 2) * 2;
    unit_ = scale_ * graph_.unit;
  }
  // Half a cell, or a vertex, and a margin where nothing goes on beyond.
  double cell_pad() const {
    constexpr double margin = 4;
    if (graph_.layout.period != Point{}) return unit_ / 2;
    if (graph_.layout.cells == Layout::Cells::triangles) return unit_ + margin;
    return unit_ / 2 + margin;
  }

  std::string tile_at(const Point& middle, const Point& along) const {
    constexpr double share = 0.94;  // of the cells: a gap is left between tiles
    if (graph_.layout.cells == Layout::Cells::triangles) {
      // Two triangles with a side in common: it stands across the middle, and is sqrt(3) times as long as the step.
      const Point a{1.5 * share * along.x, 1.5 * share * along.y};
      const double across = std::numbers::sqrt3 / 2 * share;
      const Point b{-across * along.y, across * along.x};
      return "M" + at(middle.x - a.x, middle.y - a.y) + "L" + at(middle.x + b.x, middle.y + b.y) + "L" +
             at(middle.x + a.x, middle.y + a.y) + "L" + at(middle.x - b.x, middle.y - b.y) + "z";
    }
    const double gap = (1 - share) * unit_;
    const double width = unit_ + std::fabs(along.x) - gap, height = unit_ + std::fabs(along.y) - gap;
    return "M" + at(middle.x - width / 2, middle.y - height / 2) + "h" + number(width) + "v" + number(height) + "h" +
           number(-width) + "z";
  }

  double font_size() const { return std::min(14.0, 0.42 * unit_); }
  double widest_name() const {
    std::size_t most = 0;
    for (const std::string& name : graph_.names) most = std::max(most, num_characters(shortened(name)));
    return width_of_character * static_cast<double>(most);
  }
  std::string names() const {
    std::string text = "<g fill=\"#222\" font-family=\"sans-serif\" font-size=\"" + number(font_size()) + "\">\n";
    for (Vertex v = 0; v < graph_.names.size(); ++v) {
      const std::string name = shortened(graph_.names[v]);
      double x = place(v).x, size = font_size();
      std::string anchor = "middle";
      if (graph_.names_outside) {
        anchor = graph_.is_column[v] ? "start" : "end";
        x += (graph_.is_column[v] ? 0.25 : -0.25) * unit_;
      } else {
        // It is as wide as its circle.
        const double width = width_of_character * static_cast<double>(std::max<std::size_t>(1, num_characters(name)));
        size = std::min(0.42 * room_[v], 0.54 * room_[v] / width);
        size = std::min(size, font_size());
      }
      text += "<text x=\"" + number(x) + "\" y=\"" + number(place(v).y + 0.36 * size) + "\" text-anchor=\"" + anchor +
              "\"" + (size < font_size() ? " font-size=\"" + number(size) + "\"" : "") + ">" + escaped(name) +
              "</text>\n";
    }
    return text + "</g>\n";
  }

  const PlacedGraph& graph_;
  Point low_, high_;
  double scale_ = 1, unit_ = 1, pad_ = 0, name_room_ = 0;  // unit_, pad_ and name_room_ in pixels
  bool is_named_ = false;
  std::vector<double> room_;  // by vertex, in pixels: to its nearest neighbour, at most the unit
};

// Finds the hue in whole degrees; an edge without a first end has the same both ways.
int hue_of(const PlacedGraph& graph, Edge edge) {
  const bool has_direction = !graph.is_column.empty();
  if (has_direction && graph.is_column[edge.row]) std::swap(edge.row, edge.column);
  const Point step = step_of(graph, edge);
  double degrees = std::atan2(step.y, step.x) * 180 / std::numbers::pi;
  if (!has_direction) degrees *= 2;
  constexpr int of_the_right = 30;  // orange; blue to the left, green upwards, magenta downwards
  return ((static_cast<int>(std::lround(degrees)) + of_the_right) % 360 + 360) % 360;
}

std::string grey_edges(const PlacedGraph& graph, const Canvas& canvas, const char* grey = "#d4d4d4") {
  std::string text = "<path fill=\"none\" stroke=\"" + std::string(grey) + "\" stroke-width=\"" +
                     number(std::max(0.3, 0.05 * canvas.unit())) + "\" d=\"";
  for (const Edge& edge : graph.edges) text += canvas.line(edge);
  return text + "\"/>\n";
}

// Returns the least of 1, 0.5, 0.25 and 0.2 times a power of ten that is no less.
double end_of_scale(double most) {
  if (!(most > 0)) return 1;
  double best = 1;
  for (double power = 1; power > 1e-300 && 10 * power >= most; power /= 10) {
    for (const double end : {1.0, 0.5, 0.25, 0.2}) {
      if (end * power >= most * (1 - 1e-9)) best = std::min(best, end * power);
    }
  }
  return best;
}

std::string legend(double left, double end) {
  constexpr int steps = 40;
  constexpr double top = 34, height = 140, width = 16, margin = 14;
  std::string text = small_words + ("<text x=\"" + number(left + margin)) + "\" y=\"20\">probability</text>\n";
  for (int i = 0; i < steps; ++i)
    text += rectangle(left + margin, top + height * i / steps, width, height / steps + 0.5, 1 - (i + 0.5) / steps);
  for (const double share : {0.0, 0.5, 1.0}) {
    text += "<text x=\"" + number(left + margin + width + 6) + "\" y=\"" + number(top + height * (1 - share) + 4) +
            "\">" + formatted("%.3g", share * end) + "</text>\n";
  }
  return text + "</g>\n";
}

std::string matching_on(const Canvas& canvas, const PlacedGraph& graph, std::span<const EdgeId> matching) {
  const bool has_tiles = graph.layout.cells != Layout::Cells::none;
  std::map<int, std::string> by_hue;
  for (const EdgeId id : matching) {
    if (id >= graph.edges.size()) continue;
    const Edge& edge = graph.edges[id];
    by_hue[hue_of(graph, edge)] += has_tiles ? canvas.tile(edge) : canvas.line(edge);
  }
  std::string body = has_tiles ? std::string() : grey_edges(graph, canvas);
  if (!has_tiles)
    body += "<g fill=\"none\" stroke-linecap=\"round\" stroke-width=\"" + number(std::max(1.0, 0.22 * canvas.unit())) +
            "\">\n";
  for (const auto& [hue, path] : by_hue)
    body +=
        "<path " + std::string(has_tiles ? "fill" : "stroke") + "=\"" + hex(of_hue(hue)) + "\" d=\"" + path + "\"/>\n";
  if (!has_tiles) body += "</g>\n" + canvas.vertices();
  return canvas.board(body);
}

}  // namespace

std::string graph_picture(const PlacedGraph& graph) {
  const Canvas canvas(graph);
  return canvas.document("a graph of " + format_count(graph.edges.size(), "edge", "edges"),
                         canvas.board(grey_edges(graph, canvas, "#888") + canvas.vertices()));
}

std::string matching_picture(const PlacedGraph& graph, std::span<const EdgeId> edges, std::size_t count) {
  const Canvas canvas(graph);
  const std::size_t size = edges.size() / count;
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  std::string body;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string one = matching_on(canvas, graph, edges.subspan(i * size, size));
    const double right = static_cast<double>(i % columns) * canvas.right();
    const double down = static_cast<double>(i / columns) * canvas.bottom();
    body += i == 0 ? one : "<g transform=\"translate(" + at(right, down) + ")\">\n" + one + "</g>\n";
  }
  const std::string what = count == 1 ? "a perfect matching" : std::to_string(count) + " matchings";
  return canvas.document(what + " of " + std::to_string(size) + " edges", body, {}, columns, (count - 1) / columns + 1);
}

std::string probability_picture(const PlacedGraph& graph, const std::vector<double>& probabilities,
                                const std::vector<std::string>& texts) {
  const Canvas canvas(graph);
  const double end = end_of_scale(probabilities.empty() ? 0 : std::ranges::max(probabilities));
  // The likely ones on top.
  std::vector<EdgeId> order(graph.edges.size());
  std::iota(order.begin(), order.end(), EdgeId{0});
  std::ranges::stable_sort(order, {}, [&](EdgeId id) { return probabilities[id]; });
  std::string body = "<g fill=\"none\" stroke-linecap=\"round\">\n";
  for (const EdgeId id : order) {
    const Edge& edge = graph.edges[id];
    const double share = probabilities[id] / end;
    body += "<path d=\"" + canvas.line(edge) + "\" stroke=\"" + hex(of_share(share)) + "\" stroke-width=\"" +
            number(canvas.stroke(edge, 0.05 + 0.23 * std::min(1.0, share))) + "\"><title>" +
            escaped(graph.names[edge.row] + " " + graph.names[edge.column] + " " + texts[id]) + "</title></path>\n";
  }
  body += "</g>\n" + canvas.vertices();
  return canvas.document("the probabilities of " + std::to_string(graph.edges.size()) + " edges", canvas.board(body),
                         legend(canvas.right(), end));
}

std::string curve_picture(std::span<const Point> points, const std::string& across, const std::string& up) {
  constexpr double left = 56, top = 34, width = 480, height = 320;
  double right = 0, high = 0;
  for (const Point& point : points) {
    right = std::max(right, point.x);
    high = std::max(high, point.y);
  }
  right = end_of_scale(right);
  high = high > 1 ? std::ceil(high) : end_of_scale(high);
  std::string axes, words, line;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double x = left + share * width, y = top + height - share * height;
    axes += "M" + at(x, top) + "v" + number(height) + "M" + at(left, y) + "h" + number(width);
    words += text_at(x, top + height + 16, "middle", formatted("%.3g", share * right)) +
             text_at(left - 6, y + 4, "end", formatted("%.3g", share * high));
  }
  words += text_at(left + width / 2, top + height + 34, "middle", across) + text_at(left, top - 14, "start", up);
  for (const Point& point : points)
    line += (line.empty() ? "M" : "L") + at(left + point.x / right * width, top + height - point.y / high * height);
  return document_of(left + width + 24, top + height + 44, up + " by " + across,
                     "<path fill=\"none\" stroke=\"#d4d4d4\" d=\"" + axes + "\"/>\n" + small_words + words +
                         "</g>\n<path fill=\"none\" stroke-width=\"2\" stroke=\"" + hex(of_share(0.75)) + "\" d=\"" +
                         line + "\"/>\n");
}

std::string times_picture(std::span<const PredictedTime> times) {
  constexpr double left = 190, top = 30, width = 420, height = 34, bar = 13;
  double least = 1e-3, most = 1e-3;
  for (const PredictedTime& time : times) {
    for (const double seconds : {time.predicted_s, time.taken_s}) {
      if (seconds > 0 && std::isfinite(seconds)) least = std::min(least, seconds), most = std::max(most, seconds);
    }
  }
  const double low = std::floor(std::log10(std::max(least, 1e-7))),
               high = std::max(low + 1, std::ceil(std::log10(most) - 1e-9));
  const double bottom = top + height * static_cast<double>(times.size());
  const auto place = [&](double log10) { return left + width * std::clamp((log10 - low) / (high - low), 0.0, 1.0); };
  std::string axes, words, bars;
  const double step = std::max(1.0, std::ceil((high - low) / 6));
  for (double power = low; power <= high; power += step) {
    axes += "M" + at(place(power), top) + "V" + number(bottom);
    words += text_at(place(power), bottom + 16, "middle", short_time(std::pow(10, power)));
  }
  constexpr double of_predicted = 0.15, of_taken = 0.75;
  double x = left;
  for (const auto& [what, member, share] : {std::tuple("predicted", &PredictedTime::predicted_s, of_predicted),
                                            {"taken", &PredictedTime::taken_s, of_taken}}) {
    if (std::ranges::all_of(times, [&](const PredictedTime& time) { return !(time.*member > 0); })) continue;
    bars += rectangle(x, top - 22, 10, 10, share);
    words += text_at(x + 14, top - 12, "start", what);
    x += 90;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    double y = top + height * static_cast<double>(i) + 4;
    words += text_at(left - 8, y + bar + 4, "end", shortened(times[i].name));
    for (const auto& [seconds, share] : {std::pair(times[i].predicted_s, of_predicted), {times[i].taken_s, of_taken}}) {
      if (seconds > 0) {
        const double end = place(std::log10(seconds));
        bars += rectangle(left, y, std::max(1.0, end - left), bar, share);
        words += text_at(end + 5, y + bar - 2, "start", short_time(seconds));
      }
      y += bar;
    }
  }
  return document_of(
      left + width + 90, bottom + 26, "predicted and taken times",
      "<path fill=\"none\" stroke=\"#d4d4d4\" d=\"" + axes + "\"/>\n" + bars + small_words + words + "</g>\n");
}

}  // namespace matchcount
