"use strict";
// One state for the whole page; every change redraws every panel from the numbers, so panels cannot disagree.
const figures = JSON.parse(document.getElementById("data").textContent);
const state = { hidden: new Set(), x: null, y: "own" };
const root = document.documentElement;
const system = window.matchMedia("(prefers-color-scheme: dark)");

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const shown = (value) => (value === null ? "none" : Number(value.toPrecision(4)).toString());

function faded(colour, opacity) {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return `rgba(${red},${green},${blue},${opacity})`;
}

function traces(panel, axis, log) {
  const dark = root.dataset.theme === "dark";
  const positive = panel.series.flatMap((s) => s.mean.filter((v) => v > 0));
  const floor = Math.min(...positive) / 3; // where a band that reaches zero ends on a log scale
  const bands = [], lines = [];
  for (const s of panel.series) {
    if (state.hidden.has(s.method)) continue;
    const x = s.x[axis] || Object.values(s.x)[0];
    const colour = dark ? s.colour_on_dark : s.colour;
    const lift = (v) => (v === null ? null : log ? Math.max(v, floor) : v);
    if (s.low.some((v, i) => v !== s.high[i])) {
      const both = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
      bands.push({ ...both, y: s.low.map(lift) });
      bands.push({ ...both, y: s.high.map(lift), fill: "tonexty", fillcolor: faded(colour, dark ? 0.22 : 0.16) });
    }
    const range = s.low.map((v, i) => (v === s.high[i] ? "" : ` (${shown(v)} to ${shown(s.high[i])})`));
    lines.push({
      x, y: s.mean, customdata: s.mean.map((v, i) => shown(v) + range[i]), name: escaped(s.method), showlegend: false,
      mode: x.length > 1 && x.length <= 40 ? "lines+markers" : x.length > 1 ? "lines" : "markers",
      marker: { size: 5 }, line: { color: colour, width: 2.2, dash: s.dash },
      hovertemplate: "%{customdata}<extra>" + escaped(s.method) + "</extra>",
    });
    lines[lines.length - 1].marker.color = colour;
  }
  return [...bands, ...lines];
}

// Ticks and range of an axis; on a log scale whole powers of ten, or 1, 2, 5 where there are few, without the clutter between.
function scale(values, log) {
  const known = values.filter((v) => v !== null && (!log || v > 0));
  if (!log || !known.length) return { type: log ? "log" : "linear" };
  const low = Math.log10(Math.min(...known)), high = Math.log10(Math.max(...known)), margin = 0.04 * (high - low) + 0.01;
  const ticks = [];
  for (let power = Math.floor(low); power <= high; power++)
    for (const digit of high - low > 3.5 ? [1] : high - low > 1.5 ? [1, 3] : [1, 2, 5]) ticks.push(digit * 10 ** power);
  const plain = (v) => v >= 0.01 && v < 10000;
  const text = (v) => {
    const power = Math.floor(Math.log10(v) + 1e-9), digit = Math.round(v / 10 ** power);
    return plain(v) ? String(Number(v.toPrecision(1))) : (digit === 1 ? "" : digit + "·") + `10<sup>${power}</sup>`.replace("-", "−");
  };
  return { type: "log", range: [low - margin, high + margin], tickvals: ticks, ticktext: ticks.map(text) };
}

function draw() {
  const style = getComputedStyle(root);
  const look = (name) => style.getPropertyValue(name).trim();
  for (const place of document.querySelectorAll(".drawing")) {
    const panel = figures[place.dataset.figure].panels[place.dataset.panel];
    const known = Object.keys(panel.series[0].x);
    const axis = known.includes(state.x) ? state.x : known[0];
    const log = state.y === "own" ? panel.log_y : state.y === "log";
    const drawn = traces(panel, axis, log);
    const line = { gridcolor: look("--grid"), linecolor: look("--rule"), tickcolor: look("--rule"), zeroline: false, ticks: "outside",
      ticklen: 4, automargin: true, showline: true, exponentformat: "power", title: { standoff: 8 } };
    const layout = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 12, r: 14, t: 14, b: 12 }, hovermode: "x unified",
      font: { family: look("--sans"), size: 13, color: look("--ink") },
      hoverlabel: { bgcolor: look("--card"), bordercolor: look("--rule"), font: { color: look("--ink"), size: 12 } },
      xaxis: { ...line, ...scale(drawn.flatMap((t) => t.x), panel.log_x), title: { text: escaped(axis), standoff: 8 } },
      yaxis: { ...line, ...scale(drawn.flatMap((t) => t.y), log), title: { text: escaped(panel.y_label), standoff: 8 } },
    };
    if (axis === "seconds") layout.hovermode = "closest";
    Plotly.react(place, drawn, layout, { responsive: true, displayModeBar: false });
  }
}

function press(selector, chosen) {
  for (const button of document.querySelectorAll(selector)) button.setAttribute("aria-pressed", String(chosen(button)));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { method, x, y } = button.dataset;
  if (method !== undefined) {
    if (!state.hidden.delete(method)) state.hidden.add(method);
    press("[data-method]", (b) => !state.hidden.has(b.dataset.method));
  } else if (x !== undefined) {
    state.x = x;
    press("[data-x]", (b) => b.dataset.x === x);
  } else if (y !== undefined) {
    state.y = y;
    press("[data-y]", (b) => b.dataset.y === y);
  } else {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.chosen = "yes";
  }
  draw();
});
system.addEventListener("change", () => {
  if (root.dataset.chosen) return;
  root.dataset.theme = system.matches ? "dark" : "light";
  draw();
});
root.dataset.theme = system.matches ? "dark" : "light";
draw();
