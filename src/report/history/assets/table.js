// The history in words, a hundred requests at a time: what a screen reader reads, and what can be copied.

const PAGE = 100;
let firstRow = 0;

/** The cells of a request. */
function cellsOf(at) {
  const { trace } = view;
  const request = trace.requests[at];
  const line = document.createElement("td");
  const button = element("button", trace.places ? nameOf(request.sent) : request.sent);
  button.type = "button";
  button.title = "Show it in the chart";
  button.addEventListener("click", () => {
    select(at);
    chart.focus();
  });
  line.append(button);
  const isValue = ["answered", "message"].includes(request.outcome) && request.answer !== null;
  const places = partsOf(request).map(({ place }) => place).join(", ");
  const isServed = trace.ordered && trace.network !== "sync" && request.outcome !== "message" && /^\d+$/.test(request.client);
  const [note] = noteOf(trace, at);
  return [line, element("td", request.client), element("td", request.request, "value"),
    element("td", answerOf(request), isValue ? "value" : ""), element("td", trace.places && request.end ? nameOf(request.end) : request.end ?? ""),
    element("td", places || (isServed ? "never" : "")), element("td", note)];
}

/** Shows the requests from one of those that are shown on. */
function showTable(from) {
  firstRow = from;
  if (!byId("listed").open) return;
  const { shown } = view.model;
  const to = Math.min(from + PAGE, shown.length);
  byId("rows").replaceChildren(...shown.slice(from, to).map(at => {
    const row = document.createElement("tr");
    row.append(...cellsOf(at));
    return row;
  }));
  byId("page").textContent = shown.length === 0 ? `no ${view.trace.noun}` : `${view.trace.noun}s ${from + 1} to ${to} of ${shown.length}`;
  byId("earlier").disabled = from === 0;
  byId("later").disabled = to === shown.length;
}

/** Connects the buttons of the table. */
function listenToTable() {
  byId("listed").addEventListener("toggle", () => showTable(firstRow));
  byId("earlier").addEventListener("click", () => showTable(Math.max(0, firstRow - PAGE)));
  byId("later").addEventListener("click", () => showTable(firstRow + PAGE));
}
