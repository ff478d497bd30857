// What is said of a request: in a tip beside the pointer, and below the chart for the one that is selected.

/** A number with its noun. */
function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** An element with text, and perhaps a class. */
function element(name, text, style) {
  const made = document.createElement(name);
  made.textContent = text;
  if (style) made.className = style;
  return made;
}

/** The name of an event: the line of the trace, where its number is no line its entry or operation. */
function nameOf(event) {
  return view.trace.places?.[event] ?? `line ${event}`;
}

/** The name of an event, with its preposition. */
function onEvent(event) {
  return `${view.trace.places ? "at" : "on"} ${nameOf(event)}`;
}

/** The answer to a request in words, or why there is none. */
function answerOf({ outcome, answer, end }) {
  switch (outcome) {
    case "closed": return `none: the server ended the connection ${onEvent(end)}`;
    case "failed": return `none: the peer failed ${onEvent(end)}`;
    case "step": return "";
    case "message": case "answered": return answer === null ? "some answer, which the trace does not tell" : answer;
    case "lost": return `none: the client gave up ${onEvent(end)}`;
    case "unowed": return "none, and none was owed";
    default: return "none in this trace";
  }
}

/** The moment at which a request takes effect, in words; nothing where there is no order. */
function momentOf(trace, request) {
  if (!trace.ordered) return "";
  if (isUnasked(request) && request.outcome === "message") return "";
  if (!/^\d+$/.test(request.client) && request.outcome !== "step") return "";
  const parts = partsOf(request);
  if (parts.length === 0) return trace.network === "sync" ? "before the next request, or never" : "never, in this order";
  const after = behind => (behind === request.sent && request.outcome !== "step" ? "once it was sent" : `after ${nameOf(behind)}`);
  if (parts.length === 1) return `as number ${parts[0].place} of ${trace.sections}, ${after(parts[0].behind)}`;
  const each = parts.map(({ place, behind }) => `number ${place} ${after(behind)}`);
  return `in ${parts.length} sections of ${trace.sections}: ${each.join(", ")}`;
}

/** What each section does, where there is something to be said of it. */
function didOf(request) {
  return (request.parts ?? []).filter(({ did, chosen }) => did || chosen)
    .map(({ place, did, chosen }) => [place, [chosen ? `chooses ${chosen}` : "", did].filter(text => text).join(", ")]);
}

/** What stands out about a request, with the style in which it is drawn. */
function noteOf(trace, at) {
  const { verdict } = trace;
  const style = styleOf(trace, at);
  if (at === trace.decisive && verdict !== "accept") {
    const what = { reject: "no run of the specification explains this", fault: "the specification is faulty here",
      outside: "from here on the client broke its duty", unknown: "this was too hard to decide" }[verdict];
    return [what, verdict === "reject" || verdict === "fault" ? "reject" : ""];
  }
  if (style === "conflict") return ["contradicts the rejected event, together with the others that are marked so", "conflict"];
  return isBehindEvent(at) ? ["came after the event of the verdict: not judged", ""] : ["", ""];
}

/** All that is known of a request. */
function described(at) {
  const { trace } = view;
  const request = trace.requests[at];
  const list = element("dl", "", "request");
  const add = (name, text, style) => text !== "" && list.append(element("dt", name), element("dd", text, style));
  const until = request.end && nameOf(request.end) !== nameOf(request.sent) ? request.end : 0;
  const [first, last] = trace.places ? [nameOf(request.sent), nameOf(until)] : [`line${until ? "s" : ""} ${request.sent}`, until];
  const isStep = request.outcome === "step";
  const who = isStep ? "the server by itself" : /^\d+$/.test(request.client) ? "client" : "peer";
  add(who, isStep ? request.request : `${request.client}, ${first}${until ? ` to ${last}` : ""}`);
  if (!isUnasked(request)) add("request", request.request, "value");
  const isValue = ["answered", "message"].includes(request.outcome) && request.answer !== null;
  add(request.outcome === "message" ? "message" : "answer", answerOf(request), isValue ? "value" : "");
  add("key", request.key === null || request.key === request.request ? "" : request.key, "value");
  add("takes effect", momentOf(trace, request));
  add("chosen", request.chosen ?? "", "value");
  for (const [place, text] of didOf(request)) add(`number ${place}`, text);
  const [note, style] = noteOf(trace, at);
  add("note", note, `note ${style}`);
  return list;
}

/** Shows the tip of a request beside a place of the window. */
function showTip(at, x, y) {
  const tip = byId("tip");
  tip.hidden = at < 0;
  if (at < 0) return;
  tip.replaceChildren(described(at));
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(x + 16, window.innerWidth - width - 8);
  const top = y + 20 + height > window.innerHeight ? y - height - 14 : y + 20;
  tip.style.left = Math.max(8, left) + "px";
  tip.style.top = Math.max(8, top) + "px";
}

/** Says what an event is that belongs to no request. */
function showMark({ line, what }) {
  byId("selected").replaceChildren(element("p", `${nameOf(line).replace(/^./, first => first.toUpperCase())}: ${what}.`));
}

/** Selects a request, or none; it is seen then. */
function select(at) {
  view.selected = at;
  const place = byId("selected");
  if (at < 0) place.replaceChildren(element("p", "Select a request to read it here: click it, or use the arrow keys in the chart."));
  else {
    place.replaceChildren(described(at));
    reveal(at);
  }
  remember();
  redraw();
}

/** Says how much of the history is shown, and which part of that is seen. */
function showStatus() {
  const { model, trace } = view;
  const isWhole = model.shown.length === trace.requests.length;
  const lanes = counted(model.lanes.length, trace.noun === "item" ? "lane" : "client");
  const all = counted(trace.requests.length, trace.noun);
  const shown = isWhole ? `All of ${all}` : `${model.shown.length.toLocaleString("en")} of ${all}`;
  const { from, to } = seenColumns();
  const seen = model.columns === 0 ? "nothing to be seen" : trace.places ? `${nameOf(model.lines[from])} to ${nameOf(model.lines[to])} in view`
    : `lines ${model.lines[from]} to ${model.lines[to]} in view`;
  const status = `${shown} on ${lanes}; ${seen}.`;
  if (byId("status").textContent !== status) byId("status").textContent = status;
}

/** The legend: what occurs in this trace, drawn as it is in the chart. */
function showLegend() {
  const { trace } = view;
  const has = outcome => trace.requests.some(request => request.outcome === outcome);
  const entries = [[has("answered"), "answered", "from request to answer"], [has("lost"), "lost", "the client gave up"],
    [has("open"), "open", "never answered"], [has("unowed"), "unowed", "no answer was owed"],
    [has("closed") || has("failed"), "lost", "the server closed, or a peer failed"], [has("message"), "message", "a message of the server"],
    [trace.sections > 0, "point", trace.isServedInParts ? "a section of the server, with its place in the order" : "takes effect, with its place in the order"],
    [trace.decisive >= 0 && trace.verdict !== "accept", "reject", { reject: "the rejected event" }[trace.verdict] ?? "the event of the verdict"],
    [trace.conflicting.size > 0, "conflict", "what it contradicts"]];
  byId("legend").replaceChildren(...entries.filter(([occurs]) => occurs).map(([, style, text]) => {
    const item = document.createElement("li");
    item.append(sample(style), text);
    return item;
  }));
}

/** A small picture for the legend. */
function sample(style) {
  const canvas = document.createElement("canvas");
  const context = sharpened(canvas, 34, 16);
  const places = { bar: 3, thick: 10 };
  const isClosed = !["lost", "open"].includes(style);
  if (style === "point") {
    context.fillStyle = view.colors.order;
    context.beginPath();
    context.roundRect(8, 1, 18, 14, 7);
    context.fill();
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = view.colors["order-text"];
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText("1", 17, 8.5);
  } else if (style === "message") drawMessage(context, style, 17, places);
  else {
    bodyOf(context, style, 2, isClosed ? 32 : 20, places, style === "lost" ? 12 : 0, isClosed);
    if (style === "lost") drawCross(context, 20, places, paintOf(style)[1]);
  }
  return canvas;
}
