// The beginning: the traces of the page, the verdict of one of them, and its history.

/** The lines of a conflict that are offered as buttons. */
const OFFERED = 24;

/** The traces, each read when it is shown first. */
const sources = [...document.querySelectorAll("script.trace")];
const traces = sources.map(() => null);

function traceOf(number) {
  traces[number] ??= prepare(JSON.parse(sources[number].textContent));
  return traces[number];
}

/** Says what was judged, and to which verdict. */
function showVerdict(trace) {
  const badge = byId("verdict");
  badge.textContent = trace.verdict ?? "not judged";
  badge.className = trace.verdict ?? "error";
  byId("where").textContent = trace.where;
  byId("judged").textContent = trace.judged;
  byId("why").replaceChildren(...trace.explanation.map(line => element("li", line)));
  byId("why").className = trace.verdict === null ? "error" : "";
  document.title = `${trace.verdict ?? "not judged"}: ${trace.trace}`;
}

/** Offers the lines that contradict each other. */
function showConflict(trace) {
  const place = byId("conflict");
  const lines = trace.event === null || trace.verdict === "accept" ? [] : trace.conflict.filter(line => line !== trace.event).sort((a, b) => a - b);
  place.hidden = lines.length === 0;
  const button = (line, style) => {
    const made = element("button", nameOf(line), style);
    made.type = "button";
    const at = trace.requests.findIndex(({ sent, end, outcome }) => outcome !== "step" && (sent === line || (outcome !== "lost" && end === line)));
    made.addEventListener("click", () => {
      if (view.model.row[at] < 0) setFilter({});
      select(at);
      chart.focus({ preventScroll: true });
    });
    made.disabled = at < 0;
    return made;
  };
  const offered = lines.slice(0, OFFERED).map(line => button(line, "line"));
  const more = lines.length > OFFERED ? [`and ${counted(lines.length - OFFERED, trace.places ? "more event" : "more line")}`] : [];
  place.replaceChildren(button(trace.event, "line event"), "contradicts", ...offered, ...more);
}

/** Shows one of the traces. */
function showTrace(number) {
  const trace = traceOf(number);
  Object.assign(view, { trace, number, model: null, selected: -1, hovered: -1, filter: { clients: [], key: "", find: "" } });
  showVerdict(trace);
  byId("history").hidden = trace.requests.length + trace.marks.length === 0;
  if (byId("history").hidden) {
    byId("conflict").hidden = true;
    return;
  }
  showConflict(trace);
  byId("keyed").hidden = trace.keys.length === 0;
  byId("jump").hidden = trace.event === null || trace.verdict === "accept";
  byId("known-clients").replaceChildren(...trace.clients.slice(0, 1000).map(client => new Option(client)));
  byId("known-keys").replaceChildren(...trace.keys.slice(0, 1000).map(key => new Option(key)));
  chart.setAttribute("aria-label", `${trace.where}: ${counted(trace.requests.length, trace.noun)} of ${counted(trace.clients.length, trace.noun === "item" ? "lane" : "client")}; the same history stands in the table below`);
  showLegend();
  setFilter({});
  begin();
}

/** Offers the traces, where there are several. */
function offerTraces() {
  const choice = byId("trace");
  sources.forEach((source, number) => choice.append(new Option(source.title, number)));
  byId("traces").hidden = sources.length < 2;
  choice.addEventListener("change", () => {
    showTrace(Number(choice.value));
    remember();
  });
}

function start() {
  if (sources.length === 0) throw new Error("no trace was judged");
  byId("main").hidden = false;
  readColors();
  offerTraces();
  listen();
  listenToTable();
  const state = addressed();
  const asked = (state.trace ?? 0) - 1;
  const worst = Math.max(0, sources.findIndex(source => source.dataset.worst === "true"));
  const number = sources[asked] ? asked : worst;
  byId("trace").value = number;
  showTrace(number);
  if (!byId("history").hidden) follow(state);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColors();
    showLegend();
    redraw();
  });
  const resized = () => requestAnimationFrame(() => !byId("history").hidden && zoomTo(view.zoom));
  new ResizeObserver(resized).observe(byId("controls"));
  window.addEventListener("resize", resized);
}

window.addEventListener("error", ({ message, error }) => {
  if (!error) return;
  const place = byId("broken");
  place.hidden = false;
  place.textContent = `This page cannot be drawn: ${message}`;
});
start();
