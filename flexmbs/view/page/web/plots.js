// Plots of histories against time under the scene: a panel for each unit, one zoom and one cursor for all.
flexmbs.Plots = class {
  static colors = ["#2b7bd4", "#e0701a", "#149a6b", "#c9549b", "#8a63d2", "#b8921f", "#d63f3f", "#3aa6b9"];
  static left = 56;
  static right = 12;

  // ui: {time, seek(t), wheels(event), save(name, columns)}
  constructor(ui) {
    this.ui = ui;
    this.all = ui.time.t;
    this.zoom = [this.all[0], this.all[this.all.length - 1]];
    this.panels = [];
    this.element = flexmbs.make("section", {className: "plots", ariaLabel: "Plots"});
  }

  show(histories) {
    const panels = new Map();
    for (const history of histories) {
      const title = history.panel ?? history.unit;
      panels.set(title, [...(panels.get(title) ?? []), history]);
    }
    this.panels = [...panels].map(([title, list]) => this.panel(title, list));
    this.element.replaceChildren(...this.panels.map((panel) => panel.element));
    this.element.hidden = !histories.length;
    this.draw();
  }

  panel(title, list) {
    const {make, button} = flexmbs, {colors} = flexmbs.Plots, panel = {values: []};
    const histories = (panel.histories = list.map((history, i) => ({color: colors[i % colors.length], ...history})));
    const keys = histories.map((history, i) => {
      panel.values[i] = make("output");
      const swatch = make("i", {style: `background:${history.color}`});
      return make("span", {title: history.name}, swatch, history.label ?? history.name, panel.values[i]);
    });
    const save = button("Save these histories (CSV)", "M8 2v8M4.5 7L8 10.5 11.5 7M2 13.5h12", () => this.save(histories));
    panel.canvas = make("canvas", {role: "img", ariaLabel: `${histories.map((h) => h.name).join(", ")} against time`});
    panel.cursors = ["now", "cross"].map((className) => make("b", {className, hidden: true}));
    panel.element = make("figure", {}, make("figcaption", {}, make("strong", {textContent: title || "–"}), ...keys, save),
      make("div", {}, panel.canvas, ...panel.cursors));
    this.listen(panel.canvas);
    return panel;
  }

  listen(canvas) {
    const timeAt = (x) => this.zoom[0] + ((x - flexmbs.Plots.left) / this.inner(canvas)) * (this.zoom[1] - this.zoom[0]);
    const zoom = (factor, x, dx = 0) => {
      const about = timeAt(x), ends = [this.all[0], this.all[this.all.length - 1]];
      const move = (dx / this.inner(canvas)) * (this.zoom[1] - this.zoom[0]);
      this.zoom = this.zoom.map((t, i) => about + (t - about) / factor - move)
        .map((t) => Math.min(Math.max(t, ends[0]), ends[1]));
      this.draw();
    };
    flexmbs.gestures(canvas, {
      tap: (x) => this.ui.seek(timeAt(x)),
      drag: (dx, dy, event, x) => (event.shiftKey ? zoom(1, x, dx) : this.ui.seek(timeAt(x))),
      pinch: (factor, x, y, dx) => zoom(factor, x, dx),
      wheel: (factor, x, y, event) => this.ui.wheels(event) && zoom(factor, x),
      hover: (x) => this.cursor(this.now, x === null ? null : timeAt(x)),
    });
    canvas.ondblclick = () => zoom(1e-9, 0);
  }

  inner(canvas) {
    return canvas.clientWidth - flexmbs.Plots.left - flexmbs.Plots.right;
  }

  draw() {
    for (const panel of this.panels) this.drawPanel(panel);
    if (this.now !== undefined) this.cursor(this.now);
  }

  // Least and largest value (in the unit shown) within the zoom, with a margin.
  limits(histories) {
    let [low, high] = [Infinity, -Infinity];
    for (const {t = null, values, factor} of histories) {
      const [first, last] = this.zoom.map((end) => flexmbs.indexAt(t ?? this.all, end));
      for (let i = Math.floor(first); i <= Math.ceil(last); i++) {
        low = Math.min(low, values[i] * factor || 0);
        high = Math.max(high, values[i] * factor || 0);
      }
    }
    const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return [low - margin, high + margin];
  }

  drawPanel({canvas, histories}) {
    const {context: c, width, height} = flexmbs.fitted(canvas), {left, right} = flexmbs.Plots;
    const [t0, t1] = this.zoom, [low, high] = this.limits(histories), bottom = height - 20;
    const X = (t) => left + ((t - t0) / (t1 - t0)) * (width - left - right);
    const Y = (value) => bottom - ((value - low) / (high - low)) * (bottom - 6);
    const line = (color, ...points) => {
      c.strokeStyle = color;
      c.beginPath();
      points.forEach((point) => c.lineTo(...point));
      c.stroke();
    };
    const style = getComputedStyle(canvas), [ink, grid] = ["--soft", "--line"].map((name) => style.getPropertyValue(name));
    Object.assign(c, {font: "11px system-ui, sans-serif", fillStyle: ink, textAlign: "right", textBaseline: "middle"});
    for (const [value, text] of flexmbs.ticks(low, high, height / 40)) {
      line(grid, [left, Y(value)], [width - right, Y(value)]);
      c.fillText(text, left - 6, Y(value));
    }
    c.textAlign = "center";
    flexmbs.ticks(t0, t1, width / 90).forEach(([t, text], i) => {
      const words = i ? text : `${text} s`, half = c.measureText(words).width / 2;
      line(grid, [X(t), 6], [X(t), bottom]);
      c.fillText(words, Math.min(X(t), width - half), bottom + 11);
    });
    c.rect(left, 0, width - left - right, bottom + 1);
    c.clip();
    c.setLineDash([3, 3]);
    for (const impact of this.ui.time.impacts) line(ink, [X(impact.t), 6], [X(impact.t), bottom]);
    c.setLineDash([]);
    if (this.printing) line(ink, [X(this.now), 6], [X(this.now), bottom]);
    Object.assign(c, {lineWidth: 1.5, lineJoin: "round"});
    histories.forEach((history) => {
      c.strokeStyle = history.color;
      c.beginPath();
      this.trace(c, history, X, Y);
      c.stroke();
    });
  }

  // Path of a history; of the many points in one column of pixels only those that change the picture.
  trace(c, {t, values, factor}, X, Y) {
    const times = t ?? this.all, [first, last] = this.zoom.map((end) => flexmbs.indexAt(times, end));
    let column, low, high;
    for (let i = Math.floor(first); i <= Math.ceil(last); i++) {
      const [x, y] = [X(times[i]), Y(values[i] * factor)];
      if (Math.floor(x) === column && y >= low && y <= high) continue;
      if (Math.floor(x) !== column) [column, low, high] = [Math.floor(x), y, y];
      [low, high] = [Math.min(low, y), Math.max(high, y)];
      if (isFinite(y)) c.lineTo(x, y);
    }
  }

  // Puts the cursor at time `now` (s) and a second one at the time under the pointer; values in the legends are
  // those under the pointer, else those of now.
  cursor(now, cross = null) {
    this.now = now;
    const [t0, t1] = this.zoom;
    for (const {canvas, cursors, histories, values} of this.panels) {
      [now, cross].forEach((t, i) => {
        cursors[i].hidden = t === null || t < t0 || t > t1;
        cursors[i].style.left = `${flexmbs.Plots.left + ((t - t0) / (t1 - t0)) * this.inner(canvas)}px`;
      });
      cursors[1].textContent = cross === null ? "" : `${flexmbs.number(cross, 5)} s`;
      histories.forEach(({t, values: all, factor}, i) => {
        const index = flexmbs.indexAt(t ?? this.all, cross ?? now);
        values[i].textContent = flexmbs.number(flexmbs.between(all, index) * factor);
      });
    }
  }

  save(histories) {
    const columns = [];
    let times;
    for (const {name, unit, factor, t, values} of histories) {
      if (times !== (t ?? this.all)) columns.push({title: "time [s]", values: (times = t ?? this.all)});
      columns.push({title: `${name} [${unit}]`, values: Array.from(values, (value) => value * factor)});
    }
    this.ui.save("histories", columns);
  }
};
