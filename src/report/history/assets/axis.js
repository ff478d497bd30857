// What frames the chart: the lines of the trace along the top, the names of the clients at the left.

/** The lines of the trace along the top, and the event of the verdict among them. */
function drawAxis(context, width) {
  const { model, colors, trace } = view;
  context.fillStyle = colors.ground;
  context.fillRect(0, 0, width, AXIS);
  context.save();
  context.beginPath();
  context.rect(view.names, 0, width - view.names, AXIS);
  context.clip();
  const event = eventColumn();
  const flag = trace.event === null ? "" : nameOf(trace.event);
  context.font = "600 " + PLAIN;
  const half = event < 0 ? 0 : context.measureText(flag).width / 2 + 7;
  const flagAt = event < 0 ? 0 : Math.min(Math.max(placeOf(event), view.names + half), width - half);
  context.font = PLAIN;
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const column of labelled(width)) {
    const x = placeOf(column), text = String(model.lines[column]);
    const own = context.measureText(text).width / 2;
    context.fillStyle = colors.line;
    context.fillRect(x - 0.5, AXIS - 5, 1, 5);
    const isHidden = event >= 0 && isNear(event) && Math.abs(x - flagAt) < half + own + 6;
    if (isHidden || x - own < view.names + 2) continue;
    context.fillStyle = colors.faint;
    context.fillText(text, x, AXIS / 2 - 1);
  }
  if (event >= 0 && isNear(event)) {
    context.fillStyle = verdictColor();
    context.beginPath();
    context.roundRect(flagAt - half, 3, 2 * half, AXIS - 9, 5);
    context.fill();
    context.font = "600 " + PLAIN;
    context.fillStyle = colors["on-strong"];
    context.fillText(flag, flagAt, AXIS / 2 - 1);
  }
  context.restore();
  context.fillStyle = colors.line;
  context.fillRect(0, AXIS - 1, width, 1);
}

/** The columns whose lines are told: lines that are round numbers, but where a filter leaves gaps. */
function labelled(width) {
  const { model, zoom, trace } = view;
  const { from, to } = seenColumns();
  const found = [];
  const isWhole = model.shown.length === trace.requests.length;
  const density = isWhole && to > from ? (model.lines[to] - model.lines[from] + 1) / (to - from + 1) : 1;
  const step = niceStep(Math.max(1, Math.ceil((64 * density) / zoom)));
  let free = view.names;
  const add = column => {
    if (placeOf(column) < free || placeOf(column) > width) return;
    found.push(column);
    free = placeOf(column) + 54;
  };
  if (isWhole) {
    const first = model.lines[from] ?? 0, last = model.lines[to] ?? -1;
    for (let line = Math.ceil(first / step) * step; line <= last; line += step) {
      const column = firstWhere(model.columns, at => model.lines[at] >= line);
      if (model.lines[column] === line) add(column);
    }
    return found;
  }
  const few = Math.max(1, Math.floor(16 / zoom));
  for (let column = from; column <= to; column += few) if (model.lines[column] !== model.lines[column - 1]) add(column);
  return found;
}

/** Tests whether a column is seen. */
function isNear(column) {
  const x = placeOf(column);
  return x >= view.names - 1 && x <= chart.clientWidth + 1;
}

/** The smallest of 1, 2, 5, 10, 20, … that is not smaller. */
function niceStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map(factor => factor * power).find(nice => nice >= step);
}

/** The clients' names, which stay where the history is scrolled. */
function drawNames(context, height) {
  const { model, colors } = view, width = view.names;
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.textBaseline = "middle";
  model.lanes.forEach((lane, at) => {
    const { top, height: high, bar, thick } = rowPlaces(lane.first);
    if (top > height || top + high * lane.rows < AXIS) return;
    context.fillStyle = at % 2 ? colors.ground : colors.stripe;
    context.fillRect(0, top, width, high * lane.rows);
    context.font = PLAIN;
    context.textAlign = "left";
    context.fillStyle = view.filter.clients.includes(lane.client) ? colors.focus : colors.text;
    const name = width < 76 || !/^\d+$/.test(lane.client) ? lane.client : `client ${lane.client}`;
    context.fillText(fitted(context, name, width - 16), 10, bar + thick / 2 + 0.5);
  });
  context.restore();
  context.font = PLAIN;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = colors.faint;
  context.fillText(view.trace.places ? "event" : width < 76 ? "line" : "line of trace", 10, AXIS / 2 - 1);
  context.fillStyle = colors.line;
  context.fillRect(width - 1, 0, 1, height);
}
