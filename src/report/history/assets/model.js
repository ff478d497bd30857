// A history laid out: each event, and each moment at which a request takes effect, has a column of its own.
//
//   columns     0     1     2     3     4     5        of  {"c":1,"q":5} {"c":2,"q":3} {"c":1,"a":1} {"c":2,"a":0}
//   client 1    |-----|-(1)-------|                    and the order 5, 3
//   client 2          |-----(2)---------|

/** The requests that a filter lets pass, by their positions. */
function matching(trace, filter) {
  const text = filter.find.toLowerCase();
  const passes = request =>
    (filter.clients.length === 0 || filter.clients.includes(request.client)) &&
    (filter.key === "" || request.key === filter.key || request.key === JSON.stringify(filter.key)) &&
    (text === "" || (request.request + "\n" + (request.answer ?? "")).toLowerCase().includes(text));
  const found = [];
  trace.requests.forEach((request, at) => passes(request) && found.push(at));
  return found;
}

/** Compares the names of lanes: clients by their numbers, then peers, then the server itself. */
function byNumber(one, other) {
  const rank = name => (/^\d+$/.test(name) ? 0 : name === "server" ? 2 : 1);
  const long = name => (rank(name) === 0 ? name.length : 0);
  return rank(one) - rank(other) || long(one) - long(other) || (one < other ? -1 : one > other ? 1 : 0);
}

/** The moments at which a request takes effect: one, or several where it is served in sections. */
function partsOf({ parts, place, behind }) {
  return parts ?? (place ? [{ behind, place }] : []);
}

/** Tests whether it is no request: a message that nobody asked for, or something that the server did by itself. */
function isUnasked({ outcome }) {
  return outcome === "message" || outcome === "step";
}

/** Everything that has a column, in order. */
function moments(trace, shown, marks) {
  const all = [];
  // Where a line is a request with its answer, it takes effect between the two.
  const rank = line => (trace.sentOn.has(line) ? 2 : 0);
  for (const at of shown) {
    const { sent, end, outcome } = trace.requests[at];
    if (outcome !== "step") all.push({ line: sent, rank: outcome === "message" ? rank(sent) : 0, place: 0, what: "start", at });
    if (end && !isUnasked({ outcome })) all.push({ line: end, rank: rank(end), place: 0, what: "end", at });
    partsOf(trace.requests[at]).forEach(({ behind, place }, part) => all.push({ line: behind, rank: 1, place, what: "point", at, part }));
  }
  marks.forEach((mark, at) => all.push({ line: mark.line, rank: rank(mark.line), place: 0, what: "mark", at }));
  return all.sort((a, b) => a.line - b.line || a.rank - b.rank || a.place - b.place);
}

/** Puts requests that overlap on one client into rows of their own. */
function intoRows(model, lane, members) {
  const ends = [];
  for (const at of members) {
    const until = model.trace.requests[at].outcome === "open" ? Infinity : Math.max(model.end[at], model.point[at]);
    let row = ends.findIndex(end => end < model.start[at]);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = until;
    const number = lane.first + row;
    (model.rows[number] ??= { lane, members: [] }).members.push(at);
    model.row[at] = number;
  }
  lane.rows = Math.max(1, ends.length);
  for (let row = 0; row < lane.rows; row++) model.rows[lane.first + row] ??= { lane, members: [] };
}

/** Lays out what a filter lets pass. */
function layOut(trace, filter) {
  const shown = matching(trace, filter);
  const isWhole = shown.length === trace.requests.length;
  const marks = trace.marks.filter(mark => mark.line === trace.event || isWhole);
  const count = trace.requests.length;
  const model = {
    trace, shown, marks, rows: [], lanes: [], lines: [], order: [],
    start: new Int32Array(count).fill(-1), end: new Int32Array(count).fill(-1), point: new Int32Array(count).fill(-1),
    points: [], row: new Int32Array(count).fill(-1), mark: new Int32Array(marks.length).fill(-1), columns: 0,
  };
  let last = null;
  for (const moment of moments(trace, shown, marks)) {
    // A client that gives up gives up all of its requests at once.
    const isSame = last?.line === moment.line && last.what === "end" && moment.what === "end";
    if (!isSame) {
      model.lines.push(moment.line);
      model.columns += 1;
    }
    model[moment.what][moment.at] = model.columns - 1;
    if (moment.what === "point") {
      (model.points[moment.at] ??= []).push(model.columns - 1);
      model.order.push({ at: moment.at, column: model.columns - 1, place: moment.place });
    }
    last = moment;
  }
  for (const at of shown) {
    const request = trace.requests[at];
    if (request.outcome === "step") model.start[at] = model.point[at];
    if (isUnasked(request)) model.end[at] = model.start[at];
    else if (model.end[at] < 0) model.end[at] = model.columns;
  }
  const clients = new Map();
  for (const at of shown) {
    const { client } = trace.requests[at];
    if (!clients.has(client)) clients.set(client, []);
    clients.get(client).push(at);
  }
  for (const client of [...clients.keys()].sort(byNumber)) {
    const lane = { client, number: model.lanes.length, first: model.rows.length, rows: 1 };
    model.lanes.push(lane);
    intoRows(model, lane, clients.get(client));
  }
  return model;
}

/** What is drawn in a way of its own: the event of the verdict, and what contradicts it. */
function styleOf(trace, at) {
  const request = trace.requests[at];
  if (at === trace.decisive) return trace.verdict === "accept" ? request.outcome : "reject";
  if (trace.conflicting.has(at)) return "conflict";
  return request.outcome;
}

/** Completes what was read of a trace with what is looked up often. */
function prepare(trace) {
  const conflict = new Set(trace.conflict);
  trace.sentOn = new Set(trace.requests.map(request => request.sent));
  trace.sections = trace.requests.reduce((count, request) => count + partsOf(request).length, 0);
  trace.noun = trace.requests.some(request => isUnasked(request) || !/^\d+$/.test(request.client)) ? "item" : "request";
  trace.isServedInParts = trace.requests.some(({ parts }) => parts);
  trace.decisive = trace.event === null ? -1
    : trace.requests.findIndex(({ sent, end, outcome }) => outcome !== "step" && ((["answered", "failed"].includes(outcome) && end === trace.event) || sent === trace.event));
  trace.conflicting = new Set();
  trace.requests.forEach(({ sent, end, outcome }, at) => {
    if (outcome === "step") return;
    if (conflict.has(sent) || (outcome !== "lost" && conflict.has(end))) trace.conflicting.add(at);
  });
  trace.clients = [...new Set(trace.requests.map(request => request.client))].sort(byNumber);
  trace.keys = [...new Set(trace.requests.map(request => request.key).filter(key => key !== null))].sort();
  return trace;
}

/** The first position in a sorted range of `count` at which a test holds. */
function firstWhere(count, holds) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle; else low = middle + 1;
  }
  return low;
}
