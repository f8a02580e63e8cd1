#pragma once
// Line charts as SVG, on logarithmic axes. No plotting program is needed, and the same numbers give the same bytes.

#include <string>
#include <vector>

namespace matchcount::bench {

struct Point {
  double x = 0, y = 0;
};
// The same name has the same colour in all panels.
struct Line {
  std::string name;
  std::vector<Point> points;
};
struct Panel {
  std::string title;
  std::vector<Line> lines;
};
struct Chart {
  std::string title, x_label, y_label;
  std::vector<Panel> panels;  // side by side, three to a row, on the same axes
};

// Points whose coordinates are not positive and finite are left out.
std::string svg(const Chart& chart);

}  // namespace matchcount::bench
