#include "bench/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace matchcount::bench {
namespace {

constexpr int panel_width = 330, panel_height = 260, most_columns = 3;
constexpr int left = 58, right = 12, top = 28, bottom = 42, head = 34, legend_row = 18, swatch = 28;
constexpr int letter = 7;  // at the most, of 12 pixels' height, on average
// Okabe and Ito's colours, which the colour-blind tell apart, and two greys.
constexpr const char* colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00",
                                   "#56b4e9", "#000000", "#777777", "#bbbb00"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, pattern, values...);
  return buffer;
}

std::string text(double x, double y, const char* anchor, const std::string& words, int size = 11) {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">", x, y, anchor, size) +
         escaped(words) + "</text>\n";
}

bool is_drawn(const Point& point) {
  return point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y);
}

// From a power of ten, or of two where there are few, to another.
struct Axis {
  double base = 10;
  int low = 0, high = 1;

  void cover(double least, double most) {
    base = most / least < 32 ? 2 : 10;
    low = static_cast<int>(std::floor(std::log(least) / std::log(base) + 1e-9));
    high = std::max(low + 1, static_cast<int>(std::ceil(std::log(most) / std::log(base) - 1e-9)));
  }
  double place(double value) const { return (std::log(value) / std::log(base) - low) / (high - low); }
  int step() const { return (high - low + 7) / 8; }
  std::string label(int power) const {
    const double value = std::pow(base, power);
    return value >= 0.001 && value < 100000 ? format("%g", value) : format("1e%d", power);
  }
};

}  // namespace

std::string svg(const Chart& chart) {
  std::vector<std::string> names;
  double least_x = 1e300, most_x = 0, least_y = 1e300, most_y = 0;
  for (const Panel& panel : chart.panels) {
    for (const Line& line : panel.lines) {
      if (std::find(names.begin(), names.end(), line.name) == names.end()) names.push_back(line.name);
      for (const Point& point : line.points) {
        if (!is_drawn(point)) continue;
        least_x = std::min(least_x, point.x);
        most_x = std::max(most_x, point.x);
        least_y = std::min(least_y, point.y);
        most_y = std::max(most_y, point.y);
      }
    }
  }
  Axis x_axis, y_axis;
  if (most_x > 0) {
    x_axis.cover(least_x, most_x);
    y_axis.cover(least_y, most_y);
  }
  const int columns = std::clamp(static_cast<int>(chart.panels.size()), 1, most_columns);
  const int rows = (static_cast<int>(chart.panels.size()) + columns - 1) / columns;
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const int legend_column = swatch + letter * static_cast<int>(longest) + 16;
  const int width = std::max(columns * panel_width, 20 + legend_column);
  const int legend_columns = std::max(1, (width - 20) / legend_column);
  const int legend = (static_cast<int>(names.size()) + legend_columns - 1) / legend_columns * legend_row;
  const int height = head + rows * panel_height + legend + 10;
  std::string out = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
      width, height);
  out += text(width / 2.0, 22, "middle", chart.title, 15);
  const auto colour = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    return colours[static_cast<std::size_t>(at) % std::size(colours)];
  };
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const Panel& panel = chart.panels[i];
    const double x0 = static_cast<int>(i) % columns * panel_width + left;
    const double y0 = head + static_cast<int>(i) / columns * panel_height + top;
    const double w = panel_width - left - right, h = panel_height - top - bottom;
    out += text(x0 + w / 2, y0 - 8, "middle", panel.title, 12);
    for (int power = x_axis.low; power <= x_axis.high; power += x_axis.step()) {
      const double x = x0 + w * (power - x_axis.low) / (x_axis.high - x_axis.low);
      out += format("<path d=\"M%.1f %.1fv%.1f\" stroke=\"#ddd\"/>\n", x, y0, h);
      out += text(x, y0 + h + 14, "middle", x_axis.label(power));
    }
    for (int power = y_axis.low; power <= y_axis.high; power += y_axis.step()) {
      const double y = y0 + h - h * (power - y_axis.low) / (y_axis.high - y_axis.low);
      out += format("<path d=\"M%.1f %.1fh%.1f\" stroke=\"#ddd\"/>\n", x0, y, w);
      out += text(x0 - 5, y + 4, "end", y_axis.label(power));
    }
    out += format("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#444\"/>\n", x0,
                  y0, w, h);
    out += text(x0 + w / 2, y0 + h + 30, "middle", chart.x_label);
    out += format("<g transform=\"translate(%.1f %.1f) rotate(-90)\">", x0 - 44, y0 + h / 2) +
           text(0, 0, "middle", chart.y_label) + "</g>\n";
    for (const Line& line : panel.lines) {
      std::string path, dots;
      for (const Point& point : line.points) {
        if (!is_drawn(point)) continue;
        const double x = x0 + w * x_axis.place(point.x), y = y0 + h - h * y_axis.place(point.y);
        path += format("%s%.1f %.1f", path.empty() ? "M" : "L", x, y);
        dots += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" fill=\"%s\"/>\n", x, y, colour(line.name));
      }
      if (path.empty()) continue;
      out += format("<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"", colour(line.name)) + path + "\"/>\n";
      out += dots;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = 20 + static_cast<int>(i) % legend_columns * legend_column;
    const double y = head + rows * panel_height + static_cast<int>(i) / legend_columns * legend_row + 8;
    out += format("<path stroke-width=\"3\" stroke=\"%s\" d=\"M%.1f %.1fh22\"/>\n", colour(names[i]), x, y);
    out += text(x + swatch, y + 4, "start", names[i], 12);
  }
  return out + "</svg>\n";
}

}  // namespace matchcount::bench
