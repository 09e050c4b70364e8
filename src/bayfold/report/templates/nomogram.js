(function (nomogram) {
  "use strict";
  const section = document.getElementById("nomogram");
  if (!section || typeof makeScorer === "undefined") return;
  const model = nomogram.model, score = makeScorer(model), row = Object.create(null);
  const find = (id) => document.getElementById(id);
  const add = (parent, tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text; // names are text, never markup
    parent.append(node);
    return node;
  };
  const shown = (x) => (Math.abs(x) >= 1000 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(4))));

  function addMenu(parent, cell, id) { // gives a function that reads it
    const choice = add(parent, "select");
    choice.id = id;
    add(choice, "option", "", "(missing)").value = "-1";
    cell.values.forEach((value, k) => {
      const option = add(choice, "option", "", cell.shown[k]);
      option.value = String(k); option.title = value;
    });
    choice.value = cell.start === null ? "-1" : "0";
    const write = (value) => {
      let k = value === null ? -1 : cell.values.indexOf(value);
      if (value !== null && k < 0) { // a category that is not listed
        k = cell.values.push(value) - 1;
        const option = add(choice, "option", "", value);
        option.value = String(k); option.title = value;
      }
      choice.value = String(k);
    };
    return { write, read: () => (choice.value === "-1" ? null : cell.values[Number(choice.value)]) };
  }

  function addSlider(parent, cell, id) { // a slider, and a box for exact numbers; an empty box is a missing cell
    const slider = add(parent, "input"), box = add(parent, "input", "amount");
    slider.type = "range"; slider.id = id;
    slider.min = cell.least; slider.max = cell.most; slider.step = cell.step === 1 ? 1 : "any"; slider.value = cell.start;
    const clock = cell.zone === null ? null : makeClock(cell.zone, cell.has_clock);
    box.type = clock ? clock.type : "number";
    if (clock && cell.has_clock) box.step = 1;
    box.setAttribute("aria-label", `${cell.name}, exact`);
    if (!clock) { box.step = "any"; box.placeholder = "missing"; }
    const digits = Math.max(0, -Math.floor(Math.log10(cell.step)));
    const write = (x) => { box.value = clock ? clock.write(x) : String(Number(x.toFixed(digits))); };
    const read = () => (box.value === "" ? null : clock ? clock.read(box.value) : Number(box.value));
    const set = (x) => {
      if (x === null) box.value = "";
      else { box.value = clock ? clock.write(x) : String(x); slider.value = x; } // all digits of a cell of the table
    };
    write(cell.start);
    slider.addEventListener("input", () => write(Number(slider.value)));
    box.addEventListener("input", () => { if (read() !== null) slider.value = read(); });
    return { read, write: set };
  }

  const bars = [];
  const addBar = (line) => {
    const number = () => add(line, "span", "n weight");
    const bar = { fill: add(add(line, "span", "track"), "span", "fill"), number: number(), line };
    bars.push(bar);
    return bar;
  };
  const readers = nomogram.inputs.map((cell, k) => {
    const line = add(find("cells"), "div", "cell"), label = add(line, "label", "label", cell.zone ? `${cell.name} (${cell.zone})` : cell.name);
    label.htmlFor = `cell-${k}`; label.title = cell.name;
    const entry = (cell.values ? addMenu : addSlider)(add(line, "span", "entry"), cell, `cell-${k}`);
    const bar = addBar(line);
    bar.name = cell.name;
    bar.place = model.columns.findIndex((column) => column.name === cell.name);
    return { cell, ...entry };
  });
  const names = new Set(nomogram.inputs.map((cell) => cell.name));
  if (model.classes || model.link === "log") model.pairs.forEach((pair, p) => {
    const joined = pair.columns.map((j) => model.columns[j].name);
    if (!joined.every((name) => names.has(name))) return;
    const line = add(find("pairs"), "div", "cell pair");
    add(line, "span", "label", joined.join(" × ")).title = joined.join(" × ");
    add(line, "span", "entry quiet", "together");
    addBar(line).place = model.columns.length + p;
  });
  const pairs = bars.filter((bar) => bar.place >= model.columns.length), SHOWN_PAIRS = 5;

  function drawBars(weight, most, written) {
    for (const bar of bars) {
      const w = weight(bar), { fill, number } = bar;
      fill.className = w < 0 ? "fill less" : "fill";
      fill.style.cssText = `${w < 0 ? "right" : "left"}:50%;width:${(50 * Math.abs(w)) / most}%`;
      number.textContent = written(w);
    }
    const bySize = (a, b) => Math.abs(weight(b)) - Math.abs(weight(a));
    [...pairs].sort(bySize).forEach((bar, k) => { bar.line.hidden = k >= SHOWN_PAIRS; bar.line.style.order = k; });
    const single = bars.slice(0, readers.length);
    const order = find("by-size").checked ? [...single].sort(bySize) : single;
    order.forEach((bar, k) => { bar.line.style.order = k; });
  }
  const signed = (written) => (w) => `${w < 0 ? "−" : "+"}${written(Math.abs(w))}`;

  function showShifts(answer) { // of a number: how far it would move if the cell were missing
    const shift = new Map(bars.map((bar) => [bar, answer.prediction - score({ ...row, [bar.name]: null }).prediction]));
    const most = Math.max(...bars.map((bar) => Math.abs(shift.get(bar)))) || 1;
    drawBars((bar) => shift.get(bar), most, signed(shown));
    find("speaks").textContent = "Bars show how far each cell moves the prediction from what it would be if the cell were missing.";
  }

  function showBars(answer, likeliest) {
    const best = find("class-choice").value < 0 ? likeliest : Number(find("class-choice").value);
    const side = model.intercept.length === 1 ? 0 : best;
    const weight = (bar) => (bar.place < 0 ? 0 : answer.evidence[bar.place][side]);
    drawBars(weight, Math.max(1, ...bars.map((bar) => Math.abs(weight(bar)))), signed((w) => w.toFixed(2)));
    find("speaks").textContent = `Bars to the right speak for ${model.classes[side === 0 && model.intercept.length === 1 ? 1 : best]}.`;
  }

  function showRate(answer, box) { // a product: of each cell the factor of its column, of pairs too
    add(box, "p", "big", shown(answer.prediction)).dataset.value = answer.prediction;
    const weight = (bar) => (bar.place < 0 ? 0 : answer.evidence[bar.place][0]);
    drawBars(weight, Math.max(0.7, ...bars.map((bar) => Math.abs(weight(bar)))), (w) => `×${shown(Math.exp(w))}`);
    find("speaks").textContent = "Numbers are the factors that the rate is a product of, with one for each pair of columns.";
  }

  function showNumber(answer, box) {
    const first = add(box, "p", "big", shown(answer.prediction));
    first.dataset.value = answer.prediction;
    const [low, quarter, half, most, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map(answer.quantile);
    const known = model.grid || model.scale.values.slice(1, -1), least = known[0], largest = known[known.length - 1];
    const place = (x) => Math.min(Math.max((100 * (x - least)) / (largest - least || 1), 0), 100);
    const track = add(box, "div", "track one interval");
    for (const [a, b, name] of [[low, high, "outer"], [quarter, most, "fill"]])
      add(track, "span", name).style.cssText = `left:${place(a)}%;width:${Math.max(place(b) - place(a), 0.3)}%`;
    const ends = add(box, "p", "quiet ends");
    add(ends, "span", "", shown(least)); add(ends, "span", "", shown(largest));
    add(box, "p", "quiet", `median ${shown(half)}; nine times in ten between ${shown(low)} and ${shown(high)}`);
  }

  function showAnswer() {
    for (const { cell, read } of readers) row[cell.name] = read();
    const answer = score(row), box = find("answer");
    box.replaceChildren();
    if (model.link === "log") return showRate(answer, box);
    if (!answer.probabilities) {
      showNumber(answer, box);
      return showShifts(answer);
    }
    const best = answer.probabilities.indexOf(Math.max(...answer.probabilities));
    answer.probabilities.forEach((p, k) => {
      const line = add(box, "div", "bar");
      line.dataset.value = p;
      add(line, "span", "label", String(model.classes[k]));
      add(add(line, "span", "track one"), "span", "fill").style.cssText = `left:0;width:${100 * p}%`;
      add(line, "span", "n", `${(100 * p).toFixed(1)}%`);
    });
    return showBars(answer, best);
  }
  const sample = nomogram.sample, rowChoice = find("row-choice"), classChoice = find("class-choice");
  const note = (text) => { find("row-note").textContent = text; };
  const fill = (valueOf) => { for (const { cell, write } of readers) write(valueOf(cell)); };
  const typical = (cell) => (cell.values ? (cell.start === null ? null : cell.values[0]) : cell.start);

  function chooseRow() { // one of the table, or the most usual cells
    const k = Number(rowChoice.value), cells = new Map(sample.columns.map((column) => [column.name, column.cells[k]]));
    fill(k < 0 ? typical : (cell) => cells.get(cell.name) ?? null);
    note("");
  }

  function splitRow(text) { // cells between tabs, semicolons or commas, whichever is there; quotes around one hold them
    const mark = ["\t", ";", ","].find((each) => text.includes(each)) || "\t";
    const cell = new RegExp(`${mark}(?:"((?:[^"]|"")*)"(?=${mark}|$)|([^${mark}]*))`, "g");
    const found = [...(mark + text.replace(/[\r\n]+$/, "")).matchAll(cell)];
    return found.map(([, quoted, plain]) => (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')));
  }

  function readCell(cell, text) { // null: missing, undefined: not a number
    if (text === "" || /^(na|nan|n\/a|null|none|\?)$/i.test(text)) return null;
    if (cell.values) return text;
    const x = cell.zone === null ? Number(text) : makeClock(cell.zone, true).read(text.replace(" ", "T"));
    return Number.isFinite(x) ? x : undefined;
  }

  function pasteRow() {
    const cells = splitRow(find("row-text").value), names = sample.columns.map((column) => column.name);
    if (cells.length === 1 && cells[0] === "") return;
    if (cells.length !== names.length) {
      note(`A row has ${names.length} cells, in the order ${names.join(", ")}. These are ${cells.length}.`);
      return;
    }
    const wrong = [];
    fill((cell) => {
      const value = readCell(cell, cells[names.indexOf(cell.name)]);
      if (value === undefined) wrong.push(cell.name);
      return value ?? null;
    });
    rowChoice.value = "-1";
    note(wrong.length ? `Taken for missing, as it is no number: ${wrong.join(", ")}.` : "");
  }

  const addOption = (choice, value, text) => { add(choice, "option", "", text).value = String(value); };
  addOption(rowChoice, -1, "the most usual cells");
  sample.rows.forEach((number, k) => addOption(rowChoice, k, `row ${number.toLocaleString("en")}`));
  rowChoice.addEventListener("change", () => { chooseRow(); showAnswer(); });
  find("row-text").addEventListener("change", () => { pasteRow(); showAnswer(); });
  addOption(classChoice, -1, "the likeliest class");
  if (model.classes && model.intercept.length > 1) {
    model.classes.forEach((label, k) => addOption(classChoice, k, String(label)));
    find("class-label").hidden = false;
  }
  section.hidden = false;
  section.addEventListener("input", showAnswer);
  showAnswer();
})(NOMOGRAM);
