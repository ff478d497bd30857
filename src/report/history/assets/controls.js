// Filters, keys, the pointer, and the state in the page's address, so that a view can be shared.

/** Lays the history out anew, for other filters; what is seen stays in view where it is still shown. */
function applyFilter() {
  const { filter } = view;
  const kept = view.selected, line = view.model ? view.model.lines[seenColumns().from] : 0;
  view.model = layOut(view.trace, filter);
  byId("clear").hidden = filter.clients.length === 0 && !filter.key && !filter.find;
  view.hovered = -1;
  showTip(-1);
  zoomTo(view.zoom);
  beginAt(view.model.lines.findIndex(own => own >= line));
  select(kept >= 0 && view.model.row[kept] >= 0 ? kept : -1);
  showTable(0);
}

/** Takes over what stands in the fields. */
function readFilter() {
  const clients = byId("clients").value.split(",").map(part => part.trim()).filter(part => part);
  view.filter = { clients, key: byId("key").value.trim(), find: byId("find").value };
  applyFilter();
}

/** Shows a filter in the fields, and applies it. */
function setFilter({ clients = [], key = "", find = "" }) {
  byId("clients").value = clients.join(", ");
  byId("key").value = key;
  byId("find").value = find;
  readFilter();
}

/** The request at a place on the canvas, or −1. */
function requestAt(x, y) {
  const { model } = view;
  const row = Math.floor((y - AXIS + chart.scrollTop) / rowHeight());
  if (x < view.names || y < AXIS || !model.rows[row]) return -1;
  const { members } = model.rows[row];
  const behind = firstWhere(members.length, at => placeOf(model.start[members[at]]) > x + 3);
  const before = members[behind - 1];
  if (before === undefined) return -1;
  return placeOf(Math.max(model.end[before], model.point[before])) >= x - 3 ? before : -1;
}

/** The neighbour of the selected request: on its client, on the next one, or in the order. */
function neighbour(key) {
  const { model, trace, selected } = view;
  const [first, last] = [model.shown[0] ?? -1, model.shown[model.shown.length - 1] ?? -1];
  if (key === "Home" || key === "End") return key === "Home" ? first : last;
  if (selected < 0 || model.row[selected] < 0) {
    const from = view.scrolled / view.zoom;
    return model.shown.find(at => model.start[at] >= from) ?? first;
  }
  const lane = model.rows[model.row[selected]].lane;
  if (key === "n" || key === "p") {
    const own = model.order.map(({ at }) => at);
    const at = key === "n" ? own.lastIndexOf(selected) : own.indexOf(selected);
    return at < 0 ? selected : own[at + (key === "n" ? 1 : -1)] ?? selected;
  }
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const own = model.shown.filter(at => trace.requests[at].client === lane.client);
    return own[own.indexOf(selected) + (key === "ArrowRight" ? 1 : -1)] ?? selected;
  }
  const next = model.lanes[lane.number + (key === "ArrowDown" ? 1 : -1)];
  if (!next) return selected;
  const distance = at => Math.max(0, model.start[at] - model.end[selected], model.start[selected] - model.end[at])
    + Math.abs(model.start[at] - model.start[selected]) / 1e6;
  const own = model.shown.filter(at => trace.requests[at].client === next.client);
  return own.reduce((best, at) => (best < 0 || distance(at) < distance(best) ? at : best), -1);
}

/** Acts on a key that was pressed in the chart; tells whether it is one of the chart's. */
function act(key) {
  switch (key) {
    case "+": case "=": zoomTo(view.zoom * 1.5); return true;
    case "-": case "−": zoomTo(view.zoom / 1.5); return true;
    case "0": zoomTo(0); return true;
    case "e": toEvent(); return true;
    case "Escape": select(-1); showTip(-1); return true;
    case "ArrowLeft": case "ArrowRight": case "ArrowUp": case "ArrowDown": case "Home": case "End": case "n": case "p":
      select(neighbour(key));
      return true;
    default: return false;
  }
}

/** What the address says: `#trace=2&client=3&find=5&zoom=12&line=340&select=17`. */
function addressed() {
  const state = new URLSearchParams(location.hash.slice(1));
  const number = name => (state.has(name) && isFinite(Number(state.get(name))) ? Number(state.get(name)) : null);
  const clients = (state.get("client") ?? "").split(",").filter(part => part);
  const filter = { clients, key: state.get("key") ?? "", find: state.get("find") ?? "" };
  return { trace: number("trace"), filter, zoom: number("zoom"), line: number("line"), select: number("select") };
}

let remembering = 0;

/** Writes what is seen into the address, a moment later. */
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const { filter, model, trace } = view;
    const state = new URLSearchParams();
    if (view.number > 0) state.set("trace", view.number + 1);
    if (filter.clients.length) state.set("client", filter.clients.join(","));
    if (filter.key) state.set("key", filter.key);
    if (filter.find) state.set("find", filter.find);
    state.set("zoom", view.zoom.toFixed(view.zoom < 1 ? 4 : 1));
    if (model.columns) state.set("line", model.lines[seenColumns().from]);
    if (view.selected >= 0) state.set("select", trace.requests[view.selected].sent);
    try {
      history.replaceState(null, "", "#" + state);
    } catch {
      // Some browsers do not let a file change its address: then it does not tell what is seen.
    }
  }, 250);
}

/** Shows what the address says. */
function follow({ filter, zoom, line, select: sent }) {
  if (filter.clients.length || filter.key || filter.find) setFilter(filter);
  if (zoom !== null) zoomTo(zoom);
  if (line !== null || zoom !== null) beginAt(view.model.lines.findIndex(own => own >= (line ?? 0)));
  const chosen = sent === null ? -1 : view.trace.requests.findIndex(request => request.sent === sent);
  if (chosen >= 0 && view.model.row[chosen] >= 0) select(chosen);
}

/** Adds a client to those that are shown, or takes it away. */
function toggleClient(client) {
  const { clients } = view.filter;
  const chosen = clients.includes(client) ? clients.filter(other => other !== client) : [...clients, client];
  setFilter({ ...view.filter, clients: chosen });
}

/** The place of an event of the pointer on the canvas. */
function placeIn(event) {
  const { left, top } = chart.getBoundingClientRect();
  return { x: event.clientX - left - 1, y: event.clientY - top };
}

/** Lets the mouse drag the chart; a click selects. Fingers scroll as they do everywhere. */
function listenToPointer() {
  let drag = null;
  chart.addEventListener("pointerdown", event => {
    const { x, y } = placeIn(event);
    if (event.button !== 0 || x > chart.clientWidth || y > chart.clientHeight) return;
    drag = { x: event.clientX, y: event.clientY, left: chart.scrollLeft, top: chart.scrollTop, moved: false };
  });
  window.addEventListener("pointermove", event => {
    if (!drag || event.pointerType !== "mouse") return;
    const [across, down] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(across, down) > 4;
    if (!drag.moved) return;
    chart.classList.add("dragged");
    chart.scrollLeft = drag.left - across;
    chart.scrollTop = drag.top - down;
  });
  window.addEventListener("pointerup", event => {
    const was = drag;
    drag = null;
    chart.classList.remove("dragged");
    if (!was || was.moved) return;
    const { x, y } = placeIn(event);
    const lane = x < view.names && y > AXIS ? view.model.rows[Math.floor((y - AXIS + chart.scrollTop) / rowHeight())]?.lane : null;
    if (lane) toggleClient(lane.client);
    else select(requestAt(x, y));
  });
  window.addEventListener("pointercancel", () => { drag = null; });
  chart.addEventListener("pointermove", event => {
    if (drag?.moved || event.pointerType !== "mouse") return;
    const { x, y } = placeIn(event);
    const at = requestAt(x, y);
    if (at !== view.hovered) redraw();
    view.hovered = at;
    showTip(at, event.clientX, event.clientY);
  });
  chart.addEventListener("pointerleave", () => {
    view.hovered = -1;
    showTip(-1);
    redraw();
  });
  chart.addEventListener("dblclick", event => {
    const { x } = placeIn(event);
    if (x > view.names) zoomTo(view.zoom * (event.shiftKey ? 0.5 : 2), x);
  });
}

/** Lets Ctrl and the wheel zoom, and two fingers. */
function listenToZoom() {
  chart.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomTo(view.zoom * Math.exp(-event.deltaY * (event.deltaMode ? 0.08 : 0.004)), placeIn(event).x);
  }, { passive: false });
  let pinch = null;
  const spread = ({ touches: [one, other] }) => Math.max(10, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
  chart.addEventListener("touchstart", event => {
    pinch = event.touches.length === 2 ? { spread: spread(event), zoom: view.zoom } : null;
  }, { passive: true });
  chart.addEventListener("touchmove", event => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const middle = (event.touches[0].clientX + event.touches[1].clientX) / 2;
    zoomTo((pinch.zoom * spread(event)) / pinch.spread, middle - chart.getBoundingClientRect().left);
  }, { passive: false });
}

/** Connects everything that the reader can do with what it does. */
function listen() {
  let typing = 0;
  byId("controls").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(readFilter, 120);
  });
  byId("controls").addEventListener("submit", event => event.preventDefault());
  byId("clear").addEventListener("click", () => setFilter({}));
  byId("in").addEventListener("click", () => zoomTo(view.zoom * 1.6));
  byId("out").addEventListener("click", () => zoomTo(view.zoom / 1.6));
  byId("fit").addEventListener("click", () => zoomTo(0));
  byId("jump").addEventListener("click", toEvent);
  chart.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(event.key)) event.preventDefault();
  });
  chart.addEventListener("scroll", () => {
    view.scrolled = chart.scrollLeft;
    redraw();
    remember();
  }, { passive: true });
  const strip = byId("overview");
  strip.addEventListener("pointerdown", event => {
    strip.setPointerCapture(event.pointerId);
    followOverview(event);
  });
  strip.addEventListener("pointermove", event => strip.hasPointerCapture(event.pointerId) && followOverview(event));
  listenToPointer();
  listenToZoom();
}
