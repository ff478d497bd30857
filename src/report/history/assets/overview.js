// The overview: the whole history in a strip, with the part that the chart shows.

let drawnOnce = null;

/** The strip without the part that is seen; it is drawn once for each history, size and colours. */
function wholeStrip(width, height) {
  const scale = window.devicePixelRatio || 1;
  const known = [view.model, width, height, view.colors.ground, scale];
  if (drawnOnce && known.every((part, at) => part === drawnOnce.known[at])) return drawnOnce.canvas;
  const canvas = document.createElement("canvas");
  const context = sharpened(canvas, width, height);
  const { model, trace, colors } = view;
  const across = column => (column + 0.5) * (width / Math.max(1, model.columns));
  const high = (height - 8) / Math.max(1, model.rows.length);
  const fill = (at, color, least) => {
    const from = across(model.start[at]), to = across(Math.min(model.end[at], model.columns - 1));
    context.fillStyle = color;
    const thick = Math.max(least, high * 0.66);
    context.fillRect(from, 4 + (model.row[at] + 0.5) * high - thick / 2, Math.max(least, to - from), thick);
  };
  context.globalAlpha = model.shown.length > 2000 ? 0.45 : 0.75;
  for (const at of model.shown) fill(at, paintOf(trace.requests[at].outcome)[1], 0.8);
  context.globalAlpha = 1;
  for (const at of trace.conflicting) if (model.row[at] >= 0) fill(at, colors["conflict-edge"], 3.5);
  if (trace.decisive >= 0 && trace.verdict !== "accept" && model.row[trace.decisive] >= 0) fill(trace.decisive, verdictColor(), 3.5);
  const event = eventColumn();
  if (event >= 0) {
    context.fillStyle = verdictColor();
    context.fillRect(across(event) - 1, 0, 2, height);
  }
  drawnOnce = { known, canvas };
  return canvas;
}

function drawOverview() {
  const canvas = byId("overview");
  const { clientWidth: width, clientHeight: height } = canvas;
  if (width === 0 || height === 0) return;
  const context = sharpened(canvas, width, height);
  canvas.style.width = "";
  canvas.style.height = "";
  context.fillStyle = view.colors.ground;
  context.fillRect(0, 0, width, height);
  context.drawImage(wholeStrip(width, height), 0, 0, width, height);
  const { from, to } = seenColumns();
  const across = width / Math.max(1, view.model.columns);
  const left = Math.max(0, from * across), right = Math.min(width, (to + 1) * across);
  context.fillStyle = view.colors.window;
  context.fillRect(left, 0, Math.max(3, right - left), height);
  context.strokeStyle = view.colors.focus;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left) - 1.5, height - 1.5);
}

/** The first and the last column that are seen. */
function seenColumns() {
  const from = Math.max(0, Math.ceil(columnAt(view.names)));
  const to = Math.min(view.model.columns - 1, Math.floor(columnAt(chart.clientWidth)));
  return { from: Math.min(from, Math.max(0, view.model.columns - 1)), to: Math.max(to, 0) };
}

/** Moves the chart with the pointer in the strip. */
function followOverview(event) {
  const { left, width } = byId("overview").getBoundingClientRect();
  scrollTo(((event.clientX - left) / width) * view.model.columns);
}
