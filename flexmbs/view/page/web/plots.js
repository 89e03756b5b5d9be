// Plots of histories against time: a panel for each unit, one zoom and one cursor for all.
flexmbs.COLORS = ["#2b7bd4", "#e0701a", "#149a6b", "#c9549b", "#8a63d2", "#b8921f", "#d63f3f", "#3aa6b9"];

flexmbs.EVENT = "#1d6fd1";

flexmbs.plots = (ui) => {
  const { make, button, gestures, fitted, indexAt, between, number, ticks, table, save, DOWN } = flexmbs.tools;
  const { time, scene } = ui,
    all = [time.t[0], time.t.at(-1)],
    LEFT = 56,
    RIGHT = 12;
  const element = make("section", { className: "plots", ariaLabel: "Plots" });
  let zoom = all,
    panels = [],
    now = 0,
    cross = null,
    inner = 1,
    printing;

  // Panels are equally wide.
  const timeAt = (x) => zoom[0] + ((x - LEFT) / inner) * (zoom[1] - zoom[0]);
  const X = (t) => LEFT + ((t - zoom[0]) / (zoom[1] - zoom[0])) * inner;
  const magnify = (factor, x, dx) => {
    const shown = zoom[1] - zoom[0],
      whole = all[1] - all[0],
      length = Math.max(Math.min(shown / factor, whole), 1e-6 * whole);
    const start = zoom[0] + ((x - LEFT) / inner) * (shown - length) - (dx / inner) * length;
    const first = Math.max(all[0], Math.min(start, all[1] - length));
    zoom = [first, first + length];
    draw();
  };

  const panel = (title, list) => {
    const histories = list.map((history, i) => ({
      color: flexmbs.COLORS[i % 8],
      ...history,
      t: history.t ?? time.t,
      output: make("output"),
    }));
    const canvas = make("canvas", { role: "img", ariaLabel: `${list.map((h) => h.name)} against time` });
    const cursors = ["now", "cross"].map((className) => make("b", { className }));
    const keys = histories.map((h) =>
      make("span", { title: h.name }, make("i", { style: `background:${h.color}` }), `${h.label ?? h.name} `, h.output),
    );
    gestures(canvas, {
      tap: (x) => ui.seek(timeAt(x)),
      drag: (dx, dy, event) => (event.shiftKey ? magnify(1, 0, dx) : ui.seek(timeAt(event.offsetX))),
      pinch: (factor, x, y, dx) => magnify(factor, x, dx),
      wheel: (event, factor) => ui.wheels(event) && magnify(factor, event.offsetX, 0),
      hover: (x) => {
        cross = x === null ? null : timeAt(x);
        cursor(now);
      },
    });
    canvas.ondblclick = () => magnify(0, 0, 0);
    const caption = make(
      "figcaption",
      {},
      make("strong", {}, title || "–"),
      ...keys,
      button("Save these histories (CSV)", DOWN, () => save(`${scene.title} histories.csv`, table(histories))),
    );
    return { histories, canvas, cursors, figure: make("figure", {}, caption, make("div", {}, canvas, ...cursors)) };
  };

  const show = (histories) => {
    const byTitle = new Map();
    for (const history of histories) {
      const title = history.panel ?? history.unit;
      byTitle.set(title, [...(byTitle.get(title) ?? []), history]);
    }
    panels = [...byTitle].map(([title, list]) => panel(title, list));
    element.replaceChildren(...panels.map(({ figure }) => figure));
    element.hidden = !panels.length;
    draw();
  };

  const eachShown = ({ t, values, factor }, use) => {
    const last = Math.ceil(indexAt(t, zoom[1]));
    for (let i = Math.floor(indexAt(t, zoom[0])); i <= last; i++)
      if (isFinite(values[i])) use(t[i], values[i] * factor);
  };

  const drawPanel = ({ canvas, histories }) => {
    const { c, width, height } = fitted(canvas),
      bottom = height - 20,
      style = getComputedStyle(canvas);
    const [ink, grid] = ["--soft", "--line"].map((name) => style.getPropertyValue(name));
    let low = Infinity,
      high = -Infinity;
    for (const history of histories)
      eachShown(history, (t, y) => ([low, high] = [Math.min(low, y), Math.max(high, y)]));
    const margin = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low - margin, high + margin];
    inner = width - LEFT - RIGHT;
    const Y = (value) => bottom - ((value - low) / (high - low)) * (bottom - 6);
    const line = (color, x1, y1, x2, y2) => {
      c.strokeStyle = color;
      c.beginPath();
      c.lineTo(x1, y1);
      c.lineTo(x2, y2);
      c.stroke();
    };
    Object.assign(c, { font: "11px system-ui", fillStyle: ink, textAlign: "right", textBaseline: "middle" });
    for (const [value, text] of ticks(low, high, 5)) {
      line(grid, LEFT, Y(value), width - RIGHT, Y(value));
      c.fillText(text, LEFT - 6, Y(value));
    }
    c.textAlign = "center";
    ticks(...zoom, width / 65).forEach(([t, text], i) => {
      const words = i ? text : `${text} s`;
      line(grid, X(t), 6, X(t), bottom);
      c.fillText(words, Math.min(X(t), width - c.measureText(words).width / 2), bottom + 11);
    });
    c.rect(LEFT, 0, inner, bottom + 1);
    c.clip();
    if (printing) line(ink, X(now), 6, X(now), bottom);
    c.setLineDash([3, 3]);
    for (const { t } of time.impacts) line(ink, X(t), 6, X(t), bottom);
    for (const { t } of time.events ?? []) line(flexmbs.EVENT, X(t), 6, X(t), bottom);
    c.setLineDash([]);
    Object.assign(c, { lineWidth: 1.5, lineJoin: "round" });
    for (const history of histories) {
      // Of the points in one column of pixels only those that change the picture.
      let column, least, most;
      c.strokeStyle = history.color;
      c.beginPath();
      eachShown(history, (t, value) => {
        const x = X(t),
          y = Y(value),
          same = Math.floor(x) === column;
        if (same && y >= least && y <= most) return;
        [column, least, most] = [Math.floor(x), same ? Math.min(least, y) : y, same ? Math.max(most, y) : y];
        c.lineTo(x, y);
      });
      c.stroke();
    }
  };

  const draw = () => {
    panels.forEach(drawPanel);
    cursor(now);
  };

  // Cursors at the present time and at that under the pointer; values in the legends are those under the pointer.
  const cursor = (t) => {
    now = t;
    for (const { cursors, histories } of panels) {
      [now, cross].forEach((t, i) => {
        cursors[i].hidden = t === null || t < zoom[0] || t > zoom[1];
        cursors[i].style.left = `${X(t)}px`;
      });
      cursors[1].textContent = cross === null ? "" : `${number(cross, 5)} s`;
      for (const { t, values, factor, output } of histories)
        output.textContent = number(between(values, indexAt(t, cross ?? now)) * factor);
    }
  };

  return { element, show, draw, cursor, print: (on) => (printing = on) };
};
