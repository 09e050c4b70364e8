// Scores rows by a model that `to_json` wrote: makeScorer(JSON.parse(text))(row), where a row is an object of cells by
// column name. Missing cells are null, undefined, NaN or absent; times are Date objects or seconds since 1970.
(function (root) {
  "use strict";
  const MISSING = 0, UNSEEN = 1, FIRST_BIN = 2, LARGEST_SQUARE = 1e300;

  function toNumbers(value) { // infinity is a word in JSON
    if (Array.isArray(value)) return value.map(toNumbers);
    if (value === null || typeof value !== "object") return value === undefined ? value : Number(value);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toNumbers(inner)]));
  }

  function countEdges(edges, x) { // how many edges are at or below x
    let low = 0, high = edges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edges[middle] <= x) low = middle + 1; else high = middle;
    }
    return low;
  }

  function makeCoder(column) {
    const isMissing = (cell) => cell === null || cell === undefined || Number.isNaN(cell);
    if (column.kind !== "category") {
      const read = (cell) => {
        if (isMissing(cell)) return NaN;
        const x = cell instanceof Date ? cell.getTime() / 1000 : typeof cell === "string" ? NaN : Number(cell);
        if (!Number.isFinite(x)) throw new TypeError(`Column "${column.name}" must hold finite numbers. Got ${cell}.`);
        return x;
      };
      const special = new Map(column.special || []);
      return (cell) => {
        const x = read(cell);
        const code = x !== x ? MISSING : special.get(x) ?? FIRST_BIN + countEdges(column.edges || [], x);
        return { x, code };
      };
    }
    const codeOf = (k) => column.codes ? column.codes[k] : k + FIRST_BIN;
    const codes = new Map(column.categories.map((label, k) => [label, codeOf(k)]));
    const numbers = new Map(column.numbers.map((number, k) => [number, codeOf(k)]));
    const otherwise = column.other ? column.table.length - 1 : UNSEEN;
    const find = (cell) => { // numbers and flags have the labels that Python gives them
      if (typeof cell === "number") return numbers.get(cell);
      if (typeof cell === "boolean") return codes.get(cell ? "True" : "False");
      return codes.get(String(cell));
    };
    return (cell) => ({ x: NaN, code: isMissing(cell) ? MISSING : find(cell) ?? otherwise });
  }

  function parabolas(p, x, nScores) { // compared only when each is known: far out, squares are kept finite
    if (x !== x) return p.missing;
    const terms = p.mean.map((mean, g) => {
      const z = (x - mean) * p.inverse_sd[g];
      return p.constant[g] - Math.min(0.5 * z * z, LARGEST_SQUARE);
    });
    if (nScores < terms.length) return [terms[1] - terms[0]];
    const possible = terms.filter((term) => term > -Infinity);
    const average = possible.reduce((sum, term) => sum + term, 0) / Math.max(possible.length, 1);
    return terms.map((term) => term - average);
  }

  function weigh(column, { x, code }, nScores) { // what a cell adds to each score
    if (column.parabola) return parabolas(column.parabola, x, nScores);
    const line = column.line;
    if (!line || x !== x) return column.table[code];
    const share = (x - line.origins[code]) * line.slopes[code] - line.offsets[code];
    const part = Math.min(Math.max(share, 0), 1);
    return column.table[code].map((value, s) => value + part * line.rises[code][s]);
  }

  function toProbabilities(scores, prior) {
    if (prior.length === 1) return [1];
    if (scores.length === 1 && scores[0] !== scores[0]) return prior; // every class is impossible
    if (scores.length === 1) return [1 / (1 + Math.exp(scores[0])), 1 / (1 + Math.exp(-scores[0]))];
    const top = Math.max(...scores);
    if (top === -Infinity) return prior;
    const masses = scores.map((score) => Math.exp(score - top));
    const total = masses.reduce((sum, mass) => sum + mass, 0);
    return masses.map((mass) => mass / total);
  }

  function correct(mass, [knots, levels]) { // the cumulated probabilities of a model to what held-out rows said of them
    let cumulated = 0, before = 0;
    return mass.map((m, g) => {
      cumulated += m;
      const found = g === mass.length - 1 ? 1 : interpolate(knots, levels, Math.min(cumulated, 1)), own = found - before;
      before = found;
      return own;
    });
  }

  function readNumbers(model, given) { // the density is a triangle over each point, from its neighbours to it
    const { grid, ends } = model, n = grid.length, mass = model.correction ? correct(given, model.correction) : given;
    const width = (k) => ends[k + 1] - ends[k];
    const onLeft = (g) => (ends[g + 2] > ends[g] ? width(g) / (ends[g + 2] - ends[g]) : 0.5); // an atom has no width
    const begin = (k) => (k === 0 ? 0 : 2 * mass[k - 1] * (1 - onLeft(k - 1))), end = (k) => (k === n ? 0 : 2 * mass[k] * onLeft(k));
    const quantile = (q) => {
      let start = 0, k = 0;
      for (; k <= n; k++) {
        const area = (begin(k) + end(k)) / 2;
        if (start + area >= q) break;
        start += area;
      }
      if (k > n) return ends[n + 1];
      const left = begin(k), rise = end(k) - left, wanted = Math.max(q - start, 0);
      const root = left + Math.sqrt(Math.max(left * left + 2 * rise * wanted, 0));
      return ends[k] + Math.min(root > 0 ? (2 * wanted) / root : 0, 1) * width(k);
    };
    const mean = mass.reduce((sum, m, g) => sum + (m * (ends[g] + ends[g + 1] + ends[g + 2])) / 3, 0);
    let past = 0;
    const point = () => grid[Math.max(mass.findIndex((m) => (past += m) > 0.5), 0)];
    const prediction = { mean: () => mean, median: () => quantile(0.5), median_on_grid: point }[model.statistic]();
    return { prediction, mean, quantile };
  }

  function interpolate(xs, ys, x) { // straight between points and beyond them; halves, so that nothing overflows
    const k = Math.min(Math.max(countEdges(xs, x) - 1, 0), xs.length - 2);
    const share = (x / 2 - xs[k] / 2) / (xs[k + 1] / 2 - xs[k] / 2);
    return Math.min(Math.max(ys[k] * (1 - share) + ys[k + 1] * share, -Number.MAX_VALUE), Number.MAX_VALUE);
  }

  function makeShape({ nodes, levels, least_level: least }) { // of errors: level between nodes, exponential in the outer parts
    const parts = nodes.length - 1, first = nodes[1], last = nodes[parts - 1], part = [levels[1], levels[parts] - levels[parts - 1]];
    const reach = [(first - nodes[0]) / 2, (nodes[parts] - last) / 2];
    const clip = (x, low, high) => Math.min(Math.max(x, low), high);
    const above = (error) => { // the probability of a larger error, with all its digits
      const lower = Math.exp(-Math.max(first - error, 0) / reach[0]), upper = Math.exp(-Math.max(error - last, 0) / reach[1]);
      const level = interpolate(nodes, levels, clip(error, first, last));
      return levels[parts - 1] - level + part[1] * upper + part[0] * (1 - lower);
    };
    const beyond = (level, k) => -Math.log(clip(level / part[k], least, 1));
    const findError = (q) => interpolate(levels, nodes, clip(q, part[0], levels[parts - 1])) - reach[0] * beyond(q, 0) + reach[1] * beyond(1 - q, 1);
    return { above, findError };
  }

  function readLocated({ scale, shape, statistic }, [score, logSpread, own = 0, common = 0]) { // a location and a spread on a scale of the target
    const { values, places, cells, points, shares, spreads, shape_width: width, low, per_step: perStep, table } = scale;
    const last = places.length - 1;
    const location = Math.min(Math.max(score, places[1]), places[last - 1]);
    const known = Math.min(Math.max(Math.exp(logSpread), spreads[0]), spreads[1]);
    const unknown = own + common ** 2, spread = unknown ? Math.sqrt(known ** 2 + unknown / width ** 2) : known;
    const toTarget = (place) => (cells ? values[1 + countEdges(cells, place)] : interpolate(places, values, place));
    const toError = (place) => (place - location) / spread;
    const quantile = (q) => toTarget(location + spread * shape.findError(q));
    let mean = 0, rest = 1;
    for (let k = 0; k < (cells ? 0 : points.length); k++) {
      const at = (location + spread * points[k] - low) * perStep, whole = Math.floor(Math.min(Math.max(at, 0), table.length - 2));
      mean += shares[k] * (table[whole] + (at - whole) * (table[whole + 1] - table[whole]));
    }
    for (let k = 1; cells && k < last; k++) { // values, each as likely as its cell
      const beyond = k < last - 1 ? shape.above(toError(cells[k - 1])) : 0;
      mean += values[k] * (rest - beyond);
      rest = beyond;
    }
    return { prediction: statistic === "mean" ? mean : quantile(0.5), mean, quantile };
  }

  function makeScorer(model) {
    if (model.format !== "bayfold-scorer" || ![1, 2].includes(model.version)) throw new Error("This is no model of version 1 or 2.");
    const columns = model.columns.map((column) => ({ ...column, table: toNumbers(column.table), parabola: toNumbers(column.parabola) }));
    const pairs = model.pairs.map((pair) => ({ ...pair, table: toNumbers(pair.table) }));
    const intercept = toNumbers(model.intercept), coders = columns.map(makeCoder);
    const located = model.scale && { ...model, shape: makeShape(model.scale) };
    return (row) => {
      const own = (name) => (Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null); // no "constructor"
      const cells = columns.map((column, j) => coders[j](own(column.name)));
      const evidence = columns.map((column, j) => weigh(column, cells[j], intercept.length));
      for (const { columns: joined, merges, table } of pairs)
        evidence.push(joined.reduce((part, j, k) => part[merges[k][cells[j].code]], table));
      const scores = intercept.map((start, s) => evidence.reduce((sum, weights) => sum + weights[s], start));
      if (model.link === "log") return { prediction: Math.exp(scores[0]), scores, evidence };
      if (located) return { scores, evidence, ...readLocated(located, scores) };
      if (model.grid) return { scores, ...readNumbers(model, toProbabilities(scores, model.grid)) };
      const probabilities = toProbabilities(scores, model.prior);
      const best = probabilities.indexOf(Math.max(...probabilities));
      return { prediction: model.classes[best], probabilities, scores, evidence };
    };
  }

  if (typeof module !== "undefined" && module.exports) module.exports = { makeScorer };
  else root.makeScorer = makeScorer;
})(typeof globalThis !== "undefined" ? globalThis : this);
