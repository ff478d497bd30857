// The part of a history that is seen: how wide a column is, and how far it is scrolled.

const AXIS = 28;
const WIDEST = 64;
/** Browsers do not scroll further than this. */
const FURTHEST = 12e6;

const byId = id => document.getElementById(id);
const chart = byId("chart");

const view = {
  trace: null, model: null, filter: { clients: [], key: "", find: "" },
  zoom: 12, scrolled: 0, names: 80, selected: -1, hovered: -1, colors: {}, number: 0,
};

/** The height of a row: what is many is drawn smaller. */
function rowHeight() {
  const rows = view.model.rows.length;
  return rows <= 8 ? 44 : rows <= 16 ? 36 : rows <= 30 ? 30 : 26;
}

/** Measures the width of the column of the clients' names. */
function measureNames() {
  const longest = view.model.lanes.reduce((most, lane) => Math.max(most, lane.client.length), 1);
  const isNarrow = chart.clientWidth < 620;
  view.names = isNarrow ? Math.min(72, 36 + 7 * longest) : Math.min(150, Math.max(92, 64 + 8 * longest));
}

/** Scrolls to the left or right by so much. */
function scrollBy(distance) {
  chart.scrollLeft += distance;
  view.scrolled = chart.scrollLeft;
}

/** The width in which the history is drawn. */
function drawnWidth() {
  return Math.max(40, chart.clientWidth - view.names);
}

function smallestZoom() {
  return Math.min(WIDEST, (drawnWidth() - 24) / Math.max(1, view.model.columns));
}

function largestZoom() {
  return Math.max(smallestZoom(), Math.min(WIDEST, FURTHEST / Math.max(1, view.model.columns)));
}

/** The place of the middle of a column on the canvas. */
function placeOf(column) {
  return view.names + 8 + (column + 0.5) * view.zoom - view.scrolled;
}

/** The column at a place on the canvas, with its fraction. */
function columnAt(x) {
  return (x - view.names - 8 + view.scrolled) / view.zoom - 0.5;
}

/** Gives the scrolled area its size, and the chart its height. */
function measure() {
  const extent = byId("extent");
  const height = AXIS + view.model.rows.length * rowHeight();
  extent.style.height = height + "px";
  extent.style.width = view.names + Math.max(drawnWidth(), Math.ceil(view.model.columns * view.zoom) + 24) + "px";
  // What is said of a request has its place below, without scrolling.
  const most = Math.max(280, window.innerHeight - (chart.getBoundingClientRect().top + window.scrollY) - 178);
  chart.style.height = Math.min(height, most) + chart.offsetHeight - chart.clientHeight + "px";
}

/** The place that stays where it is when the zoom changes: that of what is selected, if it is seen. */
function anchor() {
  const { model, selected } = view;
  const x = selected < 0 || model.start[selected] < 0 ? -1 : placeOf((model.start[selected] + model.end[selected]) / 2);
  return x > view.names && x < chart.clientWidth ? x : view.names + drawnWidth() / 2;
}

/** Changes the width of a column; what is at `x` stays there. */
function zoomTo(zoom, x = anchor()) {
  measureNames();
  const column = columnAt(x);
  view.zoom = Math.min(largestZoom(), Math.max(smallestZoom(), zoom));
  measure();
  scrollBy(placeOf(column) - x);
  redraw();
}

/** Scrolls so that a column is at this part of the width. */
function scrollTo(column, part = 0.5) {
  scrollBy(placeOf(column) - view.names - drawnWidth() * part);
  redraw();
}

/** Scrolls so that a column is the first that is seen. */
function beginAt(column) {
  if (column <= 0) scrollBy(-view.scrolled);
  else scrollBy(placeOf(column) - view.names - view.zoom / 2 - 4);
  redraw();
}

/** Scrolls as little as is needed for a request to be seen. */
function reveal(at) {
  const { model } = view;
  const left = placeOf(model.start[at]), right = placeOf(Math.min(model.end[at], model.columns - 1));
  const from = view.names + 4, to = chart.clientWidth - 12;
  if (left < from || (right > to && right - left > to - from)) scrollBy(left - from - 12);
  else if (right > to) scrollBy(right - to + 24);
  const top = AXIS + model.row[at] * rowHeight() - chart.scrollTop, bottom = top + rowHeight();
  if (top < AXIS) chart.scrollTop += top - AXIS;
  else if (bottom > chart.clientHeight) chart.scrollTop += bottom - chart.clientHeight;
}

/** The columns that matter most: the event of the verdict and what contradicts it; else the beginning. */
function beginning() {
  const { trace, model } = view;
  const event = model.lines.indexOf(trace.event ?? -1);
  const legible = chart.clientWidth < 620 ? 14 : 16;
  const whole = smallestZoom();
  if (whole >= legible * 0.7) return { zoom: Math.min(40, whole), column: 0, part: 0 };
  if (event < 0) return { zoom: legible, column: 0, part: 0 };
  const decisive = [...trace.conflicting, trace.decisive].filter(at => at >= 0 && model.start[at] >= 0);
  const from = Math.min(event, ...decisive.map(at => model.start[at]));
  const zoom = Math.min(legible, (drawnWidth() - 80) / (event - from + 6));
  if (zoom >= 5) return { zoom, column: event, part: 1 - 60 / drawnWidth() };
  return { zoom: legible, column: event, part: 0.75 };
}

/** Goes to where a history is looked at first. */
function begin() {
  const { trace } = view;
  const { zoom, column, part } = beginning();
  zoomTo(zoom);
  if (column > 0) scrollTo(column, part);
  else beginAt(0);
  if (trace.event !== null) toEvent();
}

/** Goes to the event of the verdict. */
function toEvent() {
  const { trace, model } = view;
  if (trace.decisive >= 0 && model.row[trace.decisive] >= 0) {
    select(trace.decisive);
    return;
  }
  const column = eventColumn();
  if (column >= 0) scrollTo(column);
  const mark = trace.marks.find(({ line }) => line === trace.event);
  if (mark) showMark(mark);
}

/** Reads the colours of the style sheet, which are others where it is dark. */
function readColors() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ground", "stripe", "line", "text", "faint", "surface", "bar", "bar-edge", "order", "order-text", "open",
    "open-edge", "conflict", "conflict-edge", "reject", "reject-edge", "doubt-edge", "on-strong", "focus", "window"];
  for (const name of names) view.colors[name] = style.getPropertyValue("--" + name).trim();
}

/** The colour of the verdict, where it has an event. */
function verdictColor() {
  return view.colors[["reject", "fault"].includes(view.trace.verdict) ? "reject-edge" : "doubt-edge"];
}

let isDue = false;

/** Draws again, once, when the browser is ready for it. */
function redraw() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    drawChart();
    drawOverview();
    showStatus();
  });
}

/** Makes a canvas as sharp as the screen, and gives its context. */
function sharpened(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}
