(function (nomogram) {
  "use strict";
  const section = document.getElementById("nomogram");
  if (!section || typeof makeScorer === "undefined") return;
  const score = makeScorer(nomogram.model), row = Object.create(null), bars = new Map();
  const add = (parent, tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text; // names are text, never markup
    parent.append(node);
    return node;
  };
  const shown = (x) => (Math.abs(x) >= 1000 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(4))));
  const day = (x) => new Date(x * 1000).toISOString().slice(0, 10);

  function makeInput(parent, cell) { // gives a function that reads it
    if (cell.values) {
      const choice = add(parent, "select");
      add(choice, "option", "", "(missing)").value = "-1";
      cell.values.forEach((value, k) => { add(choice, "option", "", value).value = String(k); });
      choice.value = cell.start === null ? "-1" : "0";
      return () => (choice.value === "-1" ? null : cell.values[Number(choice.value)]);
    }
    const slider = add(parent, "input");
    slider.type = "range";
    slider.min = cell.least; slider.max = cell.most; slider.step = "any"; slider.value = cell.start;
    const label = add(parent, "span", "amount");
    const gone = add(add(parent, "label", "quiet", "missing "), "input");
    gone.type = "checkbox";
    const read = () => (Number.isInteger(cell.step) ? Math.round(slider.value) : Number(slider.value));
    return () => {
      label.textContent = gone.checked ? "" : cell.is_time ? day(read()) : shown(read());
      slider.disabled = gone.checked;
      return gone.checked ? null : read();
    };
  }

  const readers = nomogram.inputs.map((cell) => {
    const line = add(document.getElementById("cells"), "div", "cell");
    add(line, "span", "label", cell.name).title = cell.name;
    const read = makeInput(add(line, "span", "entry"), cell);
    if (nomogram.model.intercept.length === 1) bars.set(cell.name, add(add(line, "span", "track"), "span", "fill"));
    return [cell.name, read];
  });
  const places = new Map(nomogram.model.columns.map((column, j) => [column.name, j]));

  function showAnswer() {
    for (const [name, read] of readers) row[name] = read();
    const answer = score(row), box = document.getElementById("answer");
    box.replaceChildren();
    if (!answer.probabilities) {
      add(box, "p", "big", shown(answer.prediction));
      add(box, "p", "quiet", `nine times in ten between ${shown(answer.quantile(0.05))} and ${shown(answer.quantile(0.95))}`);
      return;
    }
    answer.probabilities.forEach((p, k) => {
      const line = add(box, "div", "bar");
      add(line, "span", "label", String(nomogram.model.classes[k]));
      add(add(line, "span", "track one"), "span", "fill").style.cssText = `left:0;width:${100 * p}%`;
      add(line, "span", "n", `${(100 * p).toFixed(1)}%`);
    });
    const weights = [...bars.keys()].map((name) => answer.evidence[places.get(name)][0]);
    const most = Math.max(1, ...weights.map(Math.abs));
    [...bars.values()].forEach((bar, k) => {
      bar.className = weights[k] < 0 ? "fill less" : "fill";
      bar.style.cssText = `${weights[k] < 0 ? "right" : "left"}:50%;width:${(50 * Math.abs(weights[k])) / most}%`;
      bar.title = weights[k].toFixed(2);
    });
  }
  section.hidden = false;
  section.addEventListener("input", showAnswer);
  showAnswer();
})(NOMOGRAM);
