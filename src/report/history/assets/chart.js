// The chart: rows of bars, the points at which requests take effect, and the order that connects them.

const SMALL = '12px ui-monospace, "DejaVu Sans Mono", monospace';
const PLAIN = "12px system-ui, sans-serif";

/** The fill and the edge of each kind of bar. */
function paintOf(style) {
  const colors = view.colors;
  switch (style) {
    case "reject": return [colors.reject, verdictColor()];
    case "conflict": return [colors.conflict, colors["conflict-edge"]];
    case "answered": case "message": return [colors.bar, colors["bar-edge"]];
    default: return [colors.open, colors["open-edge"]];
  }
}

/** The vertical measures of a row: its text is above its bar. */
function rowPlaces(row) {
  const height = rowHeight();
  const top = AXIS + row * height - chart.scrollTop;
  const thick = height >= 44 ? 16 : height >= 36 ? 13 : height >= 30 ? 11 : 9;
  const below = height >= 30 ? 5 : 3;
  return { top, height, bar: top + height - thick - below, thick, text: top + height - thick - below - 5 };
}

/** The rows that are seen. */
function seenRows() {
  const { scrollTop, clientHeight } = chart;
  const first = Math.max(0, Math.floor(scrollTop / rowHeight()));
  return { first, last: Math.min(view.model.rows.length, Math.ceil((scrollTop + clientHeight - AXIS) / rowHeight())) };
}

function drawChart() {
  const { clientWidth: width, clientHeight: height } = chart;
  const context = sharpened(byId("canvas"), width, height);
  context.fillStyle = view.colors.ground;
  context.fillRect(0, 0, width, height);
  context.save();
  context.beginPath();
  context.rect(view.names, AXIS, width - view.names, height - AXIS);
  context.clip();
  drawStripes(context, width);
  drawEventLine(context, height);
  drawOrder(context, width);
  const { first, last } = seenRows();
  for (let row = first; row < last; row++) drawRow(context, row, width);
  drawFocus(context);
  context.restore();
  drawAxis(context, width);
  drawNames(context, height);
}

function drawStripes(context, width) {
  view.model.lanes.forEach((lane, at) => {
    const { top, height } = rowPlaces(lane.first);
    context.fillStyle = at % 2 ? view.colors.ground : view.colors.stripe;
    context.fillRect(0, top, width, height * lane.rows);
  });
}

/** The column of the event of the verdict; −1 where there is none, or it is not shown. */
function eventColumn() {
  const { trace, model } = view;
  if (trace.event === null || trace.verdict === "accept") return -1;
  if (trace.decisive >= 0 && model.row[trace.decisive] >= 0) {
    const { end, sent, outcome } = trace.requests[trace.decisive];
    if (end === trace.event && outcome === "answered") return model.end[trace.decisive];
    if (sent === trace.event) return model.start[trace.decisive];
  }
  const mark = model.marks.findIndex(({ line }) => line === trace.event);
  return mark < 0 ? -1 : model.mark[mark];
}

function drawEventLine(context, height) {
  const column = eventColumn();
  if (column < 0) return;
  context.strokeStyle = verdictColor();
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(placeOf(column), 0);
  context.lineTo(placeOf(column), height);
  context.stroke();
}

/** The line that connects the points in the order of service, dashed where some between are not shown. */
function drawOrder(context, width) {
  const { model, zoom } = view;
  const strength = Math.min(0.55, (zoom - 1.2) / 14);
  if (strength <= 0.02 || model.order.length === 0) return;
  const from = firstWhere(model.order.length, at => placeOf(model.order[at].column) > view.names) - 1;
  const [solid, dashed] = [new Path2D(), new Path2D()];
  let [x, y, place] = [0, 0, 0];
  for (let at = Math.max(0, from); at < model.order.length && x <= width; at++) {
    const next = model.order[at];
    const path = next.place === place + 1 ? solid : dashed;
    if (place > 0) path.moveTo(x, y);
    const { bar, thick } = rowPlaces(model.row[next.at]);
    [x, y] = [placeOf(next.column), bar + thick / 2];
    if (place > 0) path.lineTo(x, y);
    ({ place } = next);
  }
  context.globalAlpha = strength;
  context.strokeStyle = view.colors.order;
  context.lineWidth = zoom >= 8 ? 1.5 : 1;
  context.stroke(solid);
  context.setLineDash([2, 4]);
  context.stroke(dashed);
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawRow(context, row, width) {
  const { members } = view.model.rows[row];
  const { model } = view;
  const until = at => placeOf(Math.max(model.end[at], model.point[at]));
  const from = firstWhere(members.length, at => until(members[at]) > view.names - 24);
  const beyond = firstWhere(members.length, at => placeOf(model.start[members[at]]) > width);
  if (view.zoom < 1.5) return drawCrowd(context, row, members.slice(from, beyond));
  for (let at = from; at < beyond; at++) {
    const next = at + 1 < members.length ? placeOf(model.start[members[at + 1]]) : Infinity;
    drawBar(context, members[at], rowPlaces(row), Math.min(next, width + 40));
  }
}

/** Bars that are too thin to be told apart: those that touch are drawn as one, what stands out over them. */
function drawCrowd(context, row, members) {
  const { model, trace } = view;
  const { bar, thick } = rowPlaces(row);
  const fill = (style, from, to) => {
    context.fillStyle = paintOf(style)[1];
    context.globalAlpha = style === "answered" ? 0.7 : 1;
    context.fillRect(from, bar, Math.max(1.5, to - from), thick);
  };
  let run = null;
  for (const at of members) {
    const style = styleOf(trace, at);
    const [from, to] = [placeOf(model.start[at]), placeOf(model.end[at])];
    if (run && run.style === style && from - run.to < 0.7) run.to = Math.max(run.to, to);
    else {
      if (run) fill(run.style, run.from, run.to);
      run = { style, from, to };
    }
  }
  if (run) fill(run.style, run.from, run.to);
  const isApart = at => ["reject", "conflict"].includes(styleOf(trace, at));
  for (const at of members.filter(isApart)) fill(styleOf(trace, at), placeOf(model.start[at]) - 1, placeOf(model.end[at]) + 1);
  context.globalAlpha = 1;
}

/** A bar, from its request to its answer; its text may go on to where the next one begins. */
function drawBar(context, at, places, next) {
  const { model, trace } = view;
  const request = trace.requests[at];
  const style = styleOf(trace, at);
  const isOpen = request.outcome === "open";
  const from = placeOf(model.start[at]), to = isOpen ? Math.max(placeOf(model.end[at]), chart.clientWidth + 9) : placeOf(model.end[at]);
  const isClosed = ["answered", "unowed", "failed"].includes(request.outcome);
  context.globalAlpha = isBehindEvent(at) ? 0.45 : 1;
  const tail = isClosed || isOpen ? 0 : Math.max(0, Math.min(22, next - to - 3));
  if (request.outcome === "message") drawMessage(context, style, from, places);
  else if (request.outcome !== "step") bodyOf(context, style, from, Math.min(to, next + 2000), places, tail, isClosed);
  if (["lost", "closed", "failed"].includes(request.outcome)) drawCross(context, to, places, paintOf(style)[1]);
  partsOf(request).forEach(({ place }, part) => drawPoint(context, place, [placeOf(model.points[at][part]), to], places));
  if (Math.max(to, placeOf(model.point[at])) > view.names + 12) drawText(context, at, style, from, next, places);
  context.globalAlpha = 1;
}

/** Tests whether a request was sent after the event of the verdict, so that it did not matter. */
function isBehindEvent(at) {
  const { trace } = view;
  return trace.event !== null && trace.verdict !== "accept" && trace.requests[at].sent > trace.event;
}

/** The body of a bar: closed at its right, or fading out. */
function bodyOf(context, style, from, to, { bar, thick }, tail, isClosed) {
  const [fill, edge] = paintOf(style);
  const isStrong = style === "reject" || style === "conflict";
  context.fillStyle = fill;
  context.strokeStyle = edge;
  context.lineWidth = isStrong ? 2 : 1.2;
  const radius = Math.min(4, Math.max(0, (to - from) / 2));
  context.beginPath();
  if (isClosed) {
    context.roundRect(from, bar, Math.max(2, to - from), thick, radius);
    context.fill();
    context.stroke();
    return;
  }
  context.roundRect(from, bar, Math.max(2, to - from), thick, [radius, 0, 0, radius]);
  context.fill();
  context.beginPath();
  context.moveTo(to, bar);
  context.arcTo(from, bar, from, bar + thick / 2, radius);
  context.arcTo(from, bar + thick, from + radius, bar + thick, radius);
  context.lineTo(to, bar + thick);
  context.stroke();
  if (tail < 4) return;
  context.setLineDash([3, 3]);
  context.beginPath();
  for (const y of [bar, bar + thick]) {
    context.moveTo(to, y);
    context.lineTo(to + tail, y);
  }
  context.stroke();
  context.setLineDash([]);
}

function drawCross(context, x, { bar, thick }, color) {
  const half = Math.min(4.5, Math.max(2, view.zoom / 2)), y = bar + thick / 2;
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x - half, y - half);
  context.lineTo(x + half, y + half);
  context.moveTo(x - half, y + half);
  context.lineTo(x + half, y - half);
  context.stroke();
}

/** A message that nobody asked for: a diamond. */
function drawMessage(context, style, x, { bar, thick }) {
  const [fill, edge] = paintOf(style === "message" ? "answered" : style);
  const half = Math.max(2, Math.min(thick / 2 + 1, view.zoom)), y = bar + thick / 2;
  context.fillStyle = fill;
  context.strokeStyle = edge;
  context.lineWidth = style === "message" ? 1.4 : 2;
  context.beginPath();
  context.moveTo(x - half, y);
  context.lineTo(x, y - half);
  context.lineTo(x + half, y);
  context.lineTo(x, y + half);
  context.closePath();
  context.fill();
  context.stroke();
}

/** The moment at which a request takes effect, with its place in the order where there is room for it. */
function drawPoint(context, place, [x, end], { bar, thick }) {
  const { colors } = view;
  const y = bar + thick / 2;
  if (x > end) {
    context.strokeStyle = colors.order;
    context.lineWidth = 1.2;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(end + 6, y);
    context.lineTo(x, y);
    context.stroke();
    context.setLineDash([]);
  }
  const text = String(place);
  context.font = (thick >= 13 ? "11px" : "10px") + " system-ui, sans-serif";
  const width = Math.max(thick, context.measureText(text).width + 8);
  context.fillStyle = colors.order;
  context.beginPath();
  if (width > view.zoom * 1.9) {
    context.arc(x, y, Math.max(1.6, Math.min(3.5, view.zoom / 2.4)), 0, 7);
    context.fill();
    return;
  }
  context.roundRect(x - width / 2, bar - 1, width, thick + 2, (thick + 2) / 2);
  context.fill();
  context.fillStyle = colors["order-text"];
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x, y + 0.5);
}

/** A value in fewer characters: `{"Put": ["a", 1]}` as `Put("a", 1)`, `{"Get": {"key": "a"}}` as `Get {key: "a"}`. */
function shortOf(json) {
  const [, word] = json.match(/^"([A-Z]\w*)"$/) ?? [];
  if (word) return word;
  const [, name, value] = json.match(/^\{"([A-Z]\w*)": (.*)\}$/s) ?? [];
  if (!name) return json;
  if (/^\{.*\}$/s.test(value)) return `${name} ${value.replace(/"(\w+)": /g, "$1: ")}`;
  return `${name}(${/^\[.*\]$/s.test(value) ? value.slice(1, -1) : value})`;
}

/** The request and its answer in a few words. */
function labelOf(request) {
  const asked = shortOf(request.request);
  switch (request.outcome) {
    case "answered": return `${asked} → ${request.answer === null ? "any" : shortOf(request.answer)}`;
    case "lost": return `${asked} → lost`;
    case "unowed": return asked;
    case "closed": return `${asked} → closed`;
    case "failed": return `${asked} → failed`;
    case "message": return request.answer === null ? "any" : shortOf(request.answer);
    case "step": return asked;
    default: return `${asked} → ?`;
  }
}

/** The text above a bar, as far as there is room for it. */
function drawText(context, at, style, from, next, { text }) {
  const left = Math.max(from, view.names + 6);
  const room = Math.min(next, left + 900) - left - 8;
  if (room < 14) return;
  context.font = SMALL;
  const label = fitted(context, labelOf(view.trace.requests[at]), room);
  if (!label) return;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = view.model.rows[view.model.row[at]].lane.number % 2 ? view.colors.ground : view.colors.stripe;
  context.strokeText(label, left, text);
  context.fillStyle = style === "reject" ? verdictColor() : style === "conflict" ? view.colors["conflict-edge"] : view.colors.text;
  context.fillText(label, left, text);
}

/** A text cut to a width; empty where less than three characters of it would be left. */
function fitted(context, text, room) {
  const wide = context.measureText("0").width;
  const short = text.length * wide <= room * 2 ? text : text.slice(0, Math.ceil((room * 2) / wide));
  if (short === text && context.measureText(text).width <= room) return text;
  for (let length = Math.min(short.length, Math.floor(room / wide) + 1); length > 2; length--) {
    const cut = short.slice(0, length - 1) + "…";
    if (context.measureText(cut).width <= room) return cut;
  }
  return "";
}

/** Rings around what is selected, and what the pointer is on. */
function drawFocus(context) {
  const { model, selected, hovered, colors } = view;
  for (const [at, thick] of [[hovered, 1.5], [selected, 2.5]]) {
    if (at < 0 || model.row[at] < 0) continue;
    const places = rowPlaces(model.row[at]);
    const from = placeOf(model.start[at]), to = placeOf(model.end[at]);
    context.strokeStyle = colors.focus;
    context.lineWidth = thick;
    context.beginPath();
    context.roundRect(from - 2.5, places.bar - 2.5, Math.max(4, to - from) + 5, places.thick + 5, 6);
    context.stroke();
  }
}
