import { h } from "./dom.js";
import { amount, clock, money, when } from "./format.js";

const edge = { right: 8, top: 12, bottom: 26 };
/** A figure's room beside the line, in the 12 px it is written in. */
const digitWidth = 7.5;

/** Ticks that can be told apart: as many digits as the step between them needs, and no "1M" three times. */
const tickText = (value, step, high) => {
  const [divisor, unit] = high >= 1e6 ? (step >= 1_000 ? [1e6, "M"] : [1, ""]) : high >= 10_000 && step >= 100 ? [1e3, "K"] : [1, ""];
  const digits = Math.max(0, Math.ceil(Math.log10(divisor / step)));
  return `${value < 0 ? "−" : ""}${new Intl.NumberFormat("en-GB", { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(Math.abs(value) / divisor)}${unit}`;
};
/** 1, 2 or 5 times a power of ten, so that some three lines fit. */
const stepOf = (span) => {
  const power = 10 ** Math.floor(Math.log10(span / 3));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => span / step <= 4) ?? span;
};

/** A balance as steps over time: `points` are {at, value}, oldest first. Drawn as wide as it is shown, so that its text keeps its size. */
export const balanceChart = (label, given, currency, { width, height = 220 }) => {
  // The clock may have been set back: the line then waits, and never runs backwards.
  let latest = Number.NEGATIVE_INFINITY;
  const points = given.map((point) => {
    latest = Math.max(latest, point.at);
    return { ...point, at: latest };
  });
  if (points.length < 2) return h("div", { class: "empty" }, h("p", {}, "The line starts with the first payment."));
  const times = points.map((point) => point.at);
  const values = points.map((point) => point.value);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const low = Math.min(...values, 0 <= Math.min(...values) && Math.min(...values) < (Math.max(...values) - Math.min(...values)) ? 0 : Math.min(...values));
  const high = Math.max(...values);
  const span = high - low || Math.abs(high) || 1;
  const step = stepOf(span);
  const ticks = Array.from({ length: 8 }, (_, index) => (Math.ceil(low / step) + index) * step).filter((value) => value <= low + span);
  const texts = ticks.map((value) => tickText(value, step, Math.max(Math.abs(low), Math.abs(high))));
  const left = Math.ceil(Math.max(0, ...texts.map((text) => text.length)) * digitWidth) + 8;
  const x = (at) => left + ((at - first) / (last - first || 1)) * (width - left - edge.right);
  const y = (value) => height - edge.bottom - ((value - low) / span) * (height - edge.top - edge.bottom);
  const line = points.map((point, index) => (index === 0 ? `M${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}` : `H${x(point.at).toFixed(1)}V${y(point.value).toFixed(1)}`)).join("");
  const floor = height - edge.bottom;
  const end = points[points.length - 1];
  const marker = h("g", { class: "chart-marker", visibility: "hidden" }, h("line", { y1: edge.top, y2: floor }), h("circle", { r: 4.5 }));
  const reading = h("p", { class: "chart-reading", "aria-hidden": "true" }, `${money(end.value, currency)} now`);
  const drawing = h(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `${label}: from ${money(values[0], currency)} to ${money(end.value, currency)}, lowest ${money(Math.min(...values), currency)}, highest ${money(high, currency)}` },
    ticks.map((value, index) => h("g", { class: "chart-grid" }, h("line", { x1: left, x2: width - edge.right, y1: y(value), y2: y(value) }), h("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, texts[index]))),
    h("path", { class: "chart-area", d: `${line}V${floor}H${x(first).toFixed(1)}Z` }),
    h("path", { class: "chart-line", d: line }),
    h("circle", { class: "chart-end", cx: x(end.at), cy: y(end.value), r: 4 }),
    h("text", { class: "chart-time", x: left, y: height - 6 }, when(new Date(first).toISOString())),
    h("text", { class: "chart-time", x: width - edge.right, y: height - 6, "text-anchor": "end" }, when(new Date(last).toISOString())),
    marker,
  );
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const at = first + (((event.clientX - box.left) / box.width) * width - left) / (width - left - edge.right) * (last - first);
    const near = points.reduce((best, point) => (point.at <= at ? point : best), points[0]);
    marker.setAttribute("visibility", "visible");
    marker.firstChild.setAttribute("x1", x(near.at));
    marker.firstChild.setAttribute("x2", x(near.at));
    marker.lastChild.setAttribute("cx", x(near.at));
    marker.lastChild.setAttribute("cy", y(near.value));
    reading.textContent = `${money(near.value, currency)} at ${clock(new Date(near.at).toISOString())}`;
  });
  drawing.addEventListener("pointerleave", () => {
    marker.setAttribute("visibility", "hidden");
    reading.textContent = `${money(end.value, currency)} now`;
  });
  return h("div", { class: "chart-box" }, reading, drawing);
};

/** Payments by status: `parts` are {name, tone, count, amount}. One bar, and the figures beside it. */
export const statusChart = (label, parts) => {
  const width = 640;
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  if (total === 0) return h("div", { class: "empty" }, h("p", {}, "No payments yet."));
  const gap = 4;
  const room = width - gap * (parts.length - 1);
  const sizes = parts.map((part) => Math.max(6, (part.count / total) * room));
  const scale = room / sizes.reduce((sum, size) => sum + size, 0);
  let at = 0;
  const bars = parts.map((part, index) => {
    const size = sizes[index] * scale;
    const bar = h("rect", { class: `bar bar-${part.tone}`, x: at, y: 0, width: size, height: 22, rx: 5 });
    at += size + gap;
    return bar;
  });
  return h(
    "div",
    { class: "chart-box" },
    h("svg", { viewBox: `0 0 ${width} 22`, class: "chart chart-bar", preserveAspectRatio: "none", role: "img", "aria-label": `${label}: ${parts.map((part) => `${part.name} ${part.count}`).join(", ")}` }, bars),
    h("ul", { class: "legend" }, parts.map((part) => h("li", {}, h("span", { class: `swatch swatch-${part.tone}`, "aria-hidden": "true" }), h("span", { class: "legend-name" }, part.name), h("span", { class: "legend-count" }, part.count), h("span", { class: "legend-amount" }, `KES ${amount(part.amount)}`)))),
  );
};
