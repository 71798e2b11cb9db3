/**
 * Elements without markup: everything the service says becomes a text node, so that no reference, phone or
 * description can be anything but text.
 */
const svgNames = new Set(["svg", "path", "g", "line", "rect", "circle", "text", "title", "polyline", "polygon", "defs", "linearGradient", "stop"]);

export const h = (name, attributes = {}, ...children) => {
  const element = svgNames.has(name) && name !== "title" ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false).map((child) => (child instanceof Node ? child : String(child))));
  return element;
};

const reachable = "a[href], button, input, select, summary, [tabindex='0']";
/** What an element is known by when it is built anew. */
const nameOf = (item) => `${item.tagName} ${item.dataset.key ?? item.closest("details[data-key]")?.dataset.key ?? item.getAttribute("aria-label") ?? item.getAttribute("href") ?? item.textContent}`;

/** Replaces what a live region shows, only where it changed, keeping the keyboard's place: where what had it is gone, at the region. */
export const fill = (region, data, build) => {
  const mark = JSON.stringify(data);
  if (region.shownAs === mark) return;
  region.shownAs = mark;
  const focused = region.contains(document.activeElement) ? nameOf(document.activeElement) : undefined;
  const open = new Set([...region.querySelectorAll("details[open][data-key]")].map((item) => item.dataset.key));
  region.replaceChildren(...[build(data)].flat(2).filter(Boolean));
  for (const item of region.querySelectorAll("details[data-key]")) if (open.has(item.dataset.key)) item.open = true;
  if (focused === undefined) return;
  const again = [...region.querySelectorAll(reachable)].find((item) => nameOf(item) === focused && !item.disabled);
  if (again === undefined) region.tabIndex = -1;
  (again ?? region).focus({ preventScroll: true });
};
